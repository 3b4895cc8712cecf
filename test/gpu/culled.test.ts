import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrayCamera, BoxGeometry, Euler, Matrix4, MeshNormalNodeMaterial, type PerspectiveCamera, Quaternion, Vector3, Vector4, type WebGPURenderer } from 'three/webgpu';
import { CulledInstancedMesh, type CulledInstancedMeshOptions } from 'three-scan';
import { hash } from '../../examples/shared/random';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { CAN_DRAW, differences } from '../support/drawing';
import { orthographic, perspective, Stage } from '../support/stage';

const COUNT = 120;

describe.runIf( CAN_DRAW )( `CulledInstancedMesh on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	/** Boxes of all sizes in a cube of 24 metres. */
	function strewn( options?: CulledInstancedMeshOptions ): { stage: Stage; mesh: CulledInstancedMesh } {

		const mesh = new CulledInstancedMesh( new BoxGeometry(), new MeshNormalNodeMaterial(), COUNT, options );
		const at = new Vector3(), turn = new Quaternion(), scale = new Vector3();

		for ( let i = 0; i < COUNT; i ++ ) {

			at.set( hash( i, 1 ), hash( i, 2 ), hash( i, 3 ) ).subScalar( 0.5 ).multiplyScalar( 24 );
			turn.setFromEuler( new Euler( hash( i, 4 ) * 6, hash( i, 5 ) * 6, 0 ) );
			scale.set( 0.3 + hash( i, 6 ) * 3, 0.3 + hash( i, 7 ), 0.3 + hash( i, 8 ) ).multiplyScalar( i % 5 === 0 ? - 1 : 1 );
			mesh.setMatrixAt( i, new Matrix4().compose( at, turn, scale ) );

		}

		const stage = new Stage( renderer );
		stage.scene.add( mesh );
		return { stage, mesh };

	}

	const ahead = (): PerspectiveCamera => perspective( [ 0, 0, 0 ], [ 5, 1, - 9 ] );

	// Case 28
	it( 'draws what all instances together look like, wherever the camera jumps', async () => {

		const { stage, mesh } = strewn();
		const cameras = [
			ahead(), perspective( [ 11, 2, 11 ], [ 30, 1, - 10 ] ), perspective( [ 1, 30, 2 ], [ 0, 0, 0 ] ), perspective( [ 0, 0, - 12 ], [ 0, 0, 0 ], 20 ),
			orthographic( [ 9, 9, 9 ], [ 2, 0, - 1 ], 4 ),
		];
		mesh.position.set( 0.5, 0, 1 );
		mesh.scale.set( 1, 1.2, - 0.8 );

		const pictures: Uint8Array[] = [], seen: number[] = [];
		for ( const camera of cameras ) {

			pictures.push( await stage.shoot( camera ) );
			seen.push( ...await mesh.readVisibleCounts( renderer, camera ) );

		}
		for ( const [ k, camera ] of cameras.entries() ) expect( differences( pictures[ k ], await stage.shootAll( mesh, camera ) ), `camera ${ k }` ).toBe( 0 );

		for ( const count of seen ) expect( count ).toBeGreaterThan( 0 );
		expect( Math.min( ...seen ) ).toBeLessThan( COUNT / 4 );
		mesh.dispose();

	} );

	it( 'follows one camera that jumps, in the very same frame', async () => {

		const { stage, mesh } = strewn(), camera = ahead();
		for ( const turn of [ 0, 2, 4 ] ) {

			camera.rotation.y = turn;
			await stage.expectWhole( mesh, camera, `turned by ${ turn }` );

		}
		mesh.dispose();

	} );

	it( 'loses nothing in a slow pan', async () => {

		const { stage, mesh } = strewn(), camera = ahead();
		const turn = ( frame: number ): void => void ( camera.rotation.y = frame * 0.05 );
		const frames = Array.from( { length: 24 }, ( _, frame ) => frame ), pictures: Uint8Array[] = [];
		for ( const frame of frames ) {

			turn( frame );
			pictures.push( await stage.shoot( camera ) );

		}
		for ( const frame of frames ) {

			turn( frame );
			expect( differences( pictures[ frame ], await stage.shootAll( mesh, camera ) ), `frame ${ frame }` ).toBe( 0 );

		}
		mesh.dispose();

	} );

	// Case 32
	it( 'is right in the first frame, and when it has changed over to the device\'s own kernel', async () => {

		const { stage, mesh } = strewn(), camera = ahead();
		const first = await stage.shoot( camera ), second = await stage.shoot( camera );
		await mesh.init( renderer );
		const third = await stage.expectWhole( mesh, camera );
		for ( const picture of [ first, second ] ) expect( differences( picture, third ) ).toBe( 0 );
		mesh.dispose();

	} );

	it( 'is right after init()', async () => {

		const { stage, mesh } = strewn(), camera = ahead();
		expect( await mesh.init( renderer ) ).toBe( mesh );
		await stage.expectWhole( mesh, camera );
		mesh.dispose();

	} );

	it( 'looks the same with either kernel', async () => {

		const camera = ahead(), one = strewn( { policy: { kernel: 'shared-memory' } } ), other = strewn();
		for ( const { mesh } of [ one, other ] ) await mesh.init( renderer );
		expect( differences( await one.stage.shoot( camera ), await other.stage.shoot( camera ) ) ).toBe( 0 );
		for ( const { mesh } of [ one, other ] ) mesh.dispose();

	} );

	it( 'draws for two cameras in one frame, each its own', async () => {

		const { stage, mesh } = strewn(), one = ahead(), other = perspective( [ 0, 0, 0 ], [ - 5, 1, 9 ] );
		stage.draw( other );
		const first = await stage.shoot( one );
		stage.draw( one );
		stage.draw( other );
		stage.draw( one );
		expect( differences( await stage.expectWhole( mesh, one ), first ) ).toBe( 0 );
		await stage.expectWhole( mesh, other );
		mesh.dispose();

	} );

	it.each( [ 2, 9 ] )( 'draws for the %s eyes of an ArrayCamera', async ( count ) => {

		const { stage, mesh } = strewn();
		const eyes = Array.from( { length: count }, ( _, k ) => k % 2 === 0 ? ahead() : perspective( [ 0, 0, 0 ], [ - 5, 1, 9 ] ) ).map( ( eye, k ) => {

			const width = Math.floor( stage.size / count );
			Object.assign( eye, { aspect: width / stage.size, viewport: new Vector4( k * width, 0, width, stage.size ) } );
			eye.updateProjectionMatrix();
			eye.updateMatrixWorld();
			return eye;

		} );
		await stage.expectWhole( mesh, new ArrayCamera( eyes ) );
		mesh.dispose();

	} );

	it( 'is seen by the cameras of its layers only', async () => {

		const { stage, mesh } = strewn(), camera = ahead();
		mesh.layers.set( 1 );
		const empty = await stage.shoot( camera );
		mesh.visible = false;
		expect( differences( await stage.shoot( camera ), empty ) ).toBe( 0 );

		mesh.visible = true;
		camera.layers.enable( 1 );
		expect( differences( await stage.expectWhole( mesh, camera ), empty ) ).toBeGreaterThan( 100 );
		mesh.dispose();

	} );

	it( 'goes on drawing what it saw, while it is frozen', async () => {

		const mesh = new CulledInstancedMesh( new BoxGeometry(), new MeshNormalNodeMaterial(), 2 );
		mesh.setMatrixAt( 0, new Matrix4().makeTranslation( 0, 0, - 5 ) );
		mesh.setMatrixAt( 1, new Matrix4().makeTranslation( 0, 0, 5 ) );
		const stage = new Stage( renderer ), camera = perspective( [ 0, 0, 0 ], [ 0, 0, - 1 ] );
		const empty = await stage.shoot( camera );
		stage.scene.add( mesh );

		const seen = await stage.shoot( camera );
		mesh.culling = 'frozen';
		expect( differences( await stage.shoot( camera ), seen ) ).toBe( 0 );
		camera.rotation.y = Math.PI;
		expect( differences( await stage.shoot( camera ), empty ) ).toBe( 0 );
		expect( await mesh.readVisibleCounts( renderer ) ).toEqual( [ 1 ] );
		mesh.culling = 'on';
		expect( differences( await stage.expectWhole( mesh, camera ), empty ) ).toBeGreaterThan( 100 );
		mesh.dispose();

	} );

	it( 'culls for a camera that it first sees while it is frozen', async () => {

		const { stage, mesh } = strewn();
		mesh.culling = 'frozen';
		await stage.expectWhole( mesh, ahead() );
		mesh.dispose();

	} );

} );
