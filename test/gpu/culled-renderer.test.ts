import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, BundleGroup, Color, DirectionalLight, InstancedMesh, Matrix4, Mesh, MeshBasicNodeMaterial, MeshLambertNodeMaterial, MeshNormalNodeMaterial, PlaneGeometry, RenderPipeline, SphereGeometry, type WebGPURenderer } from 'three/webgpu';
import { mrt, output, pass, reflector, velocity } from 'three/tsl';
import { CulledInstancedMesh } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, ONCE } from '../support/gpu';
import { differences } from '../support/drawing';
import { nextFrame, perspective, Stage } from '../support/stage';

const RING = 24;

/** Whatever else three does with a scene, the mesh in it is drawn right. */
describe.runIf( ONCE )( `a CulledInstancedMesh in the renderer's other paths on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;

	beforeAll( async () => {

		( { renderer } = await createRenderer() );
		renderer.shadowMap.enabled = true;

	} );

	afterAll( expectNoGpuErrors );

	/** Boxes around the origin, those far away with another shape. */
	function ring(): CulledInstancedMesh {

		const mesh = new CulledInstancedMesh( [ { geometry: new BoxGeometry(), distance: 0 }, { geometry: new SphereGeometry( 0.8 ), distance: 6.5 } ], new MeshBasicNodeMaterial(), RING );
		for ( let i = 0; i < RING; i ++ ) mesh.setMatrixAt( i, new Matrix4().makeRotationY( i / RING * 2 * Math.PI ).multiply( new Matrix4().makeTranslation( 0, Math.sin( i ), - 6 - i % 2 ) ) );
		return mesh;

	}

	it( 'is right in the first frame after compileAsync()', async () => {

		const stage = new Stage( renderer ), mesh = ring(), camera = perspective( [ 0, 0, 0 ], [ 0, 0, - 1 ] );
		stage.scene.add( mesh );
		renderer.setRenderTarget( stage.target );
		await renderer.compileAsync( stage.scene, camera );
		renderer.setRenderTarget( null );
		await stage.expectWhole( mesh, camera );
		mesh.dispose();

	} );

	it( 'follows the camera in a recorded bundle, over the change of kernels and after dispose()', async () => {

		const stage = new Stage( renderer ), mesh = ring(), bundle = new BundleGroup(), camera = perspective( [ 0, 0, 0 ], [ 0, 0, - 1 ] );
		bundle.add( mesh );
		stage.scene.add( bundle );

		const plain = new Stage( renderer ), twin = ring();
		twin.culling = 'off';
		plain.scene.add( twin );

		for ( const step of [ 'first', 'turned', 'changed over', 'coloured', 'resized', 'disposed' ] ) {

			if ( step === 'turned' ) camera.rotation.y = 2;
			if ( step === 'changed over' ) await mesh.init( renderer );
			if ( step === 'coloured' ) for ( const each of [ mesh, twin ] ) for ( let i = 0; i < RING; i ++ ) each.setColorAt( i, new Color( 1, i / RING, 0 ) );
			if ( step === 'resized' ) mesh.resize( RING + 10 );
			if ( step === 'disposed' ) mesh.dispose();

			// once when it may be recorded anew, once when it is replayed
			for ( let k = 0; k < 2; k ++ ) expect( differences( await stage.shoot( camera ), await plain.shoot( camera ) ), `${ step }, ${ k }` ).toBe( 0 );
			const [ near, far ] = await mesh.readVisibleCounts( renderer );
			expect( near, step ).toBeGreaterThan( 0 );
			expect( far, step ).toBeGreaterThan( 0 );
			expect( near + far, step ).toBeLessThan( RING );

		}

		for ( const each of [ mesh, twin ] ) each.dispose();

	} );

	it( 'is drawn in a pass() with velocities, which are those of an InstancedMesh', async () => {

		const camera = perspective( [ 0, 0, 0 ], [ 0, 0, - 1 ] ), count = 6;
		const at = ( i: number, step: number ): Matrix4 => new Matrix4().makeTranslation( i - 2 + step * ( i % 3 ) * 0.2, step * 0.3, - 6 );
		const meshes = [ new CulledInstancedMesh( new BoxGeometry(), new MeshNormalNodeMaterial(), count + 1 ), new InstancedMesh( new BoxGeometry(), new MeshNormalNodeMaterial(), count + 1 ) ];

		const views = meshes.map( ( mesh ) => {

			const stage = new Stage( renderer ), scenePass = pass( stage.scene, camera );
			stage.scene.add( mesh );
			scenePass.setMRT( mrt( { output, velocity } ) );
			// one to each side: a picture has no negative numbers
			const pipelines = [ scenePass.getTextureNode( 'output' ), scenePass.getTextureNode( 'velocity' ).mul( 5 ).add( 0.5 ) ].map( ( node ) => new RenderPipeline( renderer, node ) );
			mesh.setMatrixAt( count, new Matrix4().makeTranslation( 0, 0, 50 ) );
			return { mesh, stage, pipelines };

		} );

		const moving: boolean[] = [];

		for ( const [ step, k ] of [ [ 0, 1 ], [ 0, 1 ], [ 1, 1 ], [ 1, 1 ], [ 2, 1 ], [ 3, 1 ], [ 4, 0 ] ] ) {

			const pictures: Uint8Array[] = [];

			for ( const { mesh, stage, pipelines } of views ) {

				for ( let i = 0; i < count; i ++ ) mesh.setMatrixAt( i, at( i, step ) );
				mesh.instanceMatrix.needsUpdate = mesh instanceof InstancedMesh;
				await nextFrame( renderer );
				renderer.setRenderTarget( stage.target );
				pipelines[ k ].render();
				renderer.setRenderTarget( null );
				pictures.push( Uint8Array.from( await renderer.readRenderTargetPixelsAsync( stage.target, 0, 0, stage.size, stage.size ) as Uint8Array ) );

			}

			expect( differences( pictures[ 0 ], pictures[ 1 ] ), `step ${ step }, texture ${ k }` ).toBe( 0 );
			moving.push( differences( pictures[ 0 ], pictures[ 0 ].map( ( _, i ) => pictures[ 0 ][ i % 4 ] ) ) > 100 );

		}

		// the last is the picture itself
		expect( moving ).toEqual( [ false, false, true, false, true, true, true ] );
		expect( ( await ( meshes[ 0 ] as CulledInstancedMesh ).readVisibleCounts( renderer ) )[ 0 ] ).toBeLessThanOrEqual( count );
		for ( const { mesh, pipelines } of views ) for ( const owner of [ mesh, ...pipelines ] ) owner.dispose();

	} );

	/** A caster in two levels under a light from high above, which itself sees the coarse one, over a floor; a camera 3 metres away. */
	function lit( { floor = - 1 } = {} ): { stage: Stage; mesh: CulledInstancedMesh; light: DirectionalLight; ground: Mesh<PlaneGeometry, MeshLambertNodeMaterial> } {

		const mesh = new CulledInstancedMesh( [ { geometry: new SphereGeometry( 0.5, 24, 16 ), distance: 0 }, { geometry: new BoxGeometry(), distance: 10 } ], new MeshBasicNodeMaterial(), 1 );
		const light = new DirectionalLight();
		light.position.set( 0, 30, 0.001 );
		mesh.castShadow = light.castShadow = true;

		const ground = new Mesh( new PlaneGeometry( 60, 60 ).rotateX( - Math.PI / 2 ), new MeshLambertNodeMaterial() );
		ground.position.y = floor;
		ground.receiveShadow = true;

		const stage = new Stage( renderer );
		stage.scene.add( ground, light, mesh );
		return { stage, mesh, light, ground };

	}

	it( 'takes a shadow\'s levels from a viewer that looks in a pass() and without one', async () => {

		const { stage, mesh, light } = lit();
		const camera = perspective( [ 0, 1, 3 ], [ 0, 0, 0 ] );
		const pipeline = new RenderPipeline( renderer, pass( stage.scene, camera ) );

		for ( const nested of [ true, false, true, false ] ) {

			await nextFrame( renderer );
			if ( nested ) {

				renderer.setRenderTarget( stage.target );
				pipeline.render();
				renderer.setRenderTarget( null );

			} else await stage.shoot( camera );
			expect( await mesh.readVisibleCounts( renderer, light.shadow.camera ), `nested: ${ nested }` ).toEqual( [ 1, 0 ] );

		}

		mesh.dispose();
		pipeline.dispose();

	} );

	it( 'takes a shadow\'s levels from the viewer, not from a reflection drawn before', async () => {

		// seen from 3 metres: fine; from below the mirror, 17 metres away: coarse
		const { stage, mesh, light, ground } = lit( { floor: - 7 } );
		const mirror = reflector();
		mirror.target.rotateX( - Math.PI / 2 ).position.y = - 7;
		ground.material.emissiveNode = mirror.rgb;
		stage.scene.add( mirror.target );
		const camera = perspective( [ 0, 1, 3 ], [ 0, - 2, - 2 ] );

		for ( const frame of [ 'first', 'second' ] ) {

			await stage.shoot( camera );
			expect( await mesh.readVisibleCounts( renderer, light.shadow.camera ), `shadow, ${ frame } frame` ).toEqual( [ 1, 0 ] );
			expect( await mesh.readVisibleCounts( renderer ), `${ frame } frame` ).toEqual( [ 1, 0 ] );

		}

		mesh.dispose();

	} );

	it( 'takes a shadow\'s levels from the viewer, not from a picture in the picture that leaves the mesh out', async () => {

		const { stage, mesh, light, ground } = lit();
		const far = perspective( [ 0, 40, 0.1 ], [ 0, 0, 0 ] );
		far.layers.set( 2 );
		ground.material.emissiveNode = pass( stage.scene, far ).rgb;
		const camera = perspective( [ 0, 1, 3 ], [ 0, 0, 0 ] );

		for ( const frame of [ 'first', 'second' ] ) {

			await stage.shoot( camera );
			// the very first render of a mesh without init() can't tell how deeply another was nested
			if ( frame === 'second' ) expect( await mesh.readVisibleCounts( renderer, light.shadow.camera ) ).toEqual( [ 1, 0 ] );

		}

		mesh.dispose();

	} );

} );
