import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScanError } from '../../src/errors';
import { referenceSort } from '../../src/reference';

const seed = Number( process.env.THREE_SCAN_SEED ?? Date.now() % 2 ** 31 );
const check = <T>( arbitrary: fc.Arbitrary<T>, body: ( value: T ) => void ) => fc.assert( fc.property( arbitrary, body ), { seed, numRuns: 200 } );

/** Stable, by Array.prototype.sort. */
function naiveOrder( length: number, compare: ( a: number, b: number ) => number ): number[] {

	return Array.from( { length }, ( _, index ) => index ).sort( compare );

}

const compareFloats = ( a: number, b: number, descending: boolean ): number => {

	if ( Number.isNaN( a ) || Number.isNaN( b ) ) return Number( Number.isNaN( a ) ) - Number( Number.isNaN( b ) );
	if ( a === b ) return Number( Object.is( b, - 0 ) ) - Number( Object.is( a, - 0 ) );
	return ( a < b ) === descending ? 1 : - 1;

};

describe( 'referenceSort', () => {

	it( 'sorts keys and returns the source indices', () => {

		expect( referenceSort( new Uint32Array( [ 0xFFFFFFFF, 256, 0, 0x80000000 ] ) ) ).toEqual( {
			keys: new Uint32Array( [ 0, 256, 0x80000000, 0xFFFFFFFF ] ),
			values: new Uint32Array( [ 2, 1, 3, 0 ] )
		} );

	} );

	it( 'keeps the order of equal keys, descending too', () => {

		expect( referenceSort( new Int32Array( [ 1, - 1, 1, - 1 ] ) ).values ).toEqual( new Uint32Array( [ 1, 3, 0, 2 ] ) );
		expect( referenceSort( new Int32Array( [ 1, - 1, 1, - 1 ] ), { descending: true } ).values ).toEqual( new Uint32Array( [ 0, 2, 1, 3 ] ) );

	} );

	it( 'puts -0 before +0 and NaN last, in both directions', () => {

		const keys = new Float32Array( [ NaN, 0, 1, - 0, - Infinity, - 1e-45, Infinity, 1e-45 ] );
		const { keys: ascending } = referenceSort( keys );
		const { keys: descending } = referenceSort( keys, { descending: true } );

		expect( ascending ).toEqual( new Float32Array( [ - Infinity, - 1e-45, - 0, 0, 1e-45, 1, Infinity, NaN ] ) );
		expect( descending ).toEqual( new Float32Array( [ Infinity, 1, 1e-45, - 0, 0, - 1e-45, - Infinity, NaN ] ) );

	} );

	it( 'moves the bits of NaNs as they are, and in order', () => {

		const bits = new Uint32Array( [ 0xFFC00001, 0x3F800000, 0x7FC12345, 0x7F800001 ] );
		const { keys, values } = referenceSort( new Float32Array( bits.buffer ) );
		expect( new Uint32Array( keys.buffer ) ).toEqual( new Uint32Array( [ 0x3F800000, 0xFFC00001, 0x7FC12345, 0x7F800001 ] ) );
		expect( values ).toEqual( new Uint32Array( [ 1, 0, 2, 3 ] ) );

	} );

	it( 'looks at the lowest bits only, and moves whole keys', () => {

		expect( referenceSort( new Uint32Array( [ 0x13, 0xF2, 0x22 ] ), { bits: 4 } ).keys ).toEqual( new Uint32Array( [ 0xF2, 0x22, 0x13 ] ) );
		expect( referenceSort( new Uint32Array( [ 0x12, 0xF3, 0x22 ] ), { bits: 4, descending: true } ).keys ).toEqual( new Uint32Array( [ 0xF3, 0x12, 0x22 ] ) );

	} );

	it( 'moves values along', () => {

		const values = new Float32Array( [ 0.5, 1.5, 2.5 ] );
		expect( referenceSort( new Uint32Array( [ 2, 0, 1 ] ), { values } ).values ).toEqual( new Float32Array( [ 1.5, 2.5, 0.5 ] ) );

	} );

	it( 'takes only count elements of a view, and writes no input', () => {

		const keys = new Uint32Array( [ 9, 3, 2, 1 ] ).subarray( 1 );
		expect( referenceSort( keys, { count: 2 } ) ).toEqual( { keys: new Uint32Array( [ 2, 3 ] ), values: new Uint32Array( [ 1, 0 ] ) } );
		expect( keys ).toEqual( new Uint32Array( [ 3, 2, 1 ] ) );
		expect( referenceSort( keys, { count: 0 } ) ).toEqual( { keys: new Uint32Array( 0 ), values: new Uint32Array( 0 ) } );

	} );

	it( 'reads uint bits as int when told so', () => {

		expect( referenceSort( new Uint32Array( [ 1, 0xFFFFFFFF ] ), { type: 'int' } ).keys ).toEqual( new Uint32Array( [ 0xFFFFFFFF, 1 ] ) );

	} );

	it.each<[ string, () => unknown ]>( [
		[ 'bits of int keys', () => referenceSort( new Int32Array( 1 ), { bits: 8 } ) ],
		[ '33 bits', () => referenceSort( new Uint32Array( 1 ), { bits: 33 } ) ],
		[ 'no bits', () => referenceSort( new Uint32Array( 1 ), { bits: 0 } ) ],
		[ 'floats as uint', () => referenceSort( new Float32Array( 1 ), { type: 'uint' } ) ],
		[ 'vector keys', () => referenceSort( new Uint32Array( 2 ), { type: 'uvec2' as 'uint' } ) ],
		[ 'plain arrays', () => referenceSort( [ 1, 2 ] as unknown as Uint32Array, { type: 'uint' } ) ],
		[ 'too few values', () => referenceSort( new Uint32Array( 2 ), { values: new Uint32Array( 1 ) } ) ],
		[ 'a count beyond the keys', () => referenceSort( new Uint32Array( 2 ), { count: 3 } ) ]
	] )( 'refuses %s', ( _, call ) => {

		expect( call ).toThrow( ScanError );
		expect( call ).toThrow( /^referenceSort: .+ \(got .+\)\. .+\.$/ );

	} );

	it( `sorts integers as Array.prototype.sort does (seed ${ seed })`, () => {

		const keys = fc.oneof( fc.uint32Array( { maxLength: 80 } ), fc.uint32Array( { max: 3, maxLength: 80 } ), fc.int32Array( { maxLength: 80 } ) );

		check( fc.tuple( keys, fc.boolean() ), ( [ source, descending ] ) => {

			const order = naiveOrder( source.length, ( a, b ) => ( source[ a ] - source[ b ] ) * ( descending ? - 1 : 1 ) );
			const sorted = referenceSort<Uint32Array | Int32Array>( source, { descending } );
			expect( Array.from( sorted.values ) ).toEqual( order );
			expect( Array.from( sorted.keys ) ).toEqual( order.map( index => source[ index ] ) );

		} );

	} );

	it( `sorts floats as a comparator does (seed ${ seed })`, () => {

		const special = fc.array( fc.constantFrom( NaN, 0, - 0, 1, - 1, Infinity, - Infinity ) ).map( values => new Float32Array( values ) );

		check( fc.tuple( fc.oneof( special, fc.float32Array( { maxLength: 80 } ) ), fc.boolean() ), ( [ source, descending ] ) => {

			const order = naiveOrder( source.length, ( a, b ) => compareFloats( source[ a ], source[ b ], descending ) );
			expect( Array.from( referenceSort( source, { descending } ).values ) ).toEqual( order );

		} );

	} );

	it( `sorts by low bits as Array.prototype.sort does (seed ${ seed })`, () => {

		check( fc.tuple( fc.uint32Array( { maxLength: 80 } ), fc.integer( { min: 1, max: 32 } ) ), ( [ source, bits ] ) => {

			const order = naiveOrder( source.length, ( a, b ) => source[ a ] % 2 ** bits - source[ b ] % 2 ** bits );
			expect( Array.from( referenceSort( source, { bits } ).values ) ).toEqual( order );

		} );

	} );

} );
