import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Mesh, StorageBufferAttribute, type ComputeNode, type IndirectStorageBufferAttribute, type Node, type WebGPURenderer } from 'three/webgpu';
import { Fn, If, instanceIndex, invocationLocalIndex, storage, uint } from 'three/tsl';
import { CompactPass, IndirectDispatch, IndirectDraws, PartitionPass, ScanPass } from 'three-scan';
import { linearWorkgroupId } from 'three-scan/tsl';
import { referenceCompact, referencePartition, referenceScan } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors, readUint32, tick } from '../support/gpu';
import { GUARD_WORD, assertGuardWords, createGuardedOutput } from '../support/guard';
import { CAN_DRAW, Picture, countingMaterial, expectTags, squareGeometry } from '../support/drawing';
import { refusedBy, wrong } from '../support/refusals';

const refuses = refusedBy( /^IndirectDispatch/ );

const SMALL = { workgroupSize: 64 } as const;

/** Makes a kernel start from arguments on the GPU, or from fixed ones. */
function dispatchBy( kernel: ComputeNode, size: IndirectStorageBufferAttribute | number[] ): ComputeNode {

	return Object.assign( kernel, { dispatchSize: size } );

}

describe( `passes in a chain on ${ deviceName }`, () => {

	let renderer: WebGPURenderer, device: GPUDevice;
	beforeAll( async () => { ( { renderer, device } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	// Case 27; shared memory, which knows no subgroups, on one device
	describe.each( deviceName === 'swiftshader' || deviceName === 'default' ? [ 'subgroup', 'shared-memory' ] as const : [ 'subgroup' ] as const )( 'kernel %s', ( kernel ) => {

		it( 'compact, scan over the compacted, dispatch and draw: one array, no readback', async () => {

			const count = 2500;
			const ages = new StorageBufferAttribute( new Uint32Array( count ), 1 );
			const ageNode = storage( ages, 'uint', count ).toReadOnly();
			const weights = new StorageBufferAttribute( Uint32Array.from( { length: count }, ( _, i ) => i % 5 ), 1 );

			// candidates with an age survive, with their weights
			const mesh = new Mesh( squareGeometry() );
			const draws = new IndirectDraws( mesh ).attach();
			const compact = await new CompactPass( count, ( i ) => ageNode.element( i ).greaterThan( uint( 0 ) ), { ...SMALL, kernel, draws, gather: [ { from: weights } ] } ).init( renderer );

			// where each begins, if each took its weight in places
			const begins = createGuardedOutput( 'uint', count );
			const scan = await new ScanPass( compact.gathered[ 0 ], { ...SMALL, itemsPerThread: 4, kernel, capacity: count, output: begins, count: compact.survivorCount as StorageBufferAttribute } ).init( renderer );

			// a kernel of the user's, a thread a survivor
			const dispatch = await new IndirectDispatch( compact.survivorCount, 64 ).init( renderer );
			const marks = createGuardedOutput( 'uint', count );
			const markNode = storage( marks, 'uint', count );
			const user = dispatchBy( Fn( () => {

				const i = linearWorkgroupId().mul( 64 ).add( invocationLocalIndex ).toVar();
				If( i.lessThan( compact.survivorCountNode ), () => {

					markNode.element( i ).assign( ( scan.outputNode.element( i ) as unknown as Node<'uint'> ).mul( 10000 ).add( compact.element( i ) ) );

				} );

			} )().computeKernel( [ 64 ] ), dispatch.attribute );

			const frame = [ ...compact.nodes, ...scan.nodes, ...dispatch.nodes, user ];
			mesh.material = countingMaterial( compact.element( instanceIndex ), compact.element( instanceIndex ).mod( 1000 ) );
			const mapped = vi.spyOn( device, 'createCommandEncoder' );

			for ( const keeps of [ ( i: number ) => i % 3 === 1, () => false, () => true, ( i: number ) => i === 2499, ( i: number ) => i % 64 === 0 ] ) {

				for ( let i = 0; i < count; i ++ ) ages.array[ i ] = keeps( i ) ? i + 1 : 0;
				marks.array.fill( GUARD_WORD );
				begins.array.fill( GUARD_WORD );
				for ( const attribute of [ ages, marks, begins ] ) attribute.needsUpdate = true;

				mapped.mockClear();
				renderer.compute( frame );
				expect( mapped ).toHaveBeenCalledTimes( 1 ); // one submit

				const survivors = referenceCompact( count, keeps ), n = survivors.length;
				const { output, total } = referenceScan( survivors.map( ( i ) => i % 5 ), { type: 'uint' } );
				const words = await readUint32( renderer, marks );
				expect( words.subarray( 0, n ) ).toEqual( survivors.map( ( i, k ) => output[ k ] * 10000 + i ) );
				assertGuardWords( words, n );
				assertGuardWords( await readUint32( renderer, begins ), n );
				expect( await scan.readTotal( renderer ) ).toBe( total );
				expect( Array.from( ( await readUint32( renderer, dispatch.attribute ) ).subarray( 0, 3 ) ).reduce( ( a, b ) => a * b ) ).toBeGreaterThanOrEqual( Math.ceil( n / 64 ) );

				if ( CAN_DRAW ) {

					const picture = new Picture( renderer );
					picture.scene.add( mesh );
					expectTags( `${ n } survivors`, await picture.render(), ( pixel ) => pixel < count && keeps( pixel ) ? pixel % 1000 : - 1 );
					picture.dispose();
					await tick();

				}

			}

			mapped.mockRestore();
			for ( const pass of [ compact, scan, dispatch ] ) pass.dispose();

		} );

	} );

	it( 'partition → compact by offsets and element(), fed by counts on the GPU', async () => {

		// alive and dead are two buckets; of the alive, the even ones
		const count = 1000;
		const lives = storage( new StorageBufferAttribute( Uint32Array.from( { length: count }, ( _, i ) => i % 7 === 0 ? 1 : 0 ), 1 ), 'uint', count ).toReadOnly();
		const split = await new PartitionPass( count, 2, ( i ) => lives.element( i ), { ...SMALL, itemsPerThread: 2 } ).init( renderer );
		const even = await new CompactPass( count, ( i ) => split.element( 1, i ).bitAnd( 1 ).equal( uint( 0 ) ).and( i.lessThan( split.offsetsNode.element( 2 ).sub( split.offsetsNode.element( 1 ) ) ) ), SMALL ).init( renderer );
		renderer.compute( [ ...split.nodes, ...even.nodes ] );

		const { indices, offsets } = referencePartition( count, 2, ( i ) => i % 7 === 0 ? 1 : 0 );
		const alive = indices.subarray( offsets[ 1 ] );
		expect( await even.readIndices( renderer ) ).toEqual( referenceCompact( alive.length, ( i ) => alive[ i ] % 2 === 0 ) );
		split.dispose();
		even.dispose();

	} );

	it( 'a pass twice in one array sees no state of its first run', async () => {

		const flag = storage( new StorageBufferAttribute( Uint32Array.from( { length: 1000 }, ( _, i ) => i % 2 ), 1 ), 'uint', 1000 ).toReadOnly();
		const draws = new IndirectDraws( squareGeometry() );
		const pass = await new CompactPass( 1000, ( i ) => flag.element( i ).equal( uint( 1 ) ), { ...SMALL, draws } ).init( renderer );
		const split = await new PartitionPass( 1000, 2, ( i ) => flag.element( i ), { ...SMALL, itemsPerThread: 2 } ).init( renderer );
		renderer.compute( [ ...pass.nodes, ...split.nodes, ...pass.nodes, ...split.nodes, ...pass.nodes ] );
		expect( await pass.readIndices( renderer ) ).toEqual( referenceCompact( 1000, ( i ) => i % 2 === 1 ) );
		expect( await draws.readCounts( renderer ) ).toEqual( [ 500 ] );
		expect( await split.readOffsets( renderer ) ).toEqual( new Uint32Array( [ 0, 500, 1000 ] ) );
		pass.dispose();
		split.dispose();

	} );

	describe( 'IndirectDispatch', () => {

		/** Runs a kernel that counts for each element below `count` how many threads took it. */
		async function reach( workgroupSize: number, limit: number, counts: number[] ): Promise<number[][]> {

			const count = new StorageBufferAttribute( new Uint32Array( 1 ), 1 );
			const dispatch = await new IndirectDispatch( count, workgroupSize, { caps: { maxComputeWorkgroupsPerDimension: limit } } ).init( renderer );
			const most = Math.max( ...counts );
			const marks = createGuardedOutput( 'uint', most );
			const markNode = storage( marks, 'uint', most ), countNode = storage( count, 'uint', 1 ).toReadOnly();

			const kernel = dispatchBy( Fn( () => {

				const i = linearWorkgroupId().mul( workgroupSize ).add( invocationLocalIndex ).toVar();
				If( i.lessThan( countNode.element( uint( 0 ) ) ), () => { markNode.element( i ).addAssign( uint( 1 ) ); } );

			} )().computeKernel( [ workgroupSize ] ), dispatch.attribute );

			const sizes: number[][] = [];

			for ( const n of counts ) {

				count.array[ 0 ] = n;
				marks.array.fill( 0, 0, most );
				count.needsUpdate = marks.needsUpdate = true;
				renderer.compute( [ ...dispatch.nodes, kernel ] );
				const words = await readUint32( renderer, marks );
				expect( words.subarray( 0, n ).every( ( times ) => times === 1 ), `count ${ n }` ).toBe( true );
				expect( words.subarray( n, most ).every( ( times ) => times === 0 ), `count ${ n }` ).toBe( true );
				assertGuardWords( words, most );
				sizes.push( Array.from( ( await readUint32( renderer, dispatch.attribute ) ).subarray( 0, 3 ) ) );

			}

			dispatch.dispose();
			return sizes;

		}

		it( 'takes a thread an element', async () => {

			const sizes = await reach( 64, 65535, [ 0, 1, 63, 64, 65, 1000, 7 ] );
			expect( sizes.map( ( size ) => size.reduce( ( a, b ) => a * b ) ) ).toEqual( [ 0, 1, 1, 1, 2, 16, 1 ] );

		} );

		it( 'splits past the device\'s limit', async () => {

			const sizes = await reach( 4, 3, [ 12, 13, 36, 37, 100, 108, 0, 1 ] );
			for ( const [ k, n ] of [ 12, 13, 36, 37, 100, 108, 0, 1 ].entries() ) {

				const groups = Math.ceil( n / 4 );
				for ( const length of sizes[ k ] ) expect( length ).toBeLessThanOrEqual( 3 );
				expect( sizes[ k ].reduce( ( a, b ) => a * b ), `count ${ n }` ).toBeGreaterThanOrEqual( groups );

			}

		} );

		it( 'refuses bad arguments', async () => {

			const count = new StorageBufferAttribute( new Uint32Array( 1 ), 1 );
			for ( const workgroupSize of [ 0, - 1, 1.5, NaN, wrong<number>( '64' ), wrong<number>( undefined ) ] ) await refuses( () => new IndirectDispatch( count, workgroupSize ), 'invalid-argument', 'workgroupSize', 'got' );
			for ( const bad of [ 5, undefined, null, {}, new Uint32Array( 1 ), new StorageBufferAttribute( new Float32Array( 1 ), 1 ) ] ) await refuses( () => new IndirectDispatch( wrong( bad ), 64 ), 'invalid-argument', 'count' );
			const pass = new IndirectDispatch( count, 64 );
			await refuses( () => pass.compute( renderer ), 'not-initialized' );

		} );

	} );

} );
