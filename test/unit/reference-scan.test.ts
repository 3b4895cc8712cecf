import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScanError } from '../../src/errors';
import { referenceReduce, referenceScan, type ReferenceMonoid, type ReferenceScanOptions } from '../../src/reference';

const seed = Number( process.env.THREE_SCAN_SEED ?? Date.now() % 2 ** 31 );
const check = <T>( arbitrary: fc.Arbitrary<T>, body: ( value: T ) => void ) => fc.assert( fc.property( arbitrary, body ), { seed, numRuns: 200 } );

/** x → a·x + b: applying `earlier` first. Associative, does not commute. */
const affine: ReferenceMonoid = {
	type: 'uvec2',
	identity: [ 1, 0 ],
	combineReference: ( earlier, later ) => {

		const [ a, b ] = earlier as number[];
		const [ c, d ] = later as number[];
		return [ Math.imul( c, a ), Math.imul( c, b ) + d ];

	}
};

/** Keeps the right operand unless it is the identity: shows which operand was the right one. */
const last: ReferenceMonoid = { type: 'int', identity: 0, combineReference: ( a, b ) => b === 0 ? a : b };

function scan( values: ArrayLike<number>, options?: ReferenceScanOptions ) {

	const { output, total } = referenceScan( values, options );
	return { output: Array.from( output ), total };

}

describe( 'referenceScan', () => {

	it( 'is exclusive by default', () => {

		expect( scan( new Uint32Array( [ 3, 1, 7, 0, 4 ] ) ) ).toEqual( { output: [ 0, 3, 4, 11, 11 ], total: 15 } );

	} );

	it( 'includes the element itself when inclusive', () => {

		expect( scan( new Int32Array( [ 3, - 1, 7 ] ), { kind: 'inclusive' } ) ).toEqual( { output: [ 3, 2, 9 ], total: 9 } );

	} );

	it( 'returns the array of its type', () => {

		expect( referenceScan( new Uint32Array( 1 ) ).output ).toBeInstanceOf( Uint32Array );
		expect( referenceScan( new Int32Array( 1 ) ).output ).toBeInstanceOf( Int32Array );
		expect( referenceScan( new Float32Array( 1 ) ).output ).toBeInstanceOf( Float32Array );
		expect( referenceScan( [ 1 ], { type: 'float', precision: 'double' } ).output ).toBeInstanceOf( Float64Array );
		expect( referenceScan( [ 1, 2 ], { type: 'ivec2' } ).output ).toBeInstanceOf( Int32Array );

	} );

	it( 'totals a count of 0 to the identity or the initial value', () => {

		expect( scan( new Uint32Array( 0 ) ) ).toEqual( { output: [], total: 0 } );
		expect( scan( new Float32Array( 4 ), { count: 0, monoid: 'min' } ) ).toEqual( { output: [], total: Infinity } );
		expect( scan( new Uint32Array( 4 ), { count: 0, initial: 9 } ) ).toEqual( { output: [], total: 9 } );
		expect( scan( [], { type: 'vec3' } ) ).toEqual( { output: [], total: [ 0, 0, 0 ] } );

	} );

	it( 'takes only count elements', () => {

		expect( scan( new Uint32Array( [ 1, 2, 3, 99 ] ), { count: 3 } ) ).toEqual( { output: [ 0, 1, 3 ], total: 6 } );

	} );

	it( 'wraps u32 and i32 modulo 2³²', () => {

		expect( scan( new Uint32Array( [ 0xFFFFFFFF, 2, 0x80000000 ] ), { kind: 'inclusive' } ).output ).toEqual( [ 0xFFFFFFFF, 1, 0x80000001 ] );
		expect( scan( new Int32Array( [ 2147483647, 1 ] ) ).total ).toBe( - 2147483648 );
		expect( scan( new Uint32Array( [ 0xFFFFFFFF, 0xFFFFFFFF ] ), { monoid: 'mul' } ).total ).toBe( 1 );
		expect( scan( new Int32Array( [ 123456789, 987654321 ] ), { monoid: 'mul' } ).total ).toBe( - 67153019 );

	} );

	it( 'multiplies 16 twos to 65536', () => {

		const { output, total } = scan( new Uint32Array( 16 ).fill( 2 ), { monoid: 'mul' } );
		expect( output ).toEqual( Array.from( { length: 16 }, ( _, i ) => 2 ** i ) );
		expect( total ).toBe( 65536 );

	} );

	it( 'starts min and max at the highest and the lowest value of the type', () => {

		expect( scan( new Int32Array( [ - 5, - 9, - 2 ] ), { monoid: 'max' } ) ).toEqual( { output: [ - 2147483648, - 5, - 5 ], total: - 2 } );
		expect( scan( new Int32Array( [ 5 ] ), { monoid: 'min' } ).output ).toEqual( [ 2147483647 ] );
		expect( scan( new Uint32Array( [ 5 ] ), { monoid: 'max' } ).output ).toEqual( [ 0 ] );
		expect( scan( new Uint32Array( [ 5 ] ), { monoid: 'min' } ).output ).toEqual( [ 4294967295 ] );
		expect( scan( new Float32Array( [ 5 ] ), { monoid: 'max' } ).output ).toEqual( [ - Infinity ] );

	} );

	it( 'works on bits', () => {

		const bits = new Uint32Array( [ 0xFF00FF00, 0xF0F0F0F0, 0x80000001 ] );
		expect( scan( bits, { monoid: 'bitAnd' } ) ).toEqual( { output: [ 0xFFFFFFFF, 0xFF00FF00, 0xF000F000 ], total: 0x80000000 } );
		expect( scan( bits, { monoid: 'bitOr' } ).total ).toBe( 0xFFF0FFF1 );
		expect( scan( bits, { monoid: 'bitXor' } ).total ).toBe( 0x8FF00FF1 );
		expect( scan( new Int32Array( [ 6 ] ), { monoid: 'bitAnd' } ).output ).toEqual( [ - 1 ] );

	} );

	it( 'rounds floats to f32 after each step, unless precision is double', () => {

		const values = new Float32Array( [ 16777216, 1, 1 ] );
		expect( scan( values ).total ).toBe( 16777216 );
		expect( scan( values, { precision: 'double' } ) ).toEqual( { output: [ 0, 16777216, 16777217 ], total: 16777218 } );
		expect( scan( [ 0.1 ], { type: 'float' } ).total ).toBe( Math.fround( 0.1 ) );
		expect( scan( [ 0.1 ], { type: 'float', precision: 'double' } ).total ).toBe( 0.1 );

	} );

	it( 'still wraps integers when precision is double', () => {

		expect( scan( new Uint32Array( [ 0xFFFFFFFF, 1 ] ), { precision: 'double' } ).total ).toBe( 0 );

	} );

	it( 'combines vectors by component, packed without padding', () => {

		expect( scan( new Float32Array( [ 1, 2, 3, 10, 20, 30 ] ), { type: 'vec3', kind: 'inclusive', initial: [ 0.5, 0, 0 ] } ) )
			.toEqual( { output: [ 1.5, 2, 3, 11.5, 22, 33 ], total: [ 11.5, 22, 33 ] } );

		expect( scan( new Int32Array( [ 1, - 2, - 3, 4 ] ), { type: 'ivec2', monoid: 'max' } ).total ).toEqual( [ 1, 4 ] );

	} );

	it( 'keeps the order of operands', () => {

		// x → 2x + 1, then x → 3x + 5: 6x + 8.
		expect( scan( new Uint32Array( [ 2, 1, 3, 5 ] ), { monoid: affine } ) ).toEqual( { output: [ 1, 0, 2, 1 ], total: [ 6, 8 ] } );

	} );

	it( 'combines backwards when reversed, later elements on the left', () => {

		expect( scan( new Uint32Array( [ 3, 1, 7 ] ), { reverse: true } ) ).toEqual( { output: [ 8, 7, 0 ], total: 11 } );

		// x → 3x + 5 first, then x → 2x + 1: 6x + 11.
		expect( scan( new Uint32Array( [ 2, 1, 3, 5 ] ), { monoid: affine, reverse: true } ) ).toEqual( { output: [ 3, 5, 1, 0 ], total: [ 6, 11 ] } );

	} );

	it( 'puts initial on the left of every prefix', () => {

		expect( scan( new Uint32Array( [ 1, 2 ] ), { initial: 10 } ) ).toEqual( { output: [ 10, 11 ], total: 13 } );
		expect( scan( new Int32Array( [ 0, 7, 0 ] ), { monoid: last, initial: 3 } ) ).toEqual( { output: [ 3, 3, 7 ], total: 7 } );

	} );

	it( 'starts over at each segment and totals the one scanned last', () => {

		const values = new Uint32Array( [ 1, 2, 3, 4, 5 ] );
		const segments = [ 0, 0, 0x80000000, 0, 1 ];

		expect( scan( values, { segments } ) ).toEqual( { output: [ 0, 1, 0, 3, 0 ], total: 5 } );
		expect( scan( values, { segments, kind: 'inclusive', initial: 100 } ) ).toEqual( { output: [ 101, 103, 103, 107, 105 ], total: 105 } );
		expect( scan( values, { segments, count: 4 } ).total ).toBe( 7 );

	} );

	it( 'keeps the segments\' boundaries when reversed', () => {

		const values = new Uint32Array( [ 1, 2, 3, 4, 5 ] );
		const segments = [ 0, 0, 1, 0, 1 ];

		expect( scan( values, { segments, reverse: true } ) ).toEqual( { output: [ 2, 0, 4, 0, 0 ], total: 3 } );
		expect( scan( values, { segments, reverse: true, kind: 'inclusive', initial: 100 } ) ).toEqual( { output: [ 103, 102, 107, 104, 105 ], total: 103 } );

	} );

	it( 'does not write its inputs', () => {

		const values = new Uint32Array( [ 1, 2, 3 ] );
		const initial = [ 5, 6 ];
		referenceScan( values, { kind: 'inclusive' } );
		referenceScan( [ 1, 2, 3, 4 ], { type: 'vec2', initial } );
		expect( Array.from( values ) ).toEqual( [ 1, 2, 3 ] );
		expect( initial ).toEqual( [ 5, 6 ] );

	} );

	it.each<[ string, () => unknown ]>( [
		[ 'no type', () => referenceScan( [ 1, 2 ] ) ],
		[ 'an 8-bit array without a type', () => referenceScan( new Uint8Array( 4 ) ) ],
		[ 'floats read as uint', () => referenceScan( new Float32Array( 4 ), { type: 'uint' } ) ],
		[ 'an unknown type', () => referenceScan( [ 1 ], { type: 'mat2' as 'vec2' } ) ],
		[ 'an unknown monoid', () => referenceScan( new Uint32Array( 1 ), { monoid: 'sub' as 'add' } ) ],
		[ 'bits of floats', () => referenceScan( new Float32Array( 1 ), { monoid: 'bitOr' } ) ],
		[ 'a monoid of another type', () => referenceScan( new Uint32Array( 2 ), { type: 'uint', monoid: affine } ) ],
		[ 'half an element', () => referenceScan( new Float32Array( 5 ), { type: 'vec2' } ) ],
		[ 'a count beyond the data', () => referenceScan( new Uint32Array( 2 ), { count: 3 } ) ],
		[ 'a fractional count', () => referenceScan( new Uint32Array( 2 ), { count: 0.5 } ) ],
		[ 'too few flags', () => referenceScan( new Uint32Array( 2 ), { segments: [ 1 ] } ) ],
		[ 'an initial of another shape', () => referenceScan( new Float32Array( 4 ), { type: 'vec2', initial: 1 } ) ],
		[ 'an unknown kind', () => referenceScan( new Uint32Array( 2 ), { kind: 'both' as 'inclusive' } ) ],
		[ 'a combine that returns another shape', () => referenceScan( [ 1, 2 ], { monoid: { ...affine, combineReference: () => 1 } } ) ]
	] )( 'refuses %s', ( _, call ) => {

		expect( call ).toThrow( ScanError );
		expect( call ).toThrow( /^referenceScan: .+ \(got .+\)\. .+\.$/ );
		expect( call ).toThrow( expect.objectContaining( { code: 'invalid-argument' } ) );

	} );

	const u32 = fc.nat( 0xFFFFFFFF );
	const elements = fc.array( fc.record( { value: fc.tuple( u32, u32 ), head: fc.boolean() } ), { maxLength: 60 } );

	it( `folds every prefix of every segment (seed ${ seed })`, () => {

		const options = fc.record( { kind: fc.constantFrom( 'exclusive' as const, 'inclusive' as const ), reverse: fc.boolean(), initial: fc.tuple( u32, u32 ) } );

		check( fc.tuple( elements, options ), ( [ input, { kind, reverse, initial } ] ) => {

			const { output } = referenceScan( input.flatMap( e => e.value ), { monoid: affine, kind, reverse, initial, segments: input.map( e => e.head ? 1 : 0 ) } );

			const expected = input.flatMap( ( _, index ) => {

				let begin = index;
				while ( begin > 0 && ! input[ begin ].head ) begin --;
				let end = index + 1;
				while ( end < input.length && ! input[ end ].head ) end ++;

				const isIn = kind === 'inclusive';
				const prefix = reverse ? input.slice( isIn ? index : index + 1, end ).reverse() : input.slice( begin, isIn ? index + 1 : index );
				return prefix.map( e => e.value ).reduce( ( [ a, b ], [ c, d ] ) => [ Math.imul( c, a ) >>> 0, ( Math.imul( c, b ) >>> 0 ) + d >>> 0 ], initial );

			} );

			expect( Array.from( output ) ).toEqual( expected );

		} );

	} );

	it( `sums u32 as big integers modulo 2³² (seed ${ seed })`, () => {

		check( fc.uint32Array( { maxLength: 60 } ), values => {

			const { output, total } = referenceScan( values );
			const sum = ( part: Uint32Array ) => Number( BigInt.asUintN( 32, Array.from( part, BigInt ).reduce( ( a, b ) => a + b, 0n ) ) );
			expect( Array.from( output ) ).toEqual( Array.from( values, ( _, index ) => sum( values.slice( 0, index ) ) ) );
			expect( total ).toBe( sum( values ) );

		} );

	} );

	it( `multiplies i32 as big integers modulo 2³² (seed ${ seed })`, () => {

		check( fc.int32Array( { maxLength: 20 } ), values => {

			expect( referenceReduce( values, { monoid: 'mul' } ) ).toBe( Number( BigInt.asIntN( 32, Array.from( values, BigInt ).reduce( ( a, b ) => a * b, 1n ) ) ) );

		} );

	} );

	it( `reversed is the mirror of forward (seed ${ seed })`, () => {

		check( fc.float32Array( { maxLength: 60, noNaN: true, noDefaultInfinity: true } ), values => {

			const backward = referenceScan( values, { reverse: true, kind: 'inclusive' } );
			const mirrored = referenceScan( values.slice().reverse(), { kind: 'inclusive' } );
			expect( backward.output.reverse() ).toEqual( mirrored.output );
			expect( backward.total ).toBe( mirrored.total );

		} );

	} );

} );

describe( 'referenceReduce', () => {

	it( 'returns the total', () => {

		expect( referenceReduce( new Float32Array( [ 3, - 1, 2 ] ), { monoid: 'min' } ) ).toBe( - 1 );
		expect( referenceReduce( new Uint32Array( [ 2, 1, 3, 5 ] ), { monoid: affine } ) ).toEqual( [ 6, 8 ] );
		expect( referenceReduce( new Uint32Array( 0 ), { initial: 4 } ) ).toBe( 4 );

	} );

	it( `equals the total of a scan (seed ${ seed })`, () => {

		check( fc.tuple( fc.uint32Array( { maxLength: 40 } ), fc.boolean(), fc.nat( 0xFFFFFFFF ) ), ( [ values, reverse, initial ] ) => {

			const options = { reverse, initial, segments: values.map( v => v & 1 ) };
			expect( referenceReduce( values, options ) ).toBe( referenceScan( values, options ).total );

		} );

	} );

	it( 'names itself in errors', () => expect( () => referenceReduce( [ 1 ] ) ).toThrow( /^referenceReduce: type / ) );

} );
