import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataTexture, FloatType, NearestFilter, RedFormat, StorageBufferAttribute, StorageInstancedBufferAttribute, type Node, type WebGPURenderer } from 'three/webgpu';
import { If, Return, atomicAdd, bool, expression, float, instanceIndex, instancedArray, ivec2, storage, texture, uint, uniform, uvec2, workgroupBarrier } from 'three/tsl';
import { CompactPass, IndirectDraws, type CompactOptions, type PassOptions, type Predicate, type StorageBuffer } from 'three-scan';
import { referenceCompact } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors, ONCE, readUint32, takeGpuErrors, tick } from '../support/gpu';
import { GUARD_WORD, assertGuardWords, createGuardedAttribute, createGuardedOutput } from '../support/guard';
import { Random } from '../support/scanMatrix';
import { squareGeometry } from '../support/drawing';
import { refusedBy, wrong } from '../support/refusals';
import { expectWords } from '../support/words';

const refuses = refusedBy( /^CompactPass/ );

const SMALL = { workgroupSize: 64 } as const;

/** What no subgroup's width makes a difference to runs on one of the test devices: compiling takes most of the time. */

/** Candidates of a tile: 32 a thread. */
const TILE = 64 * 32;
const CAPACITY = 2 * TILE + 905;

const KERNELS: { name: string; options: PassOptions }[] = [
	{ name: 'subgroup', options: { kernel: 'subgroup' } },
	{ name: 'subgroup ticket', options: { kernel: 'subgroup', caps: { subgroupId: false } } },
	{ name: 'shared-memory', options: { kernel: 'shared-memory' } },
];

/** Flags of candidates by index; the count tells which is the last. */
const PATTERNS: Record<string, ( i: number, count: number ) => number> = {
	'all': () => 1,
	'none': () => 0,
	'the first': ( i ) => i === 0 ? 1 : 0,
	'the last': ( i, count ) => i === count - 1 ? 1 : 0,
	'alternating': ( i ) => i & 1,
	'a run across a tile edge': ( i ) => i >= TILE - 7 && i < TILE + 5 ? 1 : 0,
	'flags of 0x80000000': ( i ) => i % 3 === 0 ? 0x80000000 : 0,
	'one at each end of every 32': ( i ) => i % 32 === 0 || i % 32 === 31 ? 2 : 0,
	'some, at random': ( i ) => Math.imul( i + 1, 2654435761 ) >>> 13 & 1,
	'few, at random': ( i ) => ( Math.imul( i + 1, 2654435761 ) >>> 8 ) % 97 === 0 ? 1 : 0,
	'all but the first of each tile': ( i ) => i % TILE === 0 ? 0 : 1,
};

describe( `CompactPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( KERNELS )( 'kernel $name', ( { options } ) => {

		const flags = createGuardedOutput( 'uint', CAPACITY );
		const evaluations = createGuardedOutput( 'uint', CAPACITY );
		const indices = createGuardedOutput( 'uint', CAPACITY );
		const few = new StorageBufferAttribute( new Uint32Array( 100 ), 1 );
		const gpuCount = createGuardedOutput( 'uint', 1 );
		const draws = new IndirectDraws( [ squareGeometry(), squareGeometry() ] );

		let byNumber: CompactPass, intoFew: CompactPass;

		beforeAll( async () => {

			const flagNode = storage( flags, 'uint', CAPACITY ).toReadOnly();
			const counters = storage( evaluations, 'uint', CAPACITY ).toAtomic();
			const predicate: Predicate = ( i ) => {

				atomicAdd( counters.element( i ), uint( 1 ) );
				return flagNode.element( instanceIndex ).notEqual( uint( 0 ) );

			};

			byNumber = await new CompactPass( CAPACITY, predicate, { ...SMALL, ...options, indices, draws } ).init( renderer );
			intoFew = await new CompactPass( CAPACITY, predicate, { ...SMALL, ...options, indices: few, draws, count: gpuCount } ).init( renderer );

		} );

		afterAll( () => {

			byNumber.dispose();
			intoFew.dispose();

		} );

		/** One run, and everything that it wrote or must not have written. */
		async function check( pass: CompactPass, name: string, count: number ): Promise<void> {

			const live = Math.min( count, CAPACITY ), outputCapacity = pass === intoFew ? 100 : CAPACITY, label = `${ name }, count ${ count }`;
			const flag = PATTERNS[ name ];
			for ( let i = 0; i < CAPACITY; i ++ ) flags.array[ i ] = i < live ? flag( i, live ) : GUARD_WORD;
			evaluations.array.fill( 0, 0, CAPACITY );
			pass.indices.array.fill( GUARD_WORD );
			for ( const attribute of [ flags, evaluations, pass.indices ] ) attribute.needsUpdate = true;

			if ( pass === intoFew ) {

				gpuCount.array[ 0 ] = count;
				gpuCount.needsUpdate = true;

			} else {

				pass.count = count;

			}

			pass.compute( renderer );

			const survivors = referenceCompact( live, ( i ) => flag( i, live ) !== 0 );
			const expected = survivors.subarray( 0, outputCapacity );
			const [ read, kept, overflow, counts, words, times ] = await Promise.all( [
				pass.readIndices( renderer ), pass.readSurvivorCount( renderer ), pass.readOverflow( renderer ), draws.readCounts( renderer ),
				readUint32( renderer, pass.indices ), readUint32( renderer, evaluations ),
			] );

			expect( kept, `${ label }: survivorCount` ).toBe( expected.length );
			expect( overflow, `${ label }: overflow` ).toBe( survivors.length - expected.length );
			expect( counts, `${ label }: draws` ).toEqual( [ expected.length, expected.length ] );
			expectWords( `${ label }: readIndices()`, read, expected );
			expectWords( `${ label }: indices`, words.subarray( 0, expected.length ), expected );
			assertGuardWords( words, expected.length );
			expectWords( `${ label }: evaluations`, times.subarray( 0, CAPACITY ), new Uint32Array( CAPACITY ).fill( 1, 0, live ) );

		}

		it.each( Object.keys( PATTERNS ) )( 'keeps %s', async ( name ) => {

			for ( const count of [ CAPACITY, TILE, TILE + 1 ] ) await check( byNumber, name, count );
			await check( intoFew, name, CAPACITY );

		} );

		it( 'takes any number for a count, and goes back', async () => {

			for ( const count of [ 0, 1, 2, 31, 32, 33, 64, 1001, TILE - 1, TILE, TILE + 1, 2 * TILE - 1, 2 * TILE + 31, CAPACITY - 1, CAPACITY, 10, 0, CAPACITY ] ) await check( byNumber, 'some, at random', count );

		} );

		it( 'takes counts from the GPU, those above the capacity clamped, and drops from the end what the output has no room for', async () => {

			for ( const count of [ 1000, 0, 1, 33, 99, 100, 101, TILE, TILE + 1, CAPACITY, CAPACITY + 1, 0xffffffff, 7 ] ) await check( intoFew, 'all', count );
			for ( const count of [ 1000, 150, CAPACITY ] ) await check( intoFew, 'some, at random', count );
			await expectInputUnwritten( gpuCount );

		} );

		it( 'gives the same list 60 frames in a row', async () => {

			await check( byNumber, 'some, at random', CAPACITY );
			const expected = referenceCompact( CAPACITY, ( i ) => PATTERNS[ 'some, at random' ]( i, CAPACITY ) !== 0 );

			for ( let frame = 0; frame < 60; frame ++ ) {

				byNumber.compute( renderer );
				expectWords( `frame ${ frame }`, await byNumber.readIndices( renderer ), expected );

			}

		} );

		it( 'writes no input', async () => {

			await check( byNumber, 'alternating', CAPACITY );
			await expectInputUnwritten( flags );

		} );

		async function expectInputUnwritten( attribute: StorageBufferAttribute ): Promise<void> {

			expectWords( 'input', await readUint32( renderer, attribute ), attribute.array as Uint32Array );

		}

	} );

	describe.each( ONCE ? KERNELS : KERNELS.slice( 0, 1 ) )( 'closures, kernel $name', ( { options } ) => {

		it( 'read a texture, a uniform, a buffer and control flow, once a candidate', async () => {

			const count = 1000;
			const heights = new DataTexture( Float32Array.from( { length: 64 * 16 }, ( _, i ) => i % 50 ), 64, 16, RedFormat, FloatType );
			heights.minFilter = heights.magFilter = NearestFilter;
			heights.needsUpdate = true;
			const heightsNode = texture( heights );
			const sea = uniform( 20 );
			const ages = storage( createGuardedAttribute( Uint32Array.from( { length: count }, ( _, i ) => i % 7 ) ), 'uint', count ).toReadOnly();
			const times = createGuardedOutput( 'uint', 1 );
			times.array[ 0 ] = 0;
			const timesNode = storage( times, 'uint', 1 ).toAtomic();

			const pass = await new CompactPass( count, ( i ) => {

				atomicAdd( timesNode.element( uint( 0 ) ), uint( 1 ) );
				const keep = bool( false ).toVar();
				If( ages.element( i ).greaterThan( uint( 2 ) ), () => {

					keep.assign( heightsNode.load( ivec2( i.mod( 64 ).toInt(), i.div( 64 ).toInt() ) ).r.greaterThan( sea ) );

				} );
				return keep;

			}, { ...SMALL, ...options } ).init( renderer );

			for ( const level of [ 20, 48, - 1, 30 ] ) {

				sea.value = level;
				pass.compute( renderer );
				expectWords( `sea at ${ level }`, await pass.readIndices( renderer ), referenceCompact( count, ( i ) => i % 7 > 2 && i % 50 > level ) );

			}

			expect( ( await readUint32( renderer, times ) )[ 0 ] ).toBe( 4 * count );
			pass.dispose();

		} );

	} );

	describe.runIf( ONCE )( 'gather', () => {

		const count = 500, room = 300;
		const keeps = ( i: number ): boolean => i % 5 !== 2 && i % 3 !== 0; // 267
		const kept = referenceCompact( count, keeps );
		const predicate: Predicate = ( i ) => i.mod( 5 ).notEqual( uint( 2 ) ).and( i.mod( 3 ).notEqual( uint( 0 ) ) );

		interface Payload { name: string; from: StorageBuffer; attribute: StorageBufferAttribute | StorageInstancedBufferAttribute; words: number; stride: number }

		/** Random bits: NaNs and denormals must arrive as they are. */
		const bits = ( length: number, seed: number ): Float32Array => {

			const random = new Random( seed );
			return new Float32Array( Uint32Array.from( { length }, () => random.word() ).buffer );

		};

		const attributeOf = ( name: string, itemSize: number, seed: number ): Payload => {

			const attribute = new StorageInstancedBufferAttribute( bits( count * itemSize, seed ), itemSize );
			return { name, from: attribute, attribute, words: itemSize, stride: itemSize === 3 ? 4 : itemSize };

		};

		const nodeOf = ( type: 'vec3' | 'mat4' | 'vec2', itemSize: number, words: number, seed: number ): Payload => {

			const attribute = new StorageBufferAttribute( bits( count * itemSize, seed ), itemSize );
			return { name: `${ type } node`, from: storage( attribute, type, count ), attribute, words, stride: itemSize };

		};

		const uints: Payload = ( () => {

			const attribute = new StorageBufferAttribute( Uint32Array.from( { length: count }, ( _, i ) => i * 8191 ), 1 );
			return { name: 'uint', from: attribute, attribute, words: 1, stride: 1 };

		} )();

		const ints: Payload = ( () => {

			const attribute = new StorageBufferAttribute( Int32Array.from( { length: count * 4 }, ( _, i ) => - i ), 4 );
			return { name: 'ivec4', from: attribute, attribute, words: 4, stride: 4 };

		} )();

		const payloads: Payload[] = [
			attributeOf( 'float', 1, 1 ), uints, attributeOf( 'vec2', 2, 2 ), attributeOf( 'vec3', 3, 3 ), nodeOf( 'vec3', 4, 3, 4 ), attributeOf( 'vec4', 4, 5 ), nodeOf( 'mat4', 16, 16, 6 ), ints, nodeOf( 'vec2', 2, 2, 7 ),
		];

		const run = async ( chosen: Payload[], options: CompactOptions, own: boolean ): Promise<void> => {

			const before = chosen.map( ( { attribute } ) => new Uint32Array( attribute.array.slice().buffer ) );
			const gather = chosen.map( ( { from, stride } ) => own ? { from } : { from, to: createGuardedOutput( from === uints.from ? 'uint' : from === ints.from ? 'int' : 'float', room * stride, stride, 64 ) } );
			const pass = await new CompactPass( count, predicate, { ...SMALL, indices: new StorageBufferAttribute( new Uint32Array( room ), 1 ), ...options, gather } ).init( renderer );
			pass.compute( renderer );
			expect( pass.gathered ).toHaveLength( chosen.length );

			for ( const [ k, { name, words, stride, attribute } ] of chosen.entries() ) {

				const gathered = await readUint32( renderer, pass.gathered[ k ] );
				const isPadded = attribute.itemSize === 3 || attribute.array.length === count * 4 && stride === 4 && words === 3;
				const source = before[ k ], step = source.length / count;
				const survivors = Math.min( kept.length, pass.outputCapacity );
				if ( ! own ) expect( pass.gathered[ k ] ).toBe( gather[ k ].to );

				for ( let s = 0; s < survivors; s ++ ) for ( let c = 0; c < words; c ++ ) {

					// three pads itemSize 3 on the CPU too: the source is what it was before
					const got = gathered[ s * stride + c ], wanted = source[ kept[ s ] * step + c ];
					if ( got !== wanted ) throw new Error( `${ name }${ isPadded ? ' (padded)' : '' } ${ own ? 'allocated' : 'given' }: survivor ${ s }, word ${ c } is 0x${ got.toString( 16 ) } (expected 0x${ wanted.toString( 16 ) }).` );

				}

				if ( ! own ) assertGuardWords( gathered, survivors * stride );

			}

			// inputs stay
			for ( const [ k, { name, attribute, stride, words } ] of chosen.entries() ) {

				const now = await readUint32( renderer, attribute ), step = before[ k ].length / count;
				for ( let i = 0; i < count; i ++ ) for ( let c = 0; c < words; c ++ ) if ( now[ i * stride + c ] !== before[ k ][ i * step + c ] ) throw new Error( `${ name }: input ${ i } was written.` );

			}

			pass.dispose();

		};

		it( 'moves one, three, six and nine arrays of every type along', async () => {

			await run( payloads.slice( 0, 1 ), { kernel: 'subgroup' }, true );
			await run( payloads.slice( 1, 4 ), { kernel: 'shared-memory' }, true );
			await run( payloads.slice( 3, 9 ), { kernel: 'subgroup' }, false );
			await run( payloads, { kernel: 'shared-memory' }, true );
			await run( payloads, { kernel: 'subgroup', draws: new IndirectDraws( [ squareGeometry(), squareGeometry() ] ) }, false );

		} );

		it( 'drops payloads with their survivors', async () => {

			await run( payloads.slice( 0, 2 ), { indices: new StorageBufferAttribute( new Uint32Array( 100 ), 1 ) }, false );
			await run( payloads.slice( 0, 2 ), { indices: new StorageBufferAttribute( new Uint32Array( 100 ), 1 ) }, true );

		} );

	} );

	describe.runIf( ONCE )( 'dispatches', () => {

		it( 'go to more dimensions past the device\'s limit', async () => {

			const caps = { maxComputeWorkgroupsPerDimension: 2 };
			const predicate: Predicate = ( i ) => i.mod( 3 ).equal( uint( 1 ) );
			const count = new StorageBufferAttribute( new Uint32Array( 1 ), 1 );

			for ( const tiles of [ 3, 5, 8 ] ) {

				const indices = createGuardedOutput( 'uint', tiles * TILE );
				const pass = await new CompactPass( tiles * TILE, predicate, { ...SMALL, caps, indices } ).init( renderer );
				const fed = await new CompactPass( tiles * TILE, predicate, { ...SMALL, caps, count } ).init( renderer );

				for ( const n of [ tiles * TILE, tiles * TILE - 1, 4 * TILE + 1, 5 ].filter( ( n ) => n <= tiles * TILE ) ) {

					pass.count = n;
					count.array[ 0 ] = n;
					count.needsUpdate = true;
					pass.compute( renderer );
					fed.compute( renderer );
					const expected = referenceCompact( n, ( i ) => i % 3 === 1 );
					expectWords( `${ tiles } tiles, count ${ n }`, await pass.readIndices( renderer ), expected );
					expectWords( `${ tiles } tiles, GPU count ${ n }`, await fed.readIndices( renderer ), expected );

				}

				pass.dispose();
				fed.dispose();

			}

			await refuses( () => new CompactPass( 9 * TILE, predicate, { ...SMALL, caps } ).init( renderer ), 'limit-exceeded', 'maxComputeWorkgroupsPerDimension', '9', '8' );
			await refuses( () => new CompactPass( 9 * TILE, predicate, { ...SMALL, caps, count } ).init( renderer ), 'limit-exceeded', 'maxComputeWorkgroupsPerDimension' );

		} );

	} );

	describe.runIf( ONCE )( 'what it gives', () => {

		it( 'attributes, whatever was passed', async () => {

			const indices = instancedArray( 64, 'uint' ), to = instancedArray( 64, 'vec2' ), from = instancedArray( new Float32Array( 128 ), 'vec2' );
			const pass = await new CompactPass( 64, ( i ) => i.lessThan( uint( 3 ) ), { ...SMALL, indices, gather: [ { from, to } ] } ).init( renderer );
			pass.compute( renderer );
			expect( pass.indices ).toBe( indices.value );
			expect( pass.gathered[ 0 ] ).toBe( to.value );
			expect( ( await readUint32( renderer, pass.survivorCount ) )[ 0 ] ).toBe( 3 );
			expect( ( await readUint32( renderer, pass.overflow ) )[ 0 ] ).toBe( 0 );
			expect( Array.from( await pass.readIndices( renderer ) ) ).toEqual( [ 0, 1, 2 ] );
			pass.dispose();

		} );

		it( 'nodes that name the nodes of the pass', async () => {

			const pass = await new CompactPass( 64, () => bool( true ), { ...SMALL, name: 'Alive' } ).init( renderer );
			const plain = await new CompactPass( 64, () => bool( true ), SMALL ).init( renderer );
			for ( const node of pass.nodes ) expect( node.name ).toMatch( /^Alive/ );
			for ( const node of plain.nodes ) expect( node.name ).toMatch( /^CompactPass/ );
			expect( pass.nodes.length ).toBe( pass.policy.dispatches );
			pass.dispose();
			plain.dispose();

		} );

	} );

	describe.runIf( ONCE )( 'refuses', () => {

		const always: Predicate = () => bool( true );
		const uints = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( length ), 1 );
		const floats = ( length: number, itemSize = 1 ): StorageBufferAttribute => new StorageBufferAttribute( new Float32Array( length * itemSize ), itemSize );
		const make = ( options?: CompactOptions ) => (): CompactPass => new CompactPass( 8, always, options );

		it( 'capacities that are no positive integer', async () => {

			for ( const capacity of [ 0, - 1, 1.5, NaN, Infinity, wrong<number>( '8' ), wrong<number>( undefined ) ] ) await refuses( () => new CompactPass( capacity, always ), 'invalid-argument', 'capacity', 'got' );

		} );

		it( 'predicates that are no function, or give no bool', async () => {

			await refuses( () => new CompactPass( 8, wrong( undefined ) ), 'invalid-argument', 'predicate', 'got undefined' );
			await refuses( () => new CompactPass( 8, wrong( uints( 8 ) ) ), 'invalid-argument', 'predicate', 'got' );
			const start = ( predicate: unknown ) => () => new CompactPass( 8, wrong<Predicate>( predicate ), SMALL ).init( renderer );
			await refuses( start( () => float( 1 ) ), 'invalid-argument', 'predicate', 'bool', /got.*float/ );
			await refuses( start( ( i: Node<'uint'> ) => i ), 'invalid-argument', 'predicate', 'bool', /got.*uint/ );
			await refuses( start( ( i: Node<'uint'> ) => uvec2( i ) ), 'invalid-argument', 'predicate', /got.*uvec2/ );
			await refuses( start( () => undefined ), 'invalid-argument', 'predicate', 'got undefined' );
			await refuses( start( () => {

				workgroupBarrier();
				return bool( true );

			} ), 'invalid-argument', 'workgroupBarrier' );
			await refuses( start( ( i: Node<'uint'> ) => {

				If( i.greaterThan( uint( 3 ) ), () => { Return(); } );
				return bool( true );

			} ), 'invalid-argument', 'Return' );

		} );

		it( 'predicates that read more buffers than there are', async () => {

			const nodes = Array.from( { length: 9 }, () => storage( uints( 8 ), 'uint', 8 ).toReadOnly() );
			const any = ( n: number ): Predicate => ( i ) => nodes.slice( 0, n ).reduce<Node<'uint'>>( ( sum, node ) => sum.add( node.element( i ) ), uint( 0 ) ).greaterThan( uint( 0 ) );
			await refuses( () => new CompactPass( 8, any( 9 ), SMALL ).init( renderer ), 'limit-exceeded', 'maxStorageBuffersPerShaderStage', '8', 'requiredLimits' );
			const pass = await new CompactPass( 8, any( 4 ), { ...SMALL, count: uints( 1 ), draws: new IndirectDraws( squareGeometry() ), gather: [ { from: floats( 8 ) } ] } ).init( renderer );
			pass.compute( renderer );
			expect( await pass.readSurvivorCount( renderer ) ).toBe( 0 );
			pass.dispose();

		} );

		it( 'predicates that no compiler takes', async () => {

			const broken: Predicate = () => expression( 'no_such_function()', 'bool' ) as unknown as Node<'bool'>;
			await expect( new CompactPass( 8, broken, SMALL ).init( renderer ) ).rejects.toMatchObject( { code: 'shader-error', message: expect.stringMatching( /^CompactPass[\s\S]*no_such_function/ ) as string } );
			await tick();
			takeGpuErrors();

		} );

		it( 'indices of another type, or none', async () => {

			await refuses( make( { indices: floats( 8 ) } ), 'invalid-argument', 'indices', 'uint', /float/i );
			await refuses( make( { indices: new StorageBufferAttribute( new Int32Array( 8 ), 1 ) } ), 'invalid-argument', 'indices', 'uint', /int/i );
			await refuses( make( { indices: new StorageBufferAttribute( new Uint32Array( 8 ), 2 ) } ), 'invalid-argument', 'indices', 'uint' );
			await refuses( make( { indices: new StorageBufferAttribute( new Uint16Array( 8 ), 1 ) } ), 'invalid-argument', 'indices', /uint/i );
			await refuses( make( { indices: uints( 0 ) } ), 'invalid-argument', 'indices' );
			await refuses( make( { indices: wrong( new Uint32Array( 8 ) ) } ), 'invalid-argument', 'indices', 'got Uint32Array' );

		} );

		it( 'counts outside 0 to the capacity', async () => {

			for ( const count of [ - 1, 9, 2.5, NaN, wrong<number>( '3' ) ] ) await refuses( make( { count } ), 'invalid-argument', 'count', 'got' );
			await refuses( make( { count: floats( 1 ) } ), 'invalid-argument', 'count' );
			const pass = make()();
			await refuses( () => { pass.count = 9; }, 'invalid-argument', 'count', '8', 'got 9' );
			await refuses( () => { pass.count = uints( 1 ); }, 'invalid-argument', 'count' );

		} );

		it( 'draws of a wrong kind', async () => {

			for ( const draws of [ 5, {}, 'all', squareGeometry(), [ squareGeometry() ], [ null ], uints( 5 ) ] ) await refuses( make( { draws: wrong( draws ) } ), 'invalid-argument', 'draws', 'got' );

		} );

		it( 'gathers that do not fit', async () => {

			await refuses( make( { gather: wrong( floats( 8 ) ) } ), 'invalid-argument', 'gather', 'got' );
			await refuses( make( { gather: [ wrong( {} ) ] } ), 'invalid-argument', 'from', 'got undefined' );
			await refuses( make( { gather: [ { from: floats( 7 ) } ] } ), 'invalid-argument', 'gather', 'from', '8', 'got 7' );
			await refuses( make( { gather: [ { from: floats( 8 ), to: floats( 7 ) } ] } ), 'invalid-argument', 'gather', 'to', '8', 'got 7' );
			await refuses( make( { gather: [ { from: floats( 8 ), to: floats( 8, 2 ) } ] } ), 'invalid-argument', 'gather', 'to' );
			await refuses( make( { gather: [ { from: floats( 8 ), to: uints( 8 ) } ] } ), 'invalid-argument', 'gather', 'to' );
			await refuses( make( { gather: [ { from: new StorageBufferAttribute( new Uint8Array( 8 ), 1 ) } ] } ), 'invalid-argument', 'gather', /Uint8Array|8-bit/ );

			const same = floats( 8 ), out = floats( 8 ), indices = uints( 8 );
			await refuses( make( { gather: [ { from: same, to: same } ] } ), 'invalid-argument', 'gather' );
			await refuses( make( { gather: [ { from: same, to: out }, { from: floats( 8 ), to: out } ] } ), 'invalid-argument', 'gather' );
			await refuses( make( { indices, gather: [ { from: uints( 8 ), to: indices } ] } ), 'invalid-argument', 'gather' );

		} );

		it( 'runs and reads out of order', async () => {

			const pass = make( SMALL )();
			expect( pass.nodes ).toEqual( [] );
			for ( const act of [ () => pass.compute( renderer ), () => pass.readIndices( renderer ), () => pass.readSurvivorCount( renderer ), () => pass.readOverflow( renderer ) ] ) {

				await refuses( act, 'not-initialized', 'init' );

			}

			await pass.init( renderer );
			pass.compute( renderer );
			pass.dispose();
			pass.dispose();

			for ( const act of [ () => pass.compute( renderer ), () => pass.readIndices( renderer ), () => pass.readSurvivorCount( renderer ), () => pass.readOverflow( renderer ) ] ) {

				await refuses( act, 'disposed' );

			}

			await pass.init( renderer );
			pass.compute( renderer );
			expect( await pass.readSurvivorCount( renderer ) ).toBe( 8 );
			pass.dispose();

		} );

	} );

} );
