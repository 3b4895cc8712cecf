import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScanError } from '../../src/errors';
import { referenceCompact, referencePartition } from '../../src/reference';

const seed = Number( process.env.THREE_SCAN_SEED ?? Date.now() % 2 ** 31 );
const check = <T>( arbitrary: fc.Arbitrary<T>, body: ( value: T ) => void ) => fc.assert( fc.property( arbitrary, body ), { seed, numRuns: 200 } );

describe( 'referenceCompact', () => {

	it( 'keeps the survivors\' order', () => expect( referenceCompact( 6, i => i % 2 === 1 ) ).toEqual( new Uint32Array( [ 1, 3, 5 ] ) ) );

	it( 'may keep nothing, everything, the first and the last', () => {

		expect( referenceCompact( 4, () => false ) ).toEqual( new Uint32Array( 0 ) );
		expect( referenceCompact( 4, () => true ) ).toEqual( new Uint32Array( [ 0, 1, 2, 3 ] ) );
		expect( referenceCompact( 4, i => i === 0 ) ).toEqual( new Uint32Array( [ 0 ] ) );
		expect( referenceCompact( 4, i => i === 3 ) ).toEqual( new Uint32Array( [ 3 ] ) );
		expect( referenceCompact( 0, () => true ) ).toEqual( new Uint32Array( 0 ) );

	} );

	it( 'asks once for each index, in order', () => {

		const asked: number[] = [];
		referenceCompact( 5, index => asked.push( index ) > 2 );
		expect( asked ).toEqual( [ 0, 1, 2, 3, 4 ] );

	} );

	it.each( [ - 1, 1.5, NaN ] )( 'refuses a count of %s', count => {

		expect( () => referenceCompact( count, () => true ) ).toThrow( ScanError );
		expect( () => referenceCompact( count, () => true ) ).toThrow( /^referenceCompact: count / );

	} );

	it( `filters (seed ${ seed })`, () => {

		check( fc.array( fc.boolean() ), flags => {

			const expected = [ ...flags.keys() ].filter( index => flags[ index ] );
			expect( Array.from( referenceCompact( flags.length, index => flags[ index ] ) ) ).toEqual( expected );

		} );

	} );

} );

describe( 'referencePartition', () => {

	it( 'splits into buckets that keep the input\'s order', () => {

		const bucketOf = [ 2, 0, 2, 0, 5, 2 ];
		expect( referencePartition( 6, 4, i => bucketOf[ i ] ) ).toEqual( {
			indices: new Uint32Array( [ 1, 3, 0, 2, 5 ] ),
			offsets: new Uint32Array( [ 0, 2, 2, 5, 5 ] )
		} );

	} );

	it( 'drops what belongs to no bucket, -1 too', () => {

		expect( referencePartition( 3, 2, i => [ - 1, 2, 4294967295 ][ i ] ) ).toEqual( { indices: new Uint32Array( 0 ), offsets: new Uint32Array( 3 ) } );

	} );

	it( 'takes one bucket, and none of a count of 0', () => {

		expect( referencePartition( 3, 1, () => 0 ) ).toEqual( { indices: new Uint32Array( [ 0, 1, 2 ] ), offsets: new Uint32Array( [ 0, 3 ] ) } );
		expect( referencePartition( 0, 2, () => 0 ) ).toEqual( { indices: new Uint32Array( 0 ), offsets: new Uint32Array( 3 ) } );

	} );

	it( 'asks once for each index, in order', () => {

		const asked: number[] = [];
		referencePartition( 4, 2, index => asked.push( index ) % 3 );
		expect( asked ).toEqual( [ 0, 1, 2, 3 ] );

	} );

	it.each( [ 0, 4097, 1.5 ] )( 'refuses %s buckets', bucketCount => {

		expect( () => referencePartition( 1, bucketCount, () => 0 ) ).toThrow( /^referencePartition: bucketCount / );

	} );

	it( `filters by bucket (seed ${ seed })`, () => {

		check( fc.tuple( fc.integer( { min: 1, max: 9 } ), fc.array( fc.nat( 10 ) ) ), ( [ bucketCount, buckets ] ) => {

			const lists = Array.from( { length: bucketCount }, ( _, bucket ) => [ ...buckets.keys() ].filter( index => buckets[ index ] === bucket ) );
			const { indices, offsets } = referencePartition( buckets.length, bucketCount, index => buckets[ index ] );

			expect( Array.from( indices ) ).toEqual( lists.flat() );
			expect( lists.map( ( _, bucket ) => Array.from( indices.slice( offsets[ bucket ], offsets[ bucket + 1 ] ) ) ) ).toEqual( lists );

		} );

	} );

} );
