import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { storage, uint, uniform } from 'three/tsl';
import { CompactPass, IndirectDispatch, IndirectDraws, PartitionPass } from 'three-scan';
import { referenceCompact, referencePartition } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors, readUint32, tick } from '../support/gpu';
import { squareGeometry } from '../support/drawing';
import { countCreations, type Creations } from '../support/creations';

const SMALL = { workgroupSize: 64 } as const;
const TINY = { workgroupSize: 64, itemsPerThread: 2 } as const;
const COUNT = 1000;

/** 200 with the long tests: each of these rounds makes and compiles three passes. */
const ROUNDS = process.env.THREE_SCAN_LONG === '1' ? 200 : 24;

// Nothing here depends on the width of subgroups: one of the test devices is enough.
describe.runIf( deviceName === 'swiftshader' || deviceName === 'default' )( `the life of compactions and partitions on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	let creations: Creations;

	beforeEach( async () => {

		const gpu = await createRenderer();
		renderer = gpu.renderer;
		creations = countCreations( gpu.device );

	} );

	afterAll( expectNoGpuErrors );

	const flags = () => storage( new StorageBufferAttribute( Uint32Array.from( { length: COUNT }, ( _, i ) => i % 3 ), 1 ), 'uint', COUNT ).toReadOnly();

	// Case 34
	it( `${ ROUNDS } × create, run, dispose: the buffers on the GPU are those of the start`, async () => {

		const flag = flags(), weights = new StorageBufferAttribute( new Float32Array( COUNT ), 1 ), geometry = squareGeometry();
		const howMany = new StorageBufferAttribute( new Uint32Array( [ 500 ] ), 1 );

		const round = async ( k: number ): Promise<void> => {

			const draws = new IndirectDraws( [ geometry, geometry, geometry ] ).attach( 0 );
			const options = { draws, gather: [ { from: weights } ], ...( k % 2 === 1 && { count: howMany } ) };
			const compact = await new CompactPass( COUNT, ( i ) => flag.element( i ).equal( uint( 1 ) ), { ...SMALL, ...options } ).init( renderer );
			const partition = await new PartitionPass( COUNT, 3, ( i ) => flag.element( i ), { ...TINY, ...options } ).init( renderer );
			const dispatch = await new IndirectDispatch( compact.survivorCount, 64 ).init( renderer );
			renderer.compute( [ ...compact.nodes, ...partition.nodes, ...dispatch.nodes ] );

			if ( k % 20 < 2 ) {

				const live = k % 2 === 1 ? 500 : COUNT;
				expect( await compact.readIndices( renderer ) ).toEqual( referenceCompact( live, ( i ) => i % 3 === 1 ) );
				expect( await partition.readIndices( renderer ) ).toEqual( referencePartition( live, 3, ( i ) => i % 3 ).indices );
				await partition.readOffsets( renderer );
				await draws.readCounts( renderer );

			}

			for ( const owner of [ compact, partition, dispatch, draws ] ) owner.dispose();

		};

		// the user's own buffers, and what three keeps of them, come with the first rounds
		await round( 0 );
		await round( 1 );
		const start = creations.live();
		for ( let k = 2; k < ROUNDS; k ++ ) await round( k );
		expect( creations.live() ).toBe( start );

	}, 600_000 );

	it( 'dispose() right after compute() in one tick: what was asked for arrives', async () => {

		const flag = flags(), indices = new StorageBufferAttribute( new Uint32Array( COUNT ), 1 ), order = new StorageBufferAttribute( new Uint32Array( COUNT ), 1 );
		const compact = await new CompactPass( COUNT, ( i ) => flag.element( i ).equal( uint( 1 ) ), { ...SMALL, indices } ).init( renderer );
		const partition = await new PartitionPass( COUNT, 3, ( i ) => flag.element( i ), { ...TINY, indices: order } ).init( renderer );
		compact.compute( renderer );
		compact.dispose();
		partition.compute( renderer );
		partition.dispose();

		const survivors = referenceCompact( COUNT, ( i ) => i % 3 === 1 );
		expect( ( await readUint32( renderer, indices ) ).subarray( 0, survivors.length ) ).toEqual( survivors );
		expect( await readUint32( renderer, order ) ).toEqual( referencePartition( COUNT, 3, ( i ) => i % 3 ).indices );

	} );

	it( 'dispose() rejects the reads that it finds pending, of draws too', async () => {

		const flag = flags(), draws = new IndirectDraws( squareGeometry() );
		const compact = await new CompactPass( COUNT, ( i ) => flag.element( i ).equal( uint( 1 ) ), { ...SMALL, draws } ).init( renderer );
		const partition = await new PartitionPass( COUNT, 3, ( i ) => flag.element( i ), TINY ).init( renderer );
		compact.compute( renderer );
		partition.compute( renderer );
		const reads = Promise.allSettled( [ compact.readIndices( renderer ), compact.readSurvivorCount( renderer ), compact.readOverflow( renderer ), partition.readIndices( renderer ), partition.readOffsets( renderer ), draws.readCounts( renderer ) ] );
		for ( const owner of [ compact, partition, draws ] ) owner.dispose();
		for ( const result of await reads ) expect( result ).toMatchObject( { status: 'rejected', reason: { name: 'ScanError', code: 'disposed' } } );

	} );

	it( 'A, B and C made, B disposed, D made: A, C and D are right', async () => {

		const flag = flags();
		const make = ( rest: number ): Promise<CompactPass> => new CompactPass( COUNT, ( i ) => flag.element( i ).equal( uint( rest ) ), SMALL ).init( renderer );
		const [ a, b, c ] = [ await make( 0 ), await make( 1 ), await make( 2 ) ];
		for ( const pass of [ a, b, c ] ) pass.compute( renderer );
		b.dispose();
		const d = await make( 1 );
		renderer.compute( [ ...a.nodes, ...c.nodes, ...d.nodes ] );
		for ( const [ pass, rest ] of [ [ a, 0 ], [ c, 2 ], [ d, 1 ] ] as const ) expect( await pass.readIndices( renderer ) ).toEqual( referenceCompact( COUNT, ( i ) => i % 3 === rest ) );
		for ( const pass of [ a, c, d ] ) pass.dispose();

	} );

	// Case 35
	it( 'reads every frame, unawaited, 200 times: counts of their frame, staging bounded, no mapping error', async () => {

		const limit = uniform( 0, 'uint' );
		const draws = new IndirectDraws( [ squareGeometry(), squareGeometry() ] );
		const compact = await new CompactPass( COUNT, ( i ) => i.lessThan( limit ), { ...SMALL, draws: draws.slot( 1 ), indices: new StorageBufferAttribute( new Uint32Array( 600 ), 1 ) } ).init( renderer );
		const partition = await new PartitionPass( COUNT, 2, ( i ) => i.lessThan( limit ).select( uint( 1 ), uint( 0 ) ), TINY ).init( renderer );
		const frame = [ ...compact.nodes, ...partition.nodes ];
		renderer.compute( frame );

		/** Reads that have not arrived, and the most there ever were. */
		let pending = 0, most = 0;

		const track = <T>( read: Promise<T> ): Promise<T> => {

			most = Math.max( most, ++ pending );
			return read.finally( () => { pending --; } );

		};

		const frames = async ( pause: ( k: number ) => Promise<unknown> | void ): Promise<void> => {

			const reads = [];

			for ( let k = 0; k < 200; k ++ ) {

				limit.value = 4 * k + 3;
				renderer.compute( frame );
				reads.push( Promise.all( [
					track( compact.readSurvivorCount( renderer ) ), track( compact.readOverflow( renderer ) ), track( draws.readCounts( renderer ) ),
					track( compact.readIndices( renderer ) ), track( partition.readOffsets( renderer ) ), track( partition.readIndices( renderer ) ),
				] ) );
				await pause( k );

			}

			for ( const [ k, [ kept, overflow, counts, list, offsets, order ] ] of ( await Promise.all( reads ) ).entries() ) {

				const all = 4 * k + 3, n = Math.min( all, 600 );
				expect( [ kept, overflow, ...counts ], `frame ${ k }` ).toEqual( [ n, all - n, 0, n ] );
				expect( [ offsets[ 0 ], offsets[ 2 ], order.length ] ).toEqual( [ 0, COUNT, COUNT ] );

				// arrays may be of a later frame, but of one frame
				expect( list.length >= n && ( list.length === 600 || list.length % 4 === 3 ), `frame ${ k }: ${ list.length } indices` ).toBe( true );
				expect( list.every( ( index, i ) => index === i ), `frame ${ k }` ).toBe( true );
				expect( offsets[ 1 ] <= COUNT - all && offsets[ 1 ] % 4 === 1, `frame ${ k }: offset ${ offsets[ 1 ] }` ).toBe( true );

			}

		};

		const start = creations.made.buffers;
		await frames( () => undefined );
		const burst = creations.made.buffers;
		expect( burst - start ).toBeLessThanOrEqual( most );
		await frames( () => undefined );
		expect( creations.made.buffers, 'after a second burst' ).toBe( burst );

		// as in an animation: reads arrive between frames, but nobody waits for them
		await frames( ( k ) => k % 3 === 0 ? tick( 1 ) : undefined );
		expect( creations.made.buffers, 'after 200 frames of an animation' ).toBe( burst );
		for ( const owner of [ compact, partition, draws ] ) owner.dispose();

	}, 240_000 );

	it( 'makes nothing on the GPU for a later frame', async () => {

		const flag = flags(), draws = new IndirectDraws( [ squareGeometry(), squareGeometry() ] );
		const compact = await new CompactPass( COUNT, ( i ) => flag.element( i ).equal( uint( 1 ) ), { ...SMALL, draws: draws.slot( 0 ) } ).init( renderer );
		const partition = await new PartitionPass( COUNT, 1, ( i ) => flag.element( i ), { ...TINY, draws: [ draws.slot( 1 ) ] } ).init( renderer );
		const frame = [ ...compact.nodes, ...partition.nodes ];
		renderer.compute( frame );
		const before = creations.made.buffers;

		for ( let k = 0; k < 50; k ++ ) {

			compact.count = partition.count = 20 * k;
			renderer.compute( frame );

		}

		expect( creations.made.buffers ).toBe( before );
		expect( await draws.readCounts( renderer ) ).toEqual( [ referenceCompact( 980, ( i ) => i % 3 === 1 ).length, referenceCompact( 980, ( i ) => i % 3 === 0 ).length ] );
		for ( const owner of [ compact, partition, draws ] ) owner.dispose();

	} );

} );
