import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackSide, BoxGeometry, type BufferGeometry, DirectionalLight, Matrix4, Mesh, MeshBasicNodeMaterial, MeshLambertNodeMaterial, PlaneGeometry, PointLight, SphereGeometry, type PerspectiveCamera, type WebGPURenderer } from 'three/webgpu';
import { CulledInstancedMesh, type CulledInstancedMeshOptions, type Lod } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, ONCE } from '../support/gpu';
import { differences } from '../support/drawing';
import { perspective, Stage } from '../support/stage';

describe.runIf( ONCE )( `shadows of a CulledInstancedMesh on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;

	beforeAll( async () => {

		( { renderer } = await createRenderer() );
		renderer.shadowMap.enabled = true;

	} );

	afterAll( expectNoGpuErrors );

	interface Options extends CulledInstancedMeshOptions {
		shape?: BufferGeometry | Lod[];
		at?: number[][];
		lightHeight?: number;
	}

	/** Casters 2 metres above a floor, a lamp straight above, and a camera that looks at the floor from 6 metres above. */
	function floor( { shape = new BoxGeometry(), at = [ [ 0, 2, 0 ] ], lightHeight = 20, ...options }: Options = {} ): { stage: Stage; mesh: CulledInstancedMesh; camera: PerspectiveCamera; ground: Mesh } {

		const mesh = new CulledInstancedMesh( shape, new MeshBasicNodeMaterial( { color: 0xff0000 } ), at.length, options );
		at.forEach( ( [ x, y, z ], i ) => mesh.setMatrixAt( i, new Matrix4().makeTranslation( x, y, z ) ) );
		mesh.castShadow = true;

		const ground = new Mesh( new PlaneGeometry( 40, 40 ).rotateX( - Math.PI / 2 ), new MeshLambertNodeMaterial() );
		ground.receiveShadow = true;

		const light = new DirectionalLight( 0xffffff, 3 );
		light.position.set( 0.001, lightHeight, 0 );
		light.castShadow = true;
		light.shadow.mapSize.set( 128, 128 );
		Object.assign( light.shadow.camera, { left: - 8, right: 8, top: 8, bottom: - 8, near: 1, far: 2 * lightHeight } );

		const stage = new Stage( renderer );
		stage.scene.add( mesh, ground, light );
		return { stage, mesh, ground, camera: perspective( [ 0, 6, 4 ], [ 0, 0, - 1 ] ) };

	}

	/** The picture without shadows. */
	async function unshadowed( stage: Stage, mesh: CulledInstancedMesh, camera: PerspectiveCamera ): Promise<Uint8Array> {

		mesh.castShadow = false;
		const picture = await stage.shoot( camera );
		mesh.castShadow = true;
		return picture;

	}

	it( 'fall from casters behind the camera', async () => {

		const { stage, mesh, camera } = floor( { at: [ [ 0, 9, 0 ], [ 1, 2, - 2 ], [ 30, 2, 0 ] ] } );
		await stage.shoot( camera );
		expect( await mesh.readVisibleCounts( renderer ) ).toEqual( [ 1 ] );
		const picture = await stage.expectWhole( mesh, camera );
		mesh.setVisibleAt( 0, false );
		expect( differences( picture, await stage.shoot( camera ) ) ).toBeGreaterThan( 30 );
		mesh.dispose();

	} );

	it.each( [ false, true ] )( 'are those of plain meshes, wireframe: %s', async ( wireframe ) => {

		const { stage, mesh, camera } = floor();
		( mesh.material as MeshBasicNodeMaterial ).wireframe = wireframe;
		const picture = await stage.shoot( camera );
		const plain = new Mesh( mesh.geometry, new MeshBasicNodeMaterial( { color: 0xff0000, wireframe } ) );
		plain.position.y = 2;
		plain.castShadow = true;
		stage.scene.remove( mesh );
		stage.scene.add( plain );
		expect( differences( picture, await stage.shoot( camera ) ) ).toBe( 0 );
		mesh.dispose();

	} );

	it( 'fall only where the camera has the mesh\'s layer', async () => {

		const { stage, mesh, camera } = floor();
		mesh.layers.set( 1 );
		const neither = await stage.shoot( camera );
		mesh.visible = false;
		expect( differences( neither, await stage.shoot( camera ) ) ).toBe( 0 );

		mesh.visible = true;
		camera.layers.enable( 1 );
		expect( differences( await stage.expectWhole( mesh, camera ), await unshadowed( stage, mesh, camera ) ) ).toBeGreaterThan( 30 );
		mesh.dispose();

	} );

	it( 'fall on all six sides of a point light', async () => {

		const sides = [ [ 2, 0, 0 ], [ - 2, 0, 0 ], [ 0, 2, 0 ], [ 0, - 2, 0 ], [ 0, 0, 2 ], [ 0, 0, - 2 ] ];
		const mesh = new CulledInstancedMesh( new BoxGeometry(), new MeshBasicNodeMaterial(), sides.length );
		sides.forEach( ( [ x, y, z ], i ) => mesh.setMatrixAt( i, new Matrix4().makeTranslation( x, y, z ) ) );
		mesh.castShadow = true;
		const room = new Mesh( new BoxGeometry( 10, 10, 10 ), new MeshLambertNodeMaterial( { side: BackSide } ) );
		room.receiveShadow = true;
		const lamp = new PointLight( 0xffffff, 100 );
		lamp.castShadow = true;
		lamp.shadow.mapSize.set( 64, 64 );
		const stage = new Stage( renderer );
		stage.scene.add( mesh, room, lamp );

		const frozen = perspective( [ 4.5, 4.5, 4.5 ], [ 0, 0, 0 ], 110 );
		const before = await stage.shoot( frozen );
		mesh.culling = 'frozen';
		expect( differences( before, await stage.shoot( frozen ) ), 'frozen' ).toBe( 0 );
		mesh.culling = 'on';

		for ( const corner of [ 4.5, - 4.5 ] ) {

			const camera = perspective( [ corner, corner, corner ], [ 0, 0, 0 ], 110 );
			const whole = await stage.expectWhole( mesh, camera, `from ${ corner }` );
			for ( let i = 0; i < sides.length; i ++ ) {

				// the three walls that this corner sees lie on the other side
				if ( Math.sign( sides[ i ][ 0 ] + sides[ i ][ 1 ] + sides[ i ][ 2 ] ) === Math.sign( corner ) ) continue;
				mesh.setVisibleAt( i, false );
				expect( differences( whole, await stage.shoot( camera ) ), `side ${ i }` ).toBeGreaterThan( 30 );
				mesh.setVisibleAt( i, true );

			}

		}
		mesh.dispose();

	} );

	describe( 'with levels of detail', () => {

		const fine = (): BufferGeometry => new BoxGeometry(), coarse = (): BufferGeometry => new SphereGeometry( 1.5, 8, 6 );
		/** The viewer is at 5 to 6 metres, the light at 60. */
		const lods = (): Lod[] => [ { geometry: fine(), distance: 0 }, { geometry: coarse(), distance: 12 } ];

		// what is drawn first asks for the shadows: then the viewer has drawn no instance yet, or all
		it.each( [ 'first', 'last' ] )( 'have the levels of the viewer from the first frame on, the floor drawn %s', async ( when ) => {

			const { stage, mesh, camera, ground } = floor( { shape: lods(), lightHeight: 60 } );
			ground.renderOrder = when === 'first' ? - 1 : 1;
			const first = await stage.shoot( camera );
			const near = floor( { shape: fine(), lightHeight: 60 } );
			const expected = await near.stage.shoot( camera );
			expect( differences( first, expected ), 'the first frame' ).toBe( 0 );
			for ( let frame = 0; frame < 2; frame ++ ) expect( differences( await stage.shoot( camera ), expected ), 'a later frame' ).toBe( 0 );
			for ( const each of [ mesh, near.mesh ] ) each.dispose();

		} );

		it( 'change with the viewer, in the same frame', async () => {

			const { stage, mesh, ground } = floor( { shape: lods() } ), far = perspective( [ 0, 16, 4 ], [ 0, 0, - 1 ] );
			await stage.shoot( perspective( [ 0, 6, 4 ], [ 0, 0, - 1 ] ) );
			ground.renderOrder = - 1;
			const reference = floor( { shape: coarse() } );
			expect( differences( await stage.shoot( far ), await reference.stage.shoot( far ) ) ).toBe( 0 );
			for ( const each of [ mesh, reference.mesh ] ) each.dispose();

		} );

		it( 'are coarser by shadowLodBias, from the first frame on', async () => {

			const { stage, mesh, camera, ground } = floor( { shape: lods(), shadowLodBias: 1, lightHeight: 60 } );
			ground.renderOrder = - 1;
			const first = await stage.shoot( camera ), second = await stage.shoot( camera );
			expect( differences( first, second ) ).toBe( 0 );

			// the shadow of the coarse level below the fine one
			const shadow = floor( { shape: coarse(), lightHeight: 60 } );
			const body = new Mesh( fine(), new MeshBasicNodeMaterial( { color: 0xff0000 } ) );
			body.position.y = 2;
			shadow.stage.scene.add( body );
			( shadow.mesh.material as MeshBasicNodeMaterial ).colorWrite = false;
			( shadow.mesh.material as MeshBasicNodeMaterial ).depthWrite = false;
			expect( differences( first, await shadow.stage.shoot( camera ) ) ).toBe( 0 );
			for ( const each of [ mesh, shadow.mesh ] ) each.dispose();

		} );

		it( 'end at the coarsest, however large the bias', async () => {

			const { stage, mesh, camera } = floor( { shape: lods(), shadowLodBias: 5 } ), other = floor( { shape: lods(), shadowLodBias: 1 } );
			expect( differences( await stage.shoot( camera ), await other.stage.shoot( camera ) ) ).toBe( 0 );
			expect( differences( await stage.shoot( camera ), await unshadowed( stage, mesh, camera ) ) ).toBeGreaterThan( 30 );
			for ( const each of [ mesh, other.mesh ] ) each.dispose();

		} );

		it( 'survive the user\'s own onBeforeShadow', async () => {

			const plain = floor( { shape: lods() } ), own = floor( { shape: lods() } );
			let calls = 0;
			own.mesh.onBeforeShadow = () => void calls ++;
			for ( let frame = 0; frame < 2; frame ++ ) expect( differences( await own.stage.shoot( own.camera ), await plain.stage.shoot( plain.camera ) ), `frame ${ frame }` ).toBe( 0 );
			expect( calls ).toBeGreaterThan( 0 );
			expect( await own.mesh.readVisibleCounts( renderer ) ).toEqual( [ 1, 0 ] );
			for ( const { mesh } of [ plain, own ] ) mesh.dispose();

		} );

	} );

} );
