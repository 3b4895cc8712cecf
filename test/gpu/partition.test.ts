import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { atomicAdd, bool, float, instanceIndex, instancedArray, int, storage, uint, workgroupBarrier } from 'three/tsl';
import { IndirectDraws, PartitionPass, type BucketOf, type PartitionOptions, type PassOptions } from 'three-scan';
import { referencePartition } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors, ONCE, readUint32 } from '../support/gpu';
import { GUARD_WORD, assertGuardWords, createGuardedOutput } from '../support/guard';
import { squareGeometry } from '../support/drawing';
import { refusedBy, wrong } from '../support/refusals';
import { expectWords } from '../support/words';

const refuses = refusedBy( /^PartitionPass/ );

/** What no subgroup's width makes a difference to runs on one of the test devices: compiling takes most of the time. */

/** Beside 7 and 257: at two of the widths. */
const BUCKETS = ONCE || deviceName === 'lavapipe-8' ? [ 1, 2, 256, 4096 ] : [];

/** A tile of 128 candidates. */
const SMALL = { workgroupSize: 64, itemsPerThread: 2 } as const;
const TILE = 128;
const CAPACITY = 9 * TILE + 33;

const KERNELS: { name: string; options: PassOptions }[] = [
	{ name: 'subgroup', options: { kernel: 'subgroup' } },
	{ name: 'subgroup ticket', options: { kernel: 'subgroup', caps: { subgroupId: false } } },
	{ name: 'shared-memory', options: { kernel: 'shared-memory' } },
];

const hash = ( i: number ): number => Math.imul( i + 1, 2654435761 ) >>> 7;

/** Buckets of candidates, of `buckets`. */
const PATTERNS: Record<string, ( i: number, buckets: number ) => number> = {
	'at random, some in none': ( i, buckets ) => hash( i ) % ( buckets + Math.ceil( buckets / 5 ) ),
	'in turn': ( i, buckets ) => i % buckets,
	'falling': ( i, buckets ) => buckets - 1 - Math.floor( i * buckets / CAPACITY ),
	'all in the first': () => 0,
	'all in the last': ( _, buckets ) => buckets - 1,
	'half of them empty': ( i, buckets ) => ( hash( i ) % buckets ) & ~ 1,
	'all in none': ( i, buckets ) => i % 2 === 0 ? buckets : 0xffffffff,
	'one only, across a tile edge': ( i, buckets ) => i >= TILE - 5 && i < TILE + 3 ? Math.floor( buckets / 2 ) : buckets + i,
};

describe( `PartitionPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( KERNELS )( 'kernel $name', ( { options } ) => {

		const buckets = createGuardedOutput( 'uint', CAPACITY );
		const evaluations = createGuardedOutput( 'uint', CAPACITY );
		const indices = createGuardedOutput( 'uint', CAPACITY );
		const gpuCount = createGuardedOutput( 'uint', 1 );
		const bucketNode = storage( buckets, 'uint', CAPACITY ).toReadOnly();
		const counters = storage( evaluations, 'uint', CAPACITY ).toAtomic();

		const bucketOf: BucketOf = ( i ) => {

			atomicAdd( counters.element( i ), uint( 1 ) );
			return bucketNode.element( instanceIndex );

		};

		/** One run, and everything that it wrote or must not have written. */
		async function check( pass: PartitionPass, name: string, count: number, draws?: IndirectDraws ): Promise<void> {

			const live = Math.min( count, CAPACITY ), label = `${ pass.bucketCount } buckets, ${ name }, count ${ count }`;
			const bucket = ( i: number ): number => PATTERNS[ name ]( i, pass.bucketCount );
			for ( let i = 0; i < CAPACITY; i ++ ) buckets.array[ i ] = i < live ? bucket( i ) : 0; // candidates past the count would count in bucket 0
			evaluations.array.fill( 0, 0, CAPACITY );
			indices.array.fill( GUARD_WORD );
			for ( const attribute of [ buckets, evaluations, indices ] ) attribute.needsUpdate = true;

			if ( typeof pass.count !== 'number' ) {

				gpuCount.array[ 0 ] = count;
				gpuCount.needsUpdate = true;

			} else {

				pass.count = count;

			}

			pass.compute( renderer );

			const expected = referencePartition( live, pass.bucketCount, bucket );
			const [ read, offsets, counts, words, times, input ] = await Promise.all( [
				pass.readIndices( renderer ), pass.readOffsets( renderer ), draws?.readCounts( renderer ),
				readUint32( renderer, indices ), readUint32( renderer, evaluations ), readUint32( renderer, buckets ),
			] );

			expectWords( `${ label }: offsets`, offsets, expected.offsets );
			expectWords( `${ label }: readIndices()`, read, expected.indices );
			expectWords( `${ label }: indices`, words.subarray( 0, expected.indices.length ), expected.indices );
			assertGuardWords( words, expected.indices.length );
			expectWords( `${ label }: evaluations`, times.subarray( 0, CAPACITY ), new Uint32Array( CAPACITY ).fill( 1, 0, live ) );
			expectWords( `${ label }: input`, input, buckets.array as Uint32Array );
			if ( draws !== undefined ) expect( counts, `${ label }: draws` ).toEqual( Array.from( { length: draws.length }, ( _, k ) => expected.offsets[ k + 1 ] - expected.offsets[ k ] ) );

		}

		it( 'splits into 7 buckets of every kind, at every tile edge', async () => {

			const draws = new IndirectDraws( Array.from( { length: 7 }, () => squareGeometry() ) );
			const pass = await new PartitionPass( CAPACITY, 7, bucketOf, { ...SMALL, ...options, indices, draws } ).init( renderer );
			for ( const name of Object.keys( PATTERNS ) ) for ( const count of [ CAPACITY, TILE + 1 ] ) await check( pass, name, count, draws );
			for ( const count of [ 0, 1, 2, 33, TILE - 1, TILE, TILE + 1, 2 * TILE, 7 * TILE + 3, CAPACITY - 1, 10, CAPACITY ] ) await check( pass, 'at random, some in none', count, draws );
			pass.dispose();

		} );

		it.runIf( options.caps === undefined )( 'splits into 257 buckets, in two steps, with counts from the GPU', async () => {

			const draws = new IndirectDraws( [ squareGeometry(), squareGeometry() ] );
			const pass = await new PartitionPass( CAPACITY, 257, bucketOf, { ...SMALL, ...options, indices, draws: [ draws.slot( 0 ), draws.slot( 1 ) ], count: gpuCount } ).init( renderer );
			for ( const name of Object.keys( PATTERNS ) ) await check( pass, name, CAPACITY, draws );
			for ( const count of [ 0, 1, TILE, TILE + 1, CAPACITY, CAPACITY + 1, 0xffffffff, 5 ] ) await check( pass, 'at random, some in none', count, draws );
			expectWords( 'count', await readUint32( renderer, gpuCount ), gpuCount.array as Uint32Array );
			pass.dispose();

		} );

		it.runIf( options.caps === undefined ).each( BUCKETS )( 'splits into %i buckets', async ( bucketCount ) => {

			const draws = new IndirectDraws( Array.from( { length: Math.min( 3, bucketCount ) }, () => squareGeometry() ) );
			const slots = Array.from( { length: draws.length }, ( _, k ) => draws.slot( k ) );
			const pass = await new PartitionPass( CAPACITY, bucketCount, bucketOf, { ...SMALL, ...options, indices, draws: slots } ).init( renderer );
			for ( const name of Object.keys( PATTERNS ) ) await check( pass, name, CAPACITY, draws );
			for ( const count of [ 0, 1, TILE, TILE + 1, CAPACITY ] ) await check( pass, 'at random, some in none', count, draws );
			pass.dispose();

		} );

	} );

	it.runIf( ONCE )( 'moves payloads along, in order', async () => {

		const count = 500;
		const rows = new StorageBufferAttribute( Float32Array.from( { length: count * 4 }, ( _, i ) => i / 8 ), 4 );
		const ages = new StorageBufferAttribute( Uint32Array.from( { length: count }, ( _, i ) => i * 3 ), 1 );
		const to = createGuardedOutput( 'float', count * 4, 4 );
		const pass = await new PartitionPass( count, 3, ( i ) => i.mod( 4 ), { ...SMALL, gather: [ { from: rows, to }, { from: ages } ] } ).init( renderer );
		pass.compute( renderer );
		const { indices } = referencePartition( count, 3, ( i ) => i % 4 );

		expect( pass.gathered[ 0 ] ).toBe( to );
		const moved = new Float32Array( await renderer.getArrayBufferAsync( to ) );
		const aged = await readUint32( renderer, pass.gathered[ 1 ] );
		expect( Array.from( moved.subarray( 0, indices.length * 4 ) ) ).toEqual( Array.from( indices ).flatMap( ( i ) => [ 0, 1, 2, 3 ].map( ( c ) => ( 4 * i + c ) / 8 ) ) );
		expectWords( 'ages', aged.subarray( 0, indices.length ), indices.map( ( i ) => 3 * i ) );
		assertGuardWords( new Uint32Array( moved.buffer ), indices.length * 4 );
		pass.dispose();

	} );

	it.runIf( ONCE )( 'goes to more dimensions past the device\'s limit, refuses what three do not hold', async () => {

		const caps = { maxComputeWorkgroupsPerDimension: 2 };
		const bucketOf: BucketOf = ( i ) => i.mod( 3 );

		const pass = await new PartitionPass( 8 * TILE, 3, bucketOf, { ...SMALL, caps } ).init( renderer );
		for ( const count of [ 8 * TILE, 5 * TILE, 5 * TILE + 1, 3 ] ) {

			pass.count = count;
			pass.compute( renderer );
			const expected = referencePartition( count, 3, ( i ) => i % 3 );
			expectWords( `count ${ count }`, await pass.readIndices( renderer ), expected.indices );
			expectWords( `count ${ count }: offsets`, await pass.readOffsets( renderer ), expected.offsets );

		}

		pass.dispose();
		await refuses( () => new PartitionPass( 9 * TILE, 3, bucketOf, { ...SMALL, caps } ).init( renderer ), 'limit-exceeded', 'maxComputeWorkgroupsPerDimension' );

	} );

	it.runIf( ONCE )( 'gives attributes, and nodes named after it', async () => {

		const indices = instancedArray( 64, 'uint' );
		const pass = await new PartitionPass( 64, 2, ( i ) => i.bitAnd( 1 ), { ...SMALL, indices, name: 'Sides' } ).init( renderer );
		const plain = await new PartitionPass( 64, 2, ( i ) => i.bitAnd( 1 ), SMALL ).init( renderer );
		pass.compute( renderer );
		expect( pass.indices ).toBe( indices.value );
		expect( Array.from( ( await readUint32( renderer, pass.offsets ) ).subarray( 0, 3 ) ) ).toEqual( [ 0, 32, 64 ] );
		expect( pass.nodes.length ).toBe( pass.policy.dispatches );
		for ( const node of pass.nodes ) expect( node.name ).toMatch( /^Sides/ );
		for ( const node of plain.nodes ) expect( node.name ).toMatch( /^PartitionPass/ );
		pass.dispose();
		plain.dispose();

	} );

	describe.runIf( ONCE )( 'refuses', () => {

		const uints = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( length ), 1 );
		const floats = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Float32Array( length ), 1 );
		const first: BucketOf = () => uint( 0 );
		const make = ( options: PartitionOptions ) => (): PartitionPass => new PartitionPass( 8, 3, first, options );

		it( 'capacities and bucket counts out of range', async () => {

			for ( const capacity of [ 0, - 1, 1.5, NaN, wrong<number>( '8' ) ] ) await refuses( () => new PartitionPass( capacity, 3, first ), 'invalid-argument', 'capacity', 'got' );
			for ( const buckets of [ 0, - 1, 4097, 1.5, NaN, wrong<number>( '8' ), wrong<number>( undefined ) ] ) await refuses( () => new PartitionPass( 8, buckets, first ), 'invalid-argument', 'bucketCount', /4,?096/, 'got' );

		} );

		it( 'closures that are none, or give no uint', async () => {

			await refuses( () => new PartitionPass( 8, 3, wrong( undefined ) ), 'invalid-argument', 'bucketOf', 'got undefined' );
			const start = ( bucketOf: unknown ) => () => new PartitionPass( 8, 3, wrong<BucketOf>( bucketOf ), SMALL ).init( renderer );
			await refuses( start( () => float( 1 ) ), 'invalid-argument', 'bucketOf', 'uint', /got.*float/ );
			await refuses( start( () => int( 1 ) ), 'invalid-argument', 'bucketOf', 'uint', /got.*int/ );
			await refuses( start( () => bool( true ) ), 'invalid-argument', 'bucketOf', 'uint', /got.*bool/ );
			await refuses( start( () => undefined ), 'invalid-argument', 'bucketOf', 'got undefined' );
			await refuses( start( () => {

				workgroupBarrier();
				return uint( 0 );

			} ), 'invalid-argument', 'workgroupBarrier' );

		} );

		it( 'indices that are too small or of another type', async () => {

			await refuses( make( { indices: uints( 7 ) } ), 'invalid-argument', 'indices', '8', 'got 7' );
			await refuses( make( { indices: floats( 8 ) } ), 'invalid-argument', 'indices', 'uint', /float/i );
			await refuses( make( { indices: wrong( 5 ) } ), 'invalid-argument', 'indices', 'got 5' );

		} );

		it( 'more draws than buckets, and draws of a wrong kind', async () => {

			await refuses( make( { draws: new IndirectDraws( Array.from( { length: 4 }, () => squareGeometry() ) ) } ), 'invalid-argument', 'draws', '3', 'got 4' );
			for ( const draws of [ 5, {}, 'all', [ squareGeometry() ] ] ) await refuses( make( { draws: wrong( draws ) } ), 'invalid-argument', 'draws', 'got' );

		} );

		it( 'counts above the capacity, gathers that are too small', async () => {

			await refuses( make( { count: 9 } ), 'invalid-argument', 'count', '8', 'got 9' );
			await refuses( make( { gather: [ { from: floats( 7 ) } ] } ), 'invalid-argument', 'gather', 'got 7' );
			await refuses( make( { gather: [ { from: floats( 8 ), to: floats( 7 ) } ] } ), 'invalid-argument', 'gather', 'got 7' );

		} );

		it( 'runs and reads out of order', async () => {

			const pass = make( SMALL )();
			const acts = [ () => pass.compute( renderer ), () => pass.readIndices( renderer ), () => pass.readOffsets( renderer ) ];
			for ( const act of acts ) await refuses( act, 'not-initialized', 'init' );
			await pass.init( renderer );
			pass.compute( renderer );
			pass.dispose();
			for ( const act of acts ) await refuses( act, 'disposed' );

		} );

	} );

	describe.runIf( ONCE )( 'in place of three\'s CountingSort', () => {

		it( 'sorts particles by cell, stably, and finds each cell\'s range', async () => {

			// a grid of 8 × 8 cells, particles in clumps
			const count = 3000, cells = 64;
			const cellOf = ( i: number ): number => ( hash( i ) % 64 ) * ( hash( i * 7 ) % 64 ) >> 6;
			const cell = instancedArray( Uint32Array.from( { length: count }, ( _, i ) => cellOf( i ) ), 'uint' );
			const position = instancedArray( Float32Array.from( { length: 2 * count }, ( _, i ) => Math.sin( i ) ), 'vec2' );

			const sort = await new PartitionPass( count, cells, ( i ) => cell.element( i ), { ...SMALL, gather: [ { from: position } ] } ).init( renderer );
			sort.compute( renderer );

			const order = await sort.readIndices( renderer ), offsets = await sort.readOffsets( renderer );
			const sorted = new Float32Array( await renderer.getArrayBufferAsync( sort.gathered[ 0 ] ) );
			const byHand = Array.from( { length: count }, ( _, i ) => i ).sort( ( a, b ) => cellOf( a ) - cellOf( b ) ); // stable
			expect( Array.from( order ) ).toEqual( byHand );
			for ( let c = 0; c < cells; c ++ ) for ( let k = offsets[ c ]; k < offsets[ c + 1 ]; k ++ ) if ( cellOf( order[ k ] ) !== c ) throw new Error( `Particle ${ order[ k ] } is not of cell ${ c }.` );
			expect( offsets[ cells ] ).toBe( count );
			expect( Array.from( sorted.subarray( 0, 2 * count ) ) ).toEqual( byHand.flatMap( ( i ) => [ Math.fround( Math.sin( 2 * i ) ), Math.fround( Math.sin( 2 * i + 1 ) ) ] ) );
			sort.dispose();

		} );

	} );

} );
