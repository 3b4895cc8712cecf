import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, Color, Matrix4, MeshBasicNodeMaterial, type PerspectiveCamera, Sphere, StorageBufferAttribute, Vector3, type WebGPURenderer } from 'three/webgpu';
import { Fn, instanceIndex, mat4, positionLocal, storage, uniform, vec3, vec4 } from 'three/tsl';
import { CulledInstancedMesh, type CulledInstancedMeshOptions } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { CAN_DRAW, WIDTH, expectTags, squareGeometry } from '../support/drawing';
import { nextFrame, perspective, pixelMatrix, pixels, Stage, tagMaterial } from '../support/stage';

const COUNT = 200;

describe.runIf( CAN_DRAW )( `instances of a CulledInstancedMesh on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	const meshes: CulledInstancedMesh[] = [];
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterEach( () => meshes.splice( 0 ).forEach( ( mesh ) => mesh.dispose() ) );
	afterAll( expectNoGpuErrors );

	function row( capacity = COUNT, options?: CulledInstancedMeshOptions ): ReturnType<typeof pixels> {

		const made = pixels( renderer, capacity, options );
		meshes.push( made.mesh );
		return made;

	}

	const upTo = ( count: number ) => ( pixel: number ): number => pixel < count ? pixel : - 1;

	it( 'know their own index in the material', async () => {

		const { picture } = row();
		expectTags( 'index', await picture.render(), upTo( COUNT ) );

	} );

	it( 'are where they are put, from the frame on in which they are', async () => {

		const { picture, mesh } = row();
		await picture.render();
		mesh.setMatrixAt( 7, pixelMatrix( 300 ) );
		mesh.setMatrixAt( 8, new Matrix4().makeTranslation( 1000, 0, 0 ) );
		expectTags( 'moved', await picture.render(), ( pixel ) => pixel === 300 ? 7 : pixel === 7 || pixel === 8 ? - 1 : upTo( COUNT )( pixel ) );

	} );

	it( 'are hidden and shown, with culling off too', async () => {

		const { picture, mesh } = row(), hidden = [ 0, 31, 32, 64, COUNT - 1 ];
		const expected = ( pixel: number ): number => hidden.includes( pixel ) ? - 1 : upTo( COUNT )( pixel );
		await picture.render();
		for ( const i of hidden ) mesh.setVisibleAt( i, false );
		expectTags( 'hidden', await picture.render(), expected );
		mesh.culling = 'off';
		expectTags( 'hidden, all drawn', await picture.render(), expected );
		mesh.culling = 'on';
		for ( const i of hidden ) mesh.setVisibleAt( i, true );
		expectTags( 'shown', await picture.render(), upTo( COUNT ) );

	} );

	it( 'are as many as count says, from frame to frame', async () => {

		const { picture, mesh } = row();
		for ( const count of [ 100, 0, 1, COUNT, 33 ] ) {

			mesh.count = count;
			expectTags( `count ${ count }`, await picture.render(), upTo( count ) );

		}

	} );

	it.each( [
		[ 'zero', new Matrix4().multiplyScalar( 0 ) ], [ 'of no size', new Matrix4().makeScale( 0, 0, 0 ) ], [ 'NaN', new Matrix4().makeScale( NaN, NaN, NaN ) ],
		[ 'in part NaN', new Matrix4().makeTranslation( 3, NaN, 0 ) ], [ 'infinite', new Matrix4().makeScale( Infinity, Infinity, Infinity ) ], [ 'infinitely far', new Matrix4().makeTranslation( - Infinity, 0, 0 ) ],
	] )( 'are not drawn with matrices that are %s', async ( _, matrix ) => {

		const { picture, mesh } = row(), broken = [ 0, 5, COUNT - 1 ];
		for ( const i of broken ) mesh.setMatrixAt( i, matrix );
		expectTags( 'the others', await picture.render(), ( pixel ) => broken.includes( pixel ) ? - 1 : upTo( COUNT )( pixel ) );
		expect( await mesh.readVisibleCounts( renderer ) ).toEqual( [ COUNT - broken.length ] );
		mesh.culling = 'off';
		expectTags( 'the others, all drawn', await picture.render(), ( pixel ) => broken.includes( pixel ) ? - 1 : upTo( COUNT )( pixel ) );
		expect( await mesh.readVisibleCounts( renderer ) ).toEqual( [ COUNT - broken.length ] );

	} );

	it.each( [ Infinity, NaN ] )( 'are all drawn where the radius of the geometry\'s bounds is %s', async ( radius ) => {

		const { picture, mesh } = row();
		mesh.geometry.boundingSphere = new Sphere( new Vector3(), radius );
		expectTags( 'all', await picture.render(), upTo( COUNT ) );

	} );

	it( 'are drawn where the user has enlarged a level\'s bounds, as far as they reach', async () => {

		const [ fine, coarse ] = [ squareGeometry(), squareGeometry() ];
		coarse.boundingSphere = new Sphere( new Vector3(), 100 );
		const { picture } = row(), mesh = new CulledInstancedMesh( [ { geometry: fine, distance: 0 }, { geometry: coarse, distance: 500 } ], null, 1 );
		meshes.push( mesh );
		mesh.material = tagMaterial( mesh.instanceIndexNode );
		( mesh.material as MeshBasicNodeMaterial ).positionNode = positionLocal.add( vec3( 90, 0, 0 ) );
		mesh.setMatrixAt( 0, new Matrix4().makeTranslation( - 80, 0, 0 ) );
		picture.scene.clear();
		picture.scene.add( mesh );
		expectTags( 'from out of sight', await picture.render(), ( pixel ) => pixel === 10 ? 0 : - 1 );

	} );

	it( 'may be mirrored, and are culled by their size then too', async () => {

		const { picture, mesh } = row( 2 );
		mesh.setMatrixAt( 0, new Matrix4().makeScale( - 1, 1, 1 ).setPosition( 4, 0, 0 ) );
		// from far right of the picture into its last four pixels
		mesh.setMatrixAt( 1, new Matrix4().makeScale( - 40, 1, - 1 ).setPosition( WIDTH + 36, 0, 0 ) );
		expectTags( 'mirrored', await picture.render(), ( pixel ) => pixel === 3 ? 0 : pixel >= WIDTH - 4 && pixel < WIDTH ? 1 : - 1 );

	} );

	it( 'have colours, from the first one set on and later', async () => {

		const { picture, mesh } = pixels( renderer, 3, {}, new MeshBasicNodeMaterial( { side: 2, color: new Color( 1, 0.5, 1 ) } ) );
		meshes.push( mesh );
		const shown = async (): Promise<number[][]> => {

			const picked = await picture.render();
			return [ 0, 1, 2 ].map( ( pixel ) => Array.from( picked.subarray( 4 * pixel, 4 * pixel + 3 ), ( byte ) => Math.round( byte / 127.5 ) ) );

		};

		expect( await shown() ).toEqual( [ [ 2, 1, 2 ], [ 2, 1, 2 ], [ 2, 1, 2 ] ] );
		mesh.setColorAt( 1, new Color( 1, 0, 0 ) );
		expect( await shown() ).toEqual( [ [ 2, 1, 2 ], [ 2, 0, 0 ], [ 2, 1, 2 ] ] );
		mesh.setColorAt( 2, new Color( 0, 1, 0.5 ) );
		expect( await shown() ).toEqual( [ [ 2, 1, 2 ], [ 2, 0, 0 ], [ 0, 1, 1 ] ] );

	} );

	it( 'are moved by the user\'s own positionNode', async () => {

		const { picture, mesh } = row( 4 );
		const material = tagMaterial( mesh.instanceIndexNode );
		material.positionNode = positionLocal.add( vec3( 0, 2, 0 ) );
		mesh.material = material;
		expectTags( 'two rows down', await picture.render(), ( pixel ) => Math.floor( pixel / WIDTH ) === 2 ? upTo( 4 )( pixel - 2 * WIDTH ) : - 1 );

	} );

	it( 'look as the material says that comes later', async () => {

		const { picture, mesh } = row( 4 );
		await picture.render();
		mesh.material = tagMaterial( mesh.instanceIndexNode.add( 20 ) );
		expectTags( 'another material', await picture.render(), ( pixel ) => pixel < 4 ? pixel + 20 : - 1 );

	} );

	it( 'have the shape that comes later', async () => {

		const { picture, mesh } = row( 1 );
		await picture.render();
		mesh.geometry = squareGeometry( { size: 2, indexed: false } );
		expectTags( 'another geometry', await picture.render(), ( pixel ) => [ 0, 1, WIDTH, WIDTH + 1 ].includes( pixel ) ? 0 : - 1 );

	} );

	it( 'are where a kernel puts them, each frame anew', async () => {

		const matrices = new StorageBufferAttribute( new Float32Array( 16 * COUNT ), 16 ), buffer = storage( matrices, 'mat4', COUNT );
		const shift = uniform( 0 );
		const write = Fn( () => {

			buffer.element( instanceIndex ).assign( mat4( vec4( 1, 0, 0, 0 ), vec4( 0, 1, 0, 0 ), vec4( 0, 0, 1, 0 ), vec4( instanceIndex.mod( WIDTH ).toFloat(), instanceIndex.div( WIDTH ).toFloat().add( shift ), 0, 1 ) ) );

		} )().compute( COUNT );

		for ( const given of [ matrices, buffer ] ) {

			const { picture } = row( COUNT, { matrices: given } );
			for ( const rows of [ 0, 3, 62 ] ) {

				shift.value = rows;
				renderer.compute( write );
				expectTags( `${ rows } rows down`, await picture.render(), ( pixel ) => pixel < rows * WIDTH ? - 1 : upTo( COUNT )( pixel - rows * WIDTH ) );

			}

		}

	} );

	describe( 'at a distance', () => {

		/** Boxes of diameter √3 at these distances from a camera that looks down −z, 90° wide. */
		function avenue( distances: number[], options?: CulledInstancedMeshOptions, lods?: number[], size = WIDTH ): { stage: Stage; mesh: CulledInstancedMesh; camera: PerspectiveCamera; counts: () => Promise<number[]> } {

			const geometry = new BoxGeometry();
			const mesh = new CulledInstancedMesh( lods?.map( ( distance ) => ( { geometry, distance } ) ) ?? geometry, new MeshBasicNodeMaterial(), distances.length, options );
			distances.forEach( ( distance, i ) => mesh.setMatrixAt( i, new Matrix4().setPosition( new Vector3( 0, 0, - distance ) ) ) );
			meshes.push( mesh );

			const stage = new Stage( renderer, size ), camera = perspective( [ 0, 0, 0 ], [ 0, 0, - 1 ], 90 );
			stage.scene.add( mesh );
			const counts = async (): Promise<number[]> => {

				await nextFrame( renderer );
				stage.draw( camera );
				return mesh.readVisibleCounts( renderer );

			};
			return { stage, mesh, camera, counts };

		}

		it( 'end at maxDistance', async () => {

			expect( await avenue( [ 5, 8, 12, 20 ], { maxDistance: 10 } ).counts() ).toEqual( [ 2 ] );

		} );

		it( 'end where they are minPixels small, in the pixels of the render target', async () => {

			// √3 metres at 90° are 0.87 · size / distance pixels: 8 of them at 6.9 metres, and at twice that
			const distances = [ 4, 6, 8, 12, 16 ];
			expect( await avenue( distances, { minPixels: 8 } ).counts() ).toEqual( [ 2 ] );
			expect( await avenue( distances, { minPixels: 8 }, undefined, 2 * WIDTH ).counts() ).toEqual( [ 4 ] );

		} );

		it( 'are counted a level and a camera', async () => {

			const { stage, mesh, camera, counts } = avenue( [ 2, 7, 13, 17, 25, 28 ], {}, [ 0, 5, 20 ] );
			expect( await counts() ).toEqual( [ 1, 3, 2 ] );

			const closer = perspective( [ 0, 0, - 14 ], [ 0, 0, - 15 ] );
			stage.draw( closer );
			expect( await mesh.readVisibleCounts( renderer ) ).toEqual( [ 1, 2, 0 ] );
			expect( await mesh.readVisibleCounts( renderer, closer ) ).toEqual( [ 1, 2, 0 ] );
			expect( await mesh.readVisibleCounts( renderer, camera ) ).toEqual( [ 1, 3, 2 ] );

		} );

		it( 'come back to a level, or into sight, by the hysteresis only', async () => {

			const { camera, counts } = avenue( [ 8 ], { hysteresis: 0.2, maxDistance: 20 }, [ 0, 10 ] );
			const levels: number[] = [];
			for ( const distance of [ 8, 11, 9, 7, 11, 19, 21, 18, 15 ] ) {

				camera.position.z = distance - 8;
				levels.push( ( await counts() ).indexOf( 1 ) );

			}
			expect( levels ).toEqual( [ 0, 1, 1, 0, 1, 1, - 1, - 1, 1 ] );

		} );

	} );

} );
