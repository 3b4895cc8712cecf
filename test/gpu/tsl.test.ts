import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StorageBufferAttribute, type ComputeNode, type Node, type StorageBufferNode, type WebGPURenderer } from 'three/webgpu';
import { Fn, If, Loop, instanceIndex, invocationLocalIndex, select, storage, subgroupSize, uint, vec2, workgroupArray, workgroupBarrier, workgroupId } from 'three/tsl';
import { ScanPass, createMonoid, type ScanType } from 'three-scan';
import { linearWorkgroupId, subgroupScan, upperBound, workgroupReduce, workgroupScan, workgroupUniformLoad, type WorkgroupScanOptions } from 'three-scan/tsl';
import { referenceScan } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors, ONCE, readUint32 } from '../support/gpu';
import { assertGuardWords, createGuardedAttribute, createGuardedOutput } from '../support/guard';
import { Random, SUBGROUP_WIDTH, asWords, componentOf, componentsOf, expectElements, ownOperator, readyMade, storageOf, typedArray, type TestOperator } from '../support/scanMatrix';

/** What no subgroup's width makes a difference to runs on one device of each driver: compiling takes most of the time. */
const SHARED_MEMORY = ONCE || deviceName === 'lavapipe-4';

const VARIANTS: { name: string; options: WorkgroupScanOptions; nativeOnly?: true }[] = [
	{ name: 'subgroup native', options: { kernel: 'subgroup', subgroupScan: 'native' }, nativeOnly: true },
	{ name: 'subgroup shuffle', options: { kernel: 'subgroup', subgroupScan: 'shuffle' } },
	{ name: 'hillis-steele', options: { kernel: 'shared-memory', sharedMemoryScan: 'hillis-steele' } },
	{ name: 'blelloch', options: { kernel: 'shared-memory', sharedMemoryScan: 'blelloch' } },
];

describe( `three-scan/tsl on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	/** Runs a kernel with so many workgroups. */
	function run( kernel: ComputeNode, ...groups: number[] ): void {

		renderer.compute( Object.assign( kernel, { dispatchSize: [ ...groups, 1, 1 ].slice( 0, 3 ) } ) );

	}

	const uints = ( values: ArrayLike<number> ): StorageBufferAttribute => createGuardedAttribute( Uint32Array.from( values ) );

	describe.each( VARIANTS.filter( ( { options } ) => SHARED_MEMORY || options.kernel === 'subgroup' ) )( 'workgroupScan and workgroupReduce, $name', ( { options, nativeOnly } ) => {

		const operators: TestOperator[] = [ readyMade( 'uint', 'add' )!, ...( nativeOnly ? [ readyMade( 'vec2', 'mul' )! ] : [ ownOperator( 'vec2' ), ownOperator( 'uint' ) ] ) ];

		/** Two scans and a reduction in one kernel, the second scan over what the first left, in two workgroups. */
		async function check( operator: TestOperator, workgroupSize: number ): Promise<void> {

			const { type, monoid } = operator, count = 2 * workgroupSize;
			const n = componentsOf( type ), random = new Random( workgroupSize );
			const values = typedArray( type, Array.from( { length: count }, () => operator.element( random ) ).flat() );
			const make = (): StorageBufferAttribute => createGuardedOutput( componentOf( type ), count * n, n );
			const [ input, prefixes, totals, again, reduced ] = [ createGuardedAttribute( values, n ), make(), make(), make(), make() ];
			const [ i, p, t, a, r ] = [ input, prefixes, totals, again, reduced ].map( ( attribute ) => storageOf( attribute, type, count ) );

			run( Fn( () => {

				const at = workgroupId.x.mul( uint( workgroupSize ) ).add( invocationLocalIndex ).toVar();
				const value = i.element( at ).toVar() as Node<ScanType>;
				const first = workgroupScan( value, { ...options, monoid } );
				p.element( at ).assign( first.prefix );
				t.element( at ).assign( first.total );
				const second = workgroupScan( value, { ...options, monoid, kind: 'inclusive' } );
				a.element( at ).assign( second.prefix );
				r.element( at ).assign( workgroupReduce( value, { ...options, monoid } ) );

			} )().computeKernel( [ workgroupSize ] ), 2 );

			for ( const group of [ 0, 1 ] ) {

				const label = `${ operator.name }, workgroup size ${ workgroupSize }, workgroup ${ group }`;
				const part = values.subarray( group * workgroupSize * n, ( group + 1 ) * workgroupSize * n );
				const exclusive = referenceScan( part, { type, monoid, kind: 'exclusive' } ), inclusive = referenceScan( part, { type, monoid, kind: 'inclusive' } );
				const everywhere = typedArray( type, Array.from( { length: workgroupSize }, () => exclusive.total ).flat() );

				for ( const [ what, attribute, expected ] of [ [ 'prefix', prefixes, exclusive.output ], [ 'total', totals, everywhere ], [ 'inclusive', again, inclusive.output ], [ 'reduce', reduced, everywhere ] ] as const ) {

					const words = await renderer.getArrayBufferAsync( attribute );
					const got = new ( values.constructor as Float32ArrayConstructor )( words ).subarray( group * workgroupSize * n, ( group + 1 ) * workgroupSize * n );
					expectElements( `${ label }: ${ what }`, got, expected, n );
					assertGuardWords( new Uint32Array( words ), count * n );

				}

			}

			expect( asWords( input.array ) ).toEqual( await readUint32( renderer, input ) );

		}

		it.each( [ 1, 36, 64, 256 ] )( 'in workgroups of %i', async ( workgroupSize ) => {

			// every size with every operator on one device, in turn on the others: compiling takes most of the time
			for ( const [ k, operator ] of operators.entries() ) if ( ONCE || k === [ 256, 36, 64, 1 ].indexOf( workgroupSize ) % operators.length ) await check( operator, workgroupSize );

		} );

		it( 'in a loop', async () => {

			// each thread carries the total of the rounds before: a scan of five times as many elements by one workgroup
			const size = options.kernel === 'subgroup' ? 256 : 36, rounds = 5;
			const values = Array.from( { length: size * rounds }, ( _, i ) => i % 11 );
			const input = uints( values ), output = createGuardedOutput( 'uint', values.length );
			const i = storage( input, 'uint', values.length ).toReadOnly(), o = storage( output, 'uint', values.length );

			run( Fn( () => {

				const carried = uint( 0 ).toVar();

				Loop( { start: uint( 0 ), end: uint( rounds ), type: 'uint', condition: '<' }, ( { i: round } ) => {

					const at = ( round ).mul( uint( size ) ).add( invocationLocalIndex ).toVar();
					const { prefix, total } = workgroupScan( i.element( at ), options );
					o.element( at ).assign( carried.add( prefix as Node<'uint'> ) );
					carried.addAssign( total as Node<'uint'> );

				} );

			} )().computeKernel( [ size ] ), 1 );

			const words = await readUint32( renderer, output );
			expectElements( 'loop', words, referenceScan( Uint32Array.from( values ), { type: 'uint' } ).output, 1 );
			assertGuardWords( words, values.length );

		} );

	} );

	it( 'scans in two dimensions by invocationLocalIndex', async () => {

		const output = createGuardedOutput( 'uint', 48 ), o = storage( output, 'uint', 48 );
		run( Fn( () => {

			o.element( invocationLocalIndex ).assign( workgroupScan( invocationLocalIndex.add( uint( 1 ) ) ).prefix );

		} )().computeKernel( [ 8, 6 ] ), 1 );

		expectElements( '8 × 6', await readUint32( renderer, output ), Uint32Array.from( { length: 48 }, ( _, i ) => i * ( i + 1 ) / 2 ), 1 );

	} );

	describe( 'subgroupScan', () => {

		it( 'scans the lanes natively and by shuffles, sums and operators that do not commute', async () => {

			const size = 64, affine = ownOperator( 'vec2' ), random = new Random( 5 );
			const maps = Float32Array.from( Array.from( { length: size }, () => affine.element( random ) ).flat() );
			const words = Uint32Array.from( { length: size }, () => random.word() );
			const w = storage( uints( words ), 'uint', size ).toReadOnly(), m = storage( createGuardedAttribute( maps, 2 ), 'vec2', size ).toReadOnly();
			const outputs = Array.from( { length: 5 }, ( _, k ) => k < 4 ? createGuardedOutput( 'uint', size ) : createGuardedOutput( 'float', 2 * size, 2 ) );
			const [ a, b, c, d ] = outputs.slice( 0, 4 ).map( ( attribute ) => storage( attribute, 'uint', size ) );
			const e = storage( outputs[ 4 ], 'vec2', size );

			run( Fn( () => {

				const at = invocationLocalIndex, value = w.element( at ).toVar();
				a.element( at ).assign( subgroupScan( value ) );
				b.element( at ).assign( subgroupScan( value, { method: 'shuffle', kind: 'inclusive' } ) );
				c.element( at ).assign( subgroupScan( value, { method: 'native', kind: 'inclusive' } ) );
				d.element( at ).assign( subgroupScan( value, { monoid: 'max' } ) );
				e.element( at ).assign( subgroupScan( m.element( at ), { monoid: affine.monoid, kind: 'inclusive' } ) );

			} )().computeKernel( [ size ] ), 1 );

			const got = await Promise.all( outputs.map( ( attribute ) => renderer.getArrayBufferAsync( attribute ) ) );

			// on these devices lane k of subgroup s is invocation s · width + k
			for ( let s = 0; s < size; s += SUBGROUP_WIDTH ) {

				const part = words.subarray( s, s + SUBGROUP_WIDTH ), label = `subgroup ${ s / SUBGROUP_WIDTH }`;
				const inclusive = referenceScan( part, { type: 'uint', kind: 'inclusive' } ).output;
				const lanes = ( k: number ): Uint32Array => new Uint32Array( got[ k ] ).subarray( s, s + SUBGROUP_WIDTH );
				expectElements( `${ label }: exclusive`, lanes( 0 ), referenceScan( part, { type: 'uint' } ).output, 1 );
				expectElements( `${ label }: shuffle`, lanes( 1 ), inclusive, 1 );
				expectElements( `${ label }: native`, lanes( 2 ), inclusive, 1 );
				expectElements( `${ label }: max`, lanes( 3 ), referenceScan( part, { type: 'uint', monoid: 'max' } ).output, 1 );
				expectElements( `${ label }: affine`, new Float32Array( got[ 4 ] ).subarray( 2 * s, 2 * ( s + SUBGROUP_WIDTH ) ), referenceScan( maps.subarray( 2 * s, 2 * ( s + SUBGROUP_WIDTH ) ), { type: 'vec2', monoid: affine.monoid, kind: 'inclusive' } ).output, 2 );

			}

		} );

	} );

	// What the documentation shows, as it shows it.
	describe( 'examples', () => {

		it( 'workgroupScan: prefixes in place, totals by workgroup', async () => {

			const data = storage( uints( Array.from( { length: 192 }, ( _, i ) => i % 7 ) ), 'uint', 192 ), totals = storage( createGuardedOutput( 'uint', 3 ), 'uint', 3 );

			const kernel = Fn( () => {

				const value = data.element( instanceIndex ).toVar();
				const { prefix, total } = workgroupScan( value );
				data.element( instanceIndex ).assign( prefix );
				totals.element( workgroupId.x ).assign( total );

			} )().computeKernel( [ 64 ] );

			run( kernel, 3 );
			const words = await readUint32( renderer, data.value ), sums = await readUint32( renderer, totals.value );

			for ( const group of [ 0, 1, 2 ] ) {

				const { output, total } = referenceScan( Uint32Array.from( { length: 64 }, ( _, i ) => ( group * 64 + i ) % 7 ), { type: 'uint' } );
				expectElements( `workgroup ${ group }`, words.subarray( group * 64, group * 64 + 64 ), output, 1 );
				expect( sums[ group ] ).toBe( total );

			}

			assertGuardWords( words, 192 );
			assertGuardWords( sums, 3 );

		} );

		it( 'workgroupReduce: the largest', async () => {

			const data = storage( createGuardedAttribute( Float32Array.from( { length: 50 }, ( _, i ) => - 3 - ( i * 7 ) % 50 ) ), 'float', 50 ), output = storage( createGuardedOutput( 'float', 50 ), 'float', 50 );

			run( Fn( () => {

				const largest = workgroupReduce( data.element( instanceIndex ), { monoid: 'max' } );
				output.element( instanceIndex ).assign( largest );

			} )().computeKernel( [ 50 ] ), 1 );

			expectElements( 'largest', new Float32Array( await renderer.getArrayBufferAsync( output.value ) ), new Float32Array( 50 ).fill( - 3 ), 1 );

		} );

		it( 'subgroupScan: the rank among those kept', async () => {

			const output = storage( createGuardedOutput( 'uint', 64 ), 'uint', 64 ), width = storage( createGuardedOutput( 'uint', 1 ), 'uint', 1 );

			run( Fn( () => {

				const keep = invocationLocalIndex.mod( uint( 3 ) ).notEqual( uint( 1 ) );
				const rank = subgroupScan( select( keep, uint( 1 ), uint( 0 ) ) );
				output.element( invocationLocalIndex ).assign( rank );
				If( invocationLocalIndex.equal( uint( 0 ) ), () => { width.element( uint( 0 ) ).assign( subgroupSize ); } );

			} )().computeKernel( [ 64 ] ), 1 );

			const words = await readUint32( renderer, output.value ), [ lanes ] = await readUint32( renderer, width.value );
			expect( lanes ).toBe( SUBGROUP_WIDTH );
			for ( let i = 0; i < 64; i ++ ) expect( words[ i ] ).toBe( Array.from( { length: i % lanes }, ( _, k ) => i - 1 - k ).filter( ( j ) => j % 3 !== 1 ).length );

		} );

		it( 'linearWorkgroupId: each workgroup of three dimensions once', async () => {

			const output = createGuardedOutput( 'uint', 30 ), o = storage( output, 'uint', 30 );
			output.array.fill( 0, 0, 30 );

			run( Fn( () => {

				const tile = linearWorkgroupId();
				If( invocationLocalIndex.equal( uint( 0 ) ), () => { o.element( tile ).addAssign( workgroupId.x.add( workgroupId.y.mul( 100 ) ).add( workgroupId.z.mul( 10000 ) ).add( 1 ) ); } );

			} )().computeKernel( [ 4 ] ), 5, 3, 2 );

			const words = await readUint32( renderer, output );
			expect( new Set( words.subarray( 0, 30 ) ) ).toEqual( new Set( Array.from( { length: 30 }, ( _, i ) => i % 5 + Math.floor( i / 5 ) % 3 * 100 + Math.floor( i / 15 ) * 10000 + 1 ) ) );
			assertGuardWords( words, 30 );

		} );

		it( 'workgroupUniformLoad: decides a branch with a barrier in it', async () => {

			const output = createGuardedOutput( 'uint', 128 ), o = storage( output, 'uint', 128 );

			run( Fn( () => {

				const shared = workgroupArray( 'uint', 64 ) as unknown as StorageBufferNode<'uint'>; // whose elements @types/three does not know
				shared.element( invocationLocalIndex ).assign( workgroupId.x );
				workgroupBarrier();
				const decision = workgroupUniformLoad( shared.element( uint( 0 ) ) );

				If( decision.equal( uint( 1 ) ), () => {

					shared.element( invocationLocalIndex ).assign( invocationLocalIndex.mul( uint( 3 ) ) );
					workgroupBarrier();
					o.element( uint( 64 ).add( invocationLocalIndex ) ).assign( shared.element( uint( 63 ).sub( invocationLocalIndex ) ) );

				} ).Else( () => {

					o.element( invocationLocalIndex ).assign( decision.add( uint( 9 ) ) );

				} );

			} )().computeKernel( [ 64 ] ), 2 );

			const words = await readUint32( renderer, output );
			expectElements( 'both branches', words, Uint32Array.from( { length: 128 }, ( _, i ) => i < 64 ? 9 : ( 127 - i ) * 3 ), 1 );
			assertGuardWords( words, 128 );

		} );

		it( 'upperBound: the emitter of each particle', async () => {

			const counts = Uint32Array.from( [ 3, 0, 0, 5, 1, 0, 20, 0 ] ), emitterCount = counts.length, particles = 32;
			const scan = await new ScanPass( uints( counts ), { capacity: emitterCount, kind: 'inclusive', workgroupSize: 64, itemsPerThread: 4 } ).init( renderer );
			const output = createGuardedOutput( 'uint', 3 * particles ), o = storage( output, 'uint', 3 * particles );

			const emit = Fn( () => {

				const emitter = upperBound( scan.outputNode, emitterCount, instanceIndex );
				o.element( instanceIndex ).assign( emitter );
				// a closure for the values, a node for their number
				o.element( instanceIndex.add( uint( particles ) ) ).assign( upperBound( ( i ) => i.mul( i ), uint( 5 ), instanceIndex ) );
				o.element( instanceIndex.add( uint( 2 * particles ) ) ).assign( upperBound( scan.outputNode, 0, instanceIndex ) );

			} )().computeKernel( [ particles ] );

			renderer.compute( scan.nodes );
			run( emit, 1 );

			const running = referenceScan( counts, { type: 'uint', kind: 'inclusive' } ).output;
			const first = ( values: ArrayLike<number>, value: number ): number => { const at = Array.from( values ).findIndex( ( x ) => x > value ); return at < 0 ? values.length : at; };
			const words = await readUint32( renderer, output );
			for ( let i = 0; i < particles; i ++ ) {

				expect( words[ i ], `particle ${ i }` ).toBe( first( running, i ) );
				expect( words[ particles + i ], `square above ${ i }` ).toBe( first( [ 0, 1, 4, 9, 16 ], i ) );
				expect( words[ 2 * particles + i ] ).toBe( 0 );

			}

			assertGuardWords( words, 3 * particles );
			scan.dispose();

		} );

	} );

	it( 'refuses what can not be scanned', () => {

		// the mistakes are found when the kernel is built; three passes on what a node throws there
		const build = ( act: () => Node ): unknown => {

			const output = storage( createGuardedOutput( 'uint', 64 ), 'uint', 64 );
			const kernel = Fn( () => { output.element( invocationLocalIndex ).assign( act() ); } )().computeKernel( [ 64 ] );
			try { run( kernel, 1 ); } catch ( error ) { return error; }
			return null;

		};

		const wrong = <T>( value: unknown ): T => value as T;
		const refused = expect.objectContaining( { name: 'ScanError', code: 'invalid-argument' } ) as unknown;
		const affine = createMonoid( { type: 'vec2', identity: [ 1, 0 ], combine: ( a ) => a, combineReference: ( a ) => a } );

		expect( build( () => workgroupScan( uint( 1 ), { monoid: wrong( 'sum' ) } ).prefix ) ).toEqual( refused );
		expect( build( () => workgroupReduce( uint( 1 ), { monoid: affine } ) ) ).toEqual( refused );
		expect( build( () => workgroupReduce( vec2( 1, 1 ), { monoid: 'bitAnd' } ) ) ).toEqual( refused );

	} );

} );
