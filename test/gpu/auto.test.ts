import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DirectionalLight, Mesh, MeshBasicNodeMaterial, MeshLambertNodeMaterial, PlaneGeometry, StorageBufferAttribute, type Node, type WebGPURenderer } from 'three/webgpu';
import { float, instanceIndex, positionLocal, storage, uint, uniform, vec3, vec4 } from 'three/tsl';
import { CompactPass, IndirectDraws, PartitionPass, ReducePass, ScanPass, type ComputePass } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, tick } from '../support/gpu';
import { CAN_DRAW, Picture, countingMaterial, expectTags, squareGeometry } from '../support/drawing';

const SMALL = { workgroupSize: 64 } as const;
const COUNT = 500;

// All of it draws.
describe.runIf( CAN_DRAW )( `autoCompute on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	/** Names of the nodes computed, in order. */
	let computed: string[];

	beforeAll( async () => {

		( { renderer } = await createRenderer() );
		const compute = renderer.compute.bind( renderer );

		vi.spyOn( renderer, 'compute' ).mockImplementation( ( nodes, ...rest ) => {

			computed.push( ...[ nodes ].flat().map( ( node ) => ( node ).name ) );
			return compute( nodes, ...rest );

		} );

	} );

	beforeEach( () => { computed = []; } );
	afterAll( expectNoGpuErrors );

	/** How often a pass has run: its first node. */
	const runs = ( pass: ComputePass ): number => computed.filter( ( name ) => name === pass.nodes[ 0 ].name ).length;

	interface Shown { pass: CompactPass; mesh: Mesh; picture: Picture; divisor: { value: number }; expected: ( pixel: number ) => number }

	/** Shows the multiples of a number, each as the pixel of its index, with no call of compute(). */
	async function show( autoCompute: 'frame' | 'render', name = 'Auto' ): Promise<Shown> {

		const divisor = uniform( 3, 'uint' );
		const mesh = new Mesh( squareGeometry() );
		const draws = new IndirectDraws( mesh ).attach();
		const pass = await new CompactPass( COUNT, ( i ) => i.mod( divisor ).equal( uint( 0 ) ), { ...SMALL, draws, autoCompute, name } ).init( renderer );
		mesh.material = countingMaterial( pass.element( instanceIndex ), pass.element( instanceIndex ) );
		const picture = new Picture( renderer );
		picture.scene.add( mesh );
		return { pass, mesh, picture, divisor, expected: ( pixel ) => pixel < COUNT && pixel % divisor.value === 0 ? pixel : - 1 };

	}

	it.each( [ 'frame', 'render' ] as const )( '\'%s\': the very first picture is right, and each after a change', async ( autoCompute ) => {

		const { pass, picture, divisor, expected } = await show( autoCompute );
		expectTags( 'first', await picture.render(), expected );
		expect( runs( pass ) ).toBe( 1 );

		for ( const [ k, value ] of [ 7, 1, 2 ].entries() ) {

			await tick();
			divisor.value = value;
			expectTags( `multiples of ${ value }`, await picture.render(), expected );
			expect( runs( pass ) ).toBe( k + 2 );

		}

		pass.dispose();

	} );

	it( 'computes nothing while nothing of it is drawn', async () => {

		const { pass, mesh, picture } = await show( 'frame' );
		mesh.visible = false;
		await picture.render();
		expect( runs( pass ) ).toBe( 0 );
		pass.dispose();

	} );

	it( '\'frame\' computes once for several renders of a frame, \'render\' once each', async () => {

		for ( const [ autoCompute, times ] of [ [ 'frame', 1 ], [ 'render', 3 ] ] as const ) {

			const { pass, picture, expected } = await show( autoCompute );
			await tick();
			computed = [];
			for ( let i = 0; i < 3; i ++ ) picture.draw(); // in one task: one frame
			expect( runs( pass ), autoCompute ).toBe( times );
			expectTags( autoCompute, await picture.read(), expected );
			pass.dispose();

		}

	} );

	it( 'two meshes on one pass: computed once a frame, before the first', async () => {

		const divisor = uniform( 3, 'uint' );
		const meshes = [ new Mesh( squareGeometry() ), new Mesh( squareGeometry() ) ];
		const draws = new IndirectDraws( meshes ).attach();
		const pass = await new CompactPass( COUNT, ( i ) => i.mod( divisor ).equal( uint( 0 ) ), { ...SMALL, draws, autoCompute: 'frame' } ).init( renderer );
		const picture = new Picture( renderer );

		// one shows where the survivors are, the other one a row below the last candidate
		for ( const [ k, mesh ] of meshes.entries() ) {

			const index = pass.element( instanceIndex );
			mesh.material = countingMaterial( index.add( uint( k * 512 ) ), index );
			picture.scene.add( mesh );

		}

		for ( const value of [ 3, 5 ] ) {

			divisor.value = value;
			const shown = ( pixel: number ): number => pixel < COUNT && pixel % value === 0 ? pixel : - 1;
			expectTags( `multiples of ${ value }`, await picture.render(), ( pixel ) => pixel < 512 ? shown( pixel ) : shown( pixel - 512 ) );
			await tick();

		}

		expect( runs( pass ) ).toBe( 2 );
		pass.dispose();

	} );

	it.each( [ [ 'frame', 1 ], [ 'render', 2 ] ] as const )( '\'%s\': main and shadow pass, computed %i times', async ( autoCompute, times ) => {

		renderer.shadowMap.enabled = true;

		// survivors are tiles above a white floor, lit straight from above: where they hang, the floor is dark
		const divisor = uniform( 2, 'uint' );
		const mesh = new Mesh( new PlaneGeometry( 4, 4 ) );
		const draws = new IndirectDraws( mesh ).attach();
		const pass = await new CompactPass( 64, ( i ) => i.mod( divisor ).equal( uint( 0 ) ), { ...SMALL, draws, autoCompute } ).init( renderer );
		const index = pass.element( instanceIndex );
		const material = new MeshBasicNodeMaterial( { side: 2 } );
		material.positionNode = vec3( float( index.mod( 8 ) ).mul( 8 ).add( 4 ), float( index.div( 8 ) ).mul( 8 ).add( 4 ), 0 ).add( positionLocal );
		material.colorNode = vec4( 1, 0, 0, 1 );
		mesh.material = material;
		mesh.castShadow = true;

		const floor = new Mesh( new PlaneGeometry( 64, 64 ), new MeshLambertNodeMaterial( { color: 0xffffff, side: 2 } ) );
		floor.material.normalNode = vec3( 0, 0, 1 ); // the picture's y points down, so faces look away
		floor.position.set( 32, 32, - 5 );
		floor.receiveShadow = true;

		// the light comes in at an angle: shadows fall 5 pixels to the right of the tiles, 1:1 on the floor
		const light = new DirectionalLight( 0xffffff, 3 );
		light.position.set( 32 - 20, 32, 15 );
		light.target.position.set( 32, 32, - 5 );
		light.castShadow = true;
		Object.assign( light.shadow.camera, { left: - 60, right: 60, top: 60, bottom: - 60, near: 0.1, far: 100 } );
		light.shadow.mapSize.set( 512, 512 );

		const picture = new Picture( renderer );
		picture.scene.add( mesh, floor, light, light.target );

		for ( const value of [ 2, 1, 9 ] ) {

			computed = [];
			divisor.value = value;
			const pixels = await picture.render();
			const at = ( x: number, y: number ): number[] => Array.from( pixels.subarray( 4 * ( 64 * y + x ), 4 * ( 64 * y + x ) + 3 ) );
			expect( runs( pass ), `multiples of ${ value }` ).toBe( times );

			for ( let i = 0; i < 64; i ++ ) {

				const [ x, y ] = [ i % 8 * 8 + 4, Math.floor( i / 8 ) * 8 + 4 ];
				const [ r, g ] = at( x - 1, y ), [ shadow ] = at( Math.min( x + 4, 63 ), y );
				const isThere = i % value === 0;
				expect( r > 50 && g < 20, `multiples of ${ value }: tile ${ i } (${ r }, ${ g })` ).toBe( isThere );
				if ( x < 60 ) expect( shadow < 20, `multiples of ${ value }: shadow of tile ${ i } (${ shadow })` ).toBe( isThere );

			}

			await tick();

		}

		renderer.shadowMap.enabled = false;
		pass.dispose();

	} );

	it( 'a chain of two: the first computes before the second, by its count or by its nodes', async () => {

		const divisor = uniform( 3, 'uint' );

		for ( const by of [ 'count', 'nodes' ] as const ) {

			const first = await new CompactPass( COUNT, ( i ) => i.mod( divisor ).equal( uint( 0 ) ), { ...SMALL, autoCompute: 'frame', name: 'First' } ).init( renderer );
			const mesh = new Mesh( squareGeometry() );
			const draws = new IndirectDraws( mesh ).attach();

			// every second survivor of the first
			const second = by === 'count'
				? await new CompactPass( COUNT, ( i ) => i.bitAnd( 1 ).equal( uint( 0 ) ), { ...SMALL, draws, count: first.survivorCount as StorageBufferAttribute, autoCompute: 'frame', name: 'Second' } ).init( renderer )
				: await new CompactPass( COUNT, ( i ) => i.bitAnd( 1 ).equal( uint( 0 ) ).and( i.lessThan( first.survivorCountNode ) ), { ...SMALL, draws, autoCompute: 'frame', name: 'Second' } ).init( renderer );

			// by count: the material reads the second only; the first's buffer is bound in the second's kernels
			const index = by === 'count' ? second.element( instanceIndex ).mul( divisor ) : first.element( second.element( instanceIndex ) );
			mesh.material = countingMaterial( index, index );
			const picture = new Picture( renderer );
			picture.scene.add( mesh );

			for ( const value of [ 3, 4 ] ) {

				computed = [];
				divisor.value = value;
				expectTags( `by ${ by }, multiples of ${ value }`, await picture.render(), ( pixel ) => pixel < COUNT && pixel % ( 2 * value ) === 0 ? pixel : - 1 );
				expect( runs( second ), by ).toBe( 1 );
				await tick();

			}

			first.dispose();
			second.dispose();

		}

	} );

	it( 'a partition, a scan and a reduction, by element(), outputNode and totalNode', async () => {

		const buckets = uniform( 4, 'uint' );
		const split = await new PartitionPass( 256, 4, ( i ) => i.mod( buckets ), { ...SMALL, itemsPerThread: 2, autoCompute: 'frame' } ).init( renderer );
		const scan = await new ScanPass( ( i ) => i.mod( buckets ), { ...SMALL, itemsPerThread: 4, type: 'uint', count: 256, autoCompute: 'frame' } ).init( renderer );
		const sum = await new ReducePass( ( i ) => i.mod( buckets ), { ...SMALL, itemsPerThread: 4, type: 'uint', count: 256, autoCompute: 'frame' } ).init( renderer );

		for ( const [ pass, tag, expected ] of [
			[ split, split.element( 0, instanceIndex ), ( i: number, n: number ) => i * n < 256 ? i * n : null ],
			[ scan, scan.outputNode.element( instanceIndex ) as unknown as Node<'uint'>, ( i: number, n: number ) => Array.from( { length: i }, ( _, k ) => k % n ).reduce( ( a, b ) => a + b, 0 ) ],
			[ sum, ( sum.totalNode as Node<'uint'> ).add( instanceIndex ), ( i: number, n: number ) => Array.from( { length: 256 }, ( _, k ) => k % n ).reduce( ( a, b ) => a + b, i ) ],
		] as const ) {

			const mesh = new Mesh( squareGeometry(), countingMaterial( instanceIndex, tag ) );
			mesh.count = 64;
			mesh.frustumCulled = false;
			const picture = new Picture( renderer, 1 );
			picture.scene.add( mesh );

			for ( const n of [ 4, 3 ] ) {

				buckets.value = n;
				computed = [];
				const pixels = await picture.render();
				expectTags( `${ pass.name }, ${ n }`, pixels, ( pixel ) => expected( pixel, n ) ?? pixels[ 4 * pixel ] + 256 * pixels[ 4 * pixel + 1 ] );
				await tick();

			}

		}

		for ( const pass of [ split, scan, sum ] ) pass.dispose();

	} );

	it( 'may be computed by hand as well', async () => {

		const { pass, picture, divisor, expected } = await show( 'frame' );
		pass.compute( renderer );
		expect( await pass.readSurvivorCount( renderer ) ).toBe( Math.ceil( COUNT / 3 ) );
		divisor.value = 5;
		expectTags( 'drawn', await picture.render(), expected );
		pass.compute( renderer );
		renderer.compute( [ ...pass.nodes, ...pass.nodes ] );
		expect( await pass.readSurvivorCount( renderer ) ).toBe( COUNT / 5 );
		expectTags( 'drawn again', await picture.render(), expected );
		pass.dispose();

	} );

	it( 'does nothing before init(), and works from then on', async () => {

		const mesh = new Mesh( squareGeometry() );
		const draws = new IndirectDraws( mesh ).attach();
		const flags = storage( new StorageBufferAttribute( Uint32Array.from( { length: 64 }, ( _, i ) => i % 3 ), 1 ), 'uint', 64 ).toReadOnly();
		const pass = new CompactPass( 64, ( i ) => flags.element( i ).equal( uint( 2 ) ), { ...SMALL, draws, autoCompute: 'frame' } );
		mesh.material = countingMaterial( pass.element( instanceIndex ), pass.element( instanceIndex ) );
		const picture = new Picture( renderer );
		picture.scene.add( mesh );

		expectTags( 'before', await picture.render(), () => - 1 );
		await pass.init( renderer );
		await tick();
		expectTags( 'after', await picture.render(), ( pixel ) => pixel < 64 && pixel % 3 === 2 ? pixel : - 1 );
		pass.dispose();
		await tick();
		await picture.render(); // quiet

	} );

	it( 'without the option, nothing runs by itself', async () => {

		const mesh = new Mesh( squareGeometry() );
		const pass = await new CompactPass( 64, ( i ) => i.lessThan( uint( 9 ) ), { ...SMALL, draws: new IndirectDraws( mesh ).attach() } ).init( renderer );
		mesh.material = countingMaterial( pass.element( instanceIndex ), pass.element( instanceIndex ) );
		const picture = new Picture( renderer );
		picture.scene.add( mesh );
		expectTags( 'uncomputed', await picture.render(), () => - 1 );
		expect( computed ).toEqual( [] );
		pass.dispose();

	} );

} );
