import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, Color, Matrix4, Mesh, MeshNormalNodeMaterial, type BufferGeometry, WebGPURenderer } from 'three/webgpu';
import { CulledInstancedMesh } from 'three-scan';
import { countCreations, type Creations } from '../support/creations';
import { createCanvas, createRenderer, deviceName, expectNoGpuErrors, ONCE, requestAdapter } from '../support/gpu';
import { differences, expectTags } from '../support/drawing';
import { nextFrame, perspective, pixelMatrix, pixels, Stage, tagMaterial } from '../support/stage';

const COUNT = 1000;

describe.runIf( ONCE )( `the life of a CulledInstancedMesh on ${ deviceName }`, () => {

	let renderer: WebGPURenderer, device: GPUDevice, creations: Creations;

	beforeAll( async () => {

		( { renderer, device } = await createRenderer() );
		creations = countCreations( device );

	} );

	afterAll( expectNoGpuErrors );

	const upTo = ( count: number ) => ( pixel: number ): number => pixel < count ? pixel : - 1;

	describe( 'uploads', () => {

		/** The bytes of each write to a buffer while `act` runs. */
		async function uploads( act: () => Promise<void> ): Promise<number[]> {

			const { writeBuffer } = device.queue, sizes: number[] = [];
			device.queue.writeBuffer = ( buffer: GPUBuffer, offset: number, data: GPUAllowSharedBufferSource, from = 0, size?: number ) => {

				const unit = ArrayBuffer.isView( data ) && 'BYTES_PER_ELEMENT' in data ? data.BYTES_PER_ELEMENT as number : 1;
				sizes.push( size === undefined ? data.byteLength - from * unit : size * unit );
				return writeBuffer.call( device.queue, buffer, offset, data as GPUAllowSharedBufferSource & ArrayBuffer, from, size );

			};
			try { await act(); } finally { device.queue.writeBuffer = writeBuffer; }
			return sizes;

		}

		const sum = ( sizes: number[] ): number => sizes.reduce( ( total, size ) => total + size, 0 );

		/** What a frame uploads besides instances: matrices of the camera, planes, and the like. */
		const OVERHEAD = 4096;

		it( 'are small when two instances far apart change', async () => {

			const { picture, mesh } = pixels( renderer, COUNT );
			mesh.setColorAt( 0, new Color( 1, 1, 1 ) );
			await picture.render();

			const sizes = await uploads( async () => {

				mesh.setMatrixAt( 3, pixelMatrix( 2000 ) );
				mesh.setMatrixAt( 900, pixelMatrix( 2001 ) );
				mesh.setColorAt( 5, new Color( 1, 1, 0 ) );
				mesh.setColorAt( 950, new Color( 1, 1, 0 ) );
				mesh.setVisibleAt( 7, false );
				mesh.setVisibleAt( 970, false );
				const drawn = await picture.render();
				for ( const i of [ 5, 950 ] ) expect( [ ...drawn.subarray( 4 * i, 4 * i + 3 ) ], `colour ${ i }` ).toEqual( [ i % 256, i >> 8, 0 ] );
				for ( const i of [ 5, 950 ] ) drawn[ 4 * i + 2 ] = 1;
				expectTags( 'moved', drawn, ( pixel ) => pixel === 2000 ? 3 : pixel === 2001 ? 900 : [ 3, 7, 900, 970 ].includes( pixel ) ? - 1 : upTo( COUNT )( pixel ) );

			} );
			expect( sum( sizes ) ).toBeLessThan( OVERHEAD );
			mesh.dispose();

		} );

		it( 'are none when nothing changes', async () => {

			const { picture, mesh } = pixels( renderer, COUNT );
			await picture.render();
			expect( sum( await uploads( async () => expectTags( 'the same', await picture.render(), upTo( COUNT ) ) ) ) ).toBeLessThan( OVERHEAD );
			mesh.dispose();

		} );

		it( 'are as large as what changed, when much does', async () => {

			const { picture, mesh } = pixels( renderer, COUNT );
			await picture.render();
			const sizes = await uploads( async () => {

				for ( let i = 0; i < COUNT; i += 2 ) mesh.setMatrixAt( i, pixelMatrix( i + COUNT ) );
				expectTags( 'moved', await picture.render(), ( pixel ) => pixel < COUNT ? pixel % 2 === 1 ? pixel : - 1 : pixel < 2 * COUNT && pixel % 2 === 0 ? pixel - COUNT : - 1 );

			} );
			expect( sum( sizes ) ).toBeLessThan( 64 * COUNT + OVERHEAD );
			mesh.dispose();

		} );

		it( 'are whole at the user\'s own needsUpdate, before the first frame and later', async () => {

			const { picture, mesh } = pixels( renderer, COUNT );
			const write = ( rows: number ): void => {

				for ( let i = 0; i < COUNT; i ++ ) mesh.instanceMatrix.array.set( pixelMatrix( i + 64 * rows ).elements, 16 * i );
				mesh.instanceMatrix.needsUpdate = true;

			};

			for ( const rows of [ 1, 3 ] ) {

				write( rows );
				mesh.setMatrixAt( 3, pixelMatrix( 0 ) );
				expectTags( `${ rows } rows down`, await picture.render(), ( pixel ) => pixel === 0 ? 3 : pixel === 64 * rows + 3 || pixel < 64 * rows ? - 1 : upTo( COUNT )( pixel - 64 * rows ) );

			}

			mesh.setMatrixAt( 3, pixelMatrix( 1 ) );
			expectTags( 'and a small one after it', await picture.render(), ( pixel ) => pixel === 1 ? 3 : pixel === 64 * 3 + 3 || pixel < 64 * 3 ? - 1 : upTo( COUNT )( pixel - 64 * 3 ) );
			mesh.dispose();

		} );

	} );

	it( 'uploads what changed though the user names another range', async () => {

		const { picture, mesh } = pixels( renderer, COUNT );
		await picture.render();
		mesh.instanceMatrix.array.set( pixelMatrix( 2000 ).elements, 16 );
		mesh.instanceMatrix.addUpdateRange( 16, 16 );
		mesh.instanceMatrix.needsUpdate = true;
		mesh.setMatrixAt( 500, pixelMatrix( 2001 ) );
		expectTags( 'both', await picture.render(), ( pixel ) => pixel === 2000 ? 1 : pixel === 2001 ? 500 : pixel === 1 || pixel === 500 ? - 1 : upTo( COUNT )( pixel ) );
		mesh.dispose();

	} );

	it( 'takes over another mesh when it has been drawn', async () => {

		const { picture, mesh } = pixels( renderer, 20 ), other = mesh.clone();
		for ( let i = 0; i < 20; i ++ ) mesh.setMatrixAt( i, pixelMatrix( 1000 + i ) );
		other.setVisibleAt( 3, false );
		await picture.render();
		mesh.copy( other );
		expectTags( 'as the other', await picture.render(), ( pixel ) => pixel === 3 ? - 1 : upTo( 20 )( pixel ) );
		for ( const each of [ mesh, other ] ) each.dispose();

	} );

	it( 'goes on with init() when it is resized meanwhile, and begins anew after a failure', async () => {

		const { picture, mesh } = pixels( renderer, 20 );
		const ready = mesh.init( renderer );
		mesh.resize( 30 );
		expect( await ready ).toBe( mesh );
		expect( mesh.policy.dispatches ).toBe( 3 );
		expectTags( 'resized', await picture.render(), upTo( 20 ) );
		mesh.dispose();

		const canvas = createCanvas();
		const late = new WebGPURenderer( { canvas, device: await ( await requestAdapter() ).requestDevice() } );
		await expect( mesh.init( late ) ).rejects.toMatchObject( { code: 'not-initialized' } );
		await late.init();
		expect( await mesh.init( late ) ).toBe( mesh );
		await expect( mesh.init( renderer ) ).rejects.toMatchObject( { code: 'invalid-argument', message: expect.stringMatching( /^CulledInstancedMesh: .*one renderer/ ) as string } );
		mesh.dispose();
		await mesh.init( renderer );
		mesh.dispose();

	} );

	it( 'keeps the buffers of cameras where nothing was drawn meanwhile', async () => {

		const { picture, mesh } = pixels( renderer, 10 ), other = picture.camera.clone();
		await mesh.init( renderer );

		const both = async (): Promise<void> => {

			expectTags( 'one', await picture.render(), upTo( 10 ) );
			renderer.setRenderTarget( picture.target );
			renderer.render( picture.scene, other );
			renderer.setRenderTarget( null );

		};

		await both();
		const indirect = creations.live( GPUBufferUsage.INDIRECT ), { buffers } = creations.made;
		for ( let k = 0; k < 320; k ++ ) await nextFrame( renderer );
		await both();
		expect( creations.live( GPUBufferUsage.INDIRECT ) ).toBe( indirect );
		// staging, to read the picture, is all that is new
		expect( creations.made.buffers - buffers ).toBeLessThanOrEqual( 2 );
		mesh.dispose();

	} );

	// Case 36
	it( 'is resized between two frames', async () => {

		const { picture, mesh } = pixels( renderer, 100 );
		await picture.render();
		mesh.resize( 300 );
		expectTags( 'larger', await picture.render(), upTo( 100 ) );
		for ( let i = 100; i < 300; i ++ ) mesh.setMatrixAt( i, pixelMatrix( i ) );
		mesh.count = 300;
		expectTags( 'filled', await picture.render(), upTo( 300 ) );
		mesh.resize( 50 );
		expectTags( 'smaller', await picture.render(), upTo( 50 ) );
		mesh.dispose();

	} );

	it( 'is drawn again after dispose(), with what was set', async () => {

		const { picture, mesh } = pixels( renderer, 100 );
		mesh.dispose();
		for ( let round = 0; round < 3; round ++ ) {

			if ( round === 1 ) await mesh.init( renderer );
			mesh.setVisibleAt( 3 + round, false );
			expectTags( `round ${ round }`, await picture.render(), ( pixel ) => pixel >= 3 && pixel <= 3 + round ? - 1 : upTo( 100 )( pixel ) );
			mesh.dispose();
			mesh.dispose();

		}

	} );

	it( 'draws what is set between init() and the first frame', async () => {

		const { picture, mesh } = pixels( renderer, 100 );
		await mesh.init( renderer );
		mesh.setMatrixAt( 5, pixelMatrix( 200 ) );
		expectTags( 'a matrix', await picture.render(), ( pixel ) => pixel === 200 ? 5 : pixel === 5 ? - 1 : upTo( 100 )( pixel ) );

		mesh.dispose();
		await mesh.init( renderer );
		mesh.setVisibleAt( 4, false );
		expectTags( 'visibility', await picture.render(), ( pixel ) => pixel === 200 ? 5 : pixel === 4 || pixel === 5 ? - 1 : upTo( 100 )( pixel ) );
		mesh.dispose();

	} );

	it( 'may outlive its renderer', async () => {

		const { renderer: other } = await createRenderer();
		const { picture, mesh } = pixels( other, 100 );
		expectTags( 'drawn', await picture.render(), upTo( 100 ) );
		void other.dispose();
		mesh.dispose();

	} );

	it( 'may be disposed of right after it was drawn, and while init() is on its way', async () => {

		const { picture, mesh } = pixels( renderer, 100 );
		picture.draw();
		mesh.dispose();
		expectTags( 'what was submitted', await picture.read(), upTo( 100 ) );

		const initialized = mesh.init( renderer ).catch( ( error: unknown ) => error );
		mesh.dispose();
		const outcome = await initialized;
		if ( outcome !== mesh ) expect( outcome ).toMatchObject( { name: 'ScanError', code: 'disposed' } );
		expectTags( 'revived', await picture.render(), upTo( 100 ) );
		mesh.dispose();

	} );

	// before the changeover to the device's own kernel, and after it
	it.each( [ 0, 60 ] )( 'leaves no buffer behind when it goes %s frames after the last change', async ( frames ) => {

		const stage = new Stage( renderer ), cameras = [ perspective( [ 0, 0, 5 ], [ 0, 0, 0 ] ), perspective( [ 5, 0, 0 ], [ 0, 0, 0 ] ) ];
		const wait = async ( count: number, until = (): boolean => false ): Promise<void> => {

			for ( let k = 0; k < count && ! until(); k ++ ) await nextFrame( renderer );

		};

		const round = async (): Promise<void> => {

			const geometry = new BoxGeometry(), material = new MeshNormalNodeMaterial();
			const mesh = new CulledInstancedMesh( [ { geometry, distance: 0 }, { geometry, distance: 4 } ], material, 50 );
			mesh.setColorAt( 3, new Color( 1, 0, 0 ) );
			stage.scene.add( mesh );
			for ( const camera of cameras ) stage.draw( camera );
			mesh.resize( 70 );
			stage.draw( cameras[ 0 ] );
			await wait( frames );
			stage.scene.remove( mesh );
			for ( const owner of [ mesh, mesh.geometry, material, geometry ] ) owner.dispose();

		};

		// what three keeps comes with the first round, and what still compiles in the background ends some time later
		await round();
		await wait( 60 );
		const start = creations.live();
		for ( let k = 0; k < 3; k ++ ) await round();
		await wait( 200, () => creations.live() <= start );
		expect( creations.live() ).toBeLessThanOrEqual( start );

	} );

	it( 'frees what cameras needed that have not looked for long', async () => {

		const { picture, mesh } = pixels( renderer, 10 );
		await mesh.init( renderer );
		picture.draw();
		const indirect = (): number => creations.live( GPUBufferUsage.INDIRECT ), alone = indirect();
		const others = Array.from( { length: 6 }, () => picture.camera.clone() );
		renderer.setRenderTarget( picture.target );
		for ( const camera of others ) renderer.render( picture.scene, camera );
		renderer.setRenderTarget( null );
		expect( indirect() ).toBeGreaterThan( alone );

		for ( let frame = 0; frame < 600 && indirect() > alone; frame ++ ) {

			await nextFrame( renderer );
			picture.draw();

		}
		expect( indirect() ).toBe( alone );
		expectTags( 'the camera that stayed', await picture.read(), upTo( 10 ) );

		renderer.setRenderTarget( picture.target );
		renderer.render( picture.scene, others[ 0 ] );
		renderer.setRenderTarget( null );
		expectTags( 'a camera that came back', await picture.read(), upTo( 10 ) );
		mesh.dispose();

	} );

	describe( 'shares', () => {

		const at = ( x: number ): Matrix4 => new Matrix4().makeTranslation( x, 0, 0 );
		const camera = perspective( [ 0, 0, 7 ], [ 0, 0, 0 ] );

		/** Two meshes of one box each and a plain one between, drawn twice, the last first in the second turn. */
		async function draw( geometries: BufferGeometry[], materials: MeshNormalNodeMaterial[], plain = true ): Promise<Uint8Array[]> {

			const stage = new Stage( renderer );
			const meshes = [ - 2, 2 ].map( ( x, k ) => {

				const mesh = new CulledInstancedMesh( geometries[ k ], materials[ k ], 2 );
				mesh.setMatrixAt( 0, at( x ) );
				mesh.setMatrixAt( 1, at( 50 ) );
				return mesh;

			} );
			stage.scene.add( meshes[ 0 ] );
			if ( plain ) stage.scene.add( new Mesh( geometries[ 2 ], materials[ 2 ] ) );
			stage.scene.add( meshes[ 1 ] );
			const pictures = [ await stage.shoot( camera ) ];
			stage.scene.children.reverse().forEach( ( child, k ) => ( child.renderOrder = k ) );
			pictures.push( await stage.shoot( camera ) );
			for ( const mesh of meshes ) mesh.dispose();
			return pictures;

		}

		const boxes = (): BufferGeometry[] => [ 0, 0, 0 ].map( () => new BoxGeometry() );
		const materials = (): MeshNormalNodeMaterial[] => [ 0, 0, 0 ].map( () => new MeshNormalNodeMaterial() );

		it.each( [ [ 'a material', false, true ], [ 'a geometry', true, false ], [ 'both', true, true ] ] )( '%s with another of its kind and with a plain mesh', async ( _, geometry, material ) => {

			const expected = await draw( boxes(), materials() );
			const shape = new BoxGeometry(), surface = new MeshNormalNodeMaterial();
			const pictures = await draw( geometry ? [ shape, shape, shape ] : boxes(), material ? [ surface, surface, surface ] : materials() );
			pictures.forEach( ( picture, k ) => expect( differences( picture, expected[ k ] ), `turn ${ k }` ).toBe( 0 ) );
			expect( differences( expected[ 0 ], ( await draw( boxes(), materials(), false ) )[ 0 ] ) ).toBeGreaterThan( 100 );

		} );

		it( 'a material over the index, each drawing its own', async () => {

			const { picture, mesh } = pixels( renderer, 20 ), clone = mesh.clone();
			clone.position.y = 1;
			clone.setVisibleAt( 2, false );
			picture.scene.add( clone );
			mesh.setVisibleAt( 1, false );
			expectTags( 'both', await picture.render(), ( pixel ) => pixel === 1 || pixel === 66 ? - 1 : pixel % 64 < 20 && pixel < 84 ? pixel % 64 : - 1 );
			for ( const each of [ mesh, clone ] ) each.dispose();

		} );

		it( 'nothing with its clone', async () => {

			const { picture, mesh } = pixels( renderer, 20 ), clone = mesh.clone();
			clone.material = tagMaterial( clone.instanceIndexNode.add( 100 ) );
			clone.position.y = 1;
			clone.setVisibleAt( 2, false );
			picture.scene.add( clone );
			mesh.setVisibleAt( 1, false );
			expectTags( 'both', await picture.render(), ( pixel ) => pixel === 1 || pixel === 66 ? - 1 : pixel < 20 ? pixel : pixel >= 64 && pixel < 84 ? pixel - 64 + 100 : - 1 );
			mesh.dispose();
			expectTags( 'after the first\'s dispose()', await picture.render(), ( pixel ) => pixel === 1 || pixel === 66 ? - 1 : pixel < 20 ? pixel : pixel >= 64 && pixel < 84 ? pixel - 64 + 100 : - 1 );
			clone.dispose();

		} );

	} );

} );
