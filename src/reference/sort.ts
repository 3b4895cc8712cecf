import { describe, invalidArgument } from '../errors';
import { checkCount, checkStored, storedType, type ScalarType } from './types';

/** Options of {@link referenceSort}. */
export interface ReferenceSortOptions<Values> {

	/** The type of the keys. Default: that of the typed array. */
	type?: ScalarType;
	/** How many elements to take, 0 to all of them. Default: all. */
	count?: number;
	/** Sort by the lowest bits only, 1 to 32, uint keys only; whole keys are moved. Default 32. */
	bits?: number;
	/** Largest first; equal keys keep their order all the same. Default false. */
	descending?: boolean;
	/** What moves along with the keys, one for each. Default: the source indices. */
	values?: Values;

}

export interface ReferenceSortResult<Keys, Values> {

	/** `count` sorted keys. */
	keys: Keys;
	/** `count` values, moved like their keys. */
	values: Values;

}

type Sortable = Uint32Array | Int32Array | Float32Array;

/**
 * Sorts by 32-bit keys, least significant digit first: stable, so equal keys keep their input order, descending too.
 * Floats: −0 comes before +0 and NaN last, in both directions; all NaNs are equal. Inputs are not written, and every key
 * is moved bit by bit.
 *
 * @example
 * referenceSort( new Float32Array( [ 2, - 1, 2 ] ), { descending: true } );	// keys 2 2 - 1, values 0 2 1
 */
export function referenceSort<Keys extends Sortable, Values extends Sortable = Uint32Array>( keys: Keys, options: ReferenceSortOptions<Values> = {} ): ReferenceSortResult<Keys, Values> {

	const who = 'referenceSort';
	const { bits, descending = false, values } = options;
	const type = options.type ?? storedType( keys );

	if ( ! ( keys instanceof Uint32Array || keys instanceof Int32Array || keys instanceof Float32Array ) || ( type !== 'uint' && type !== 'int' && type !== 'float' ) ) {

		throw invalidArgument( `${ who }: keys must be uint, int or float, in a Uint32Array, Int32Array or Float32Array (got ${ describe( type ?? keys ) }). Convert them first.` );

	}

	checkStored( keys, type, who );
	const count = checkCount( options.count, keys.length, who );

	if ( bits !== undefined && ( type !== 'uint' || ! Number.isInteger( bits ) || bits < 1 || bits > 32 ) ) {

		throw invalidArgument( `${ who }: bits must be an integer from 1 to 32, for uint keys only (got ${ describe( bits ) } for ${ type } keys). Omit it to sort by whole keys.` );

	}

	if ( values !== undefined && values.length < count ) {

		throw invalidArgument( `${ who }: values must hold one for each key, ${ count } (got ${ values.length }). Pass more values, or a smaller count.` );

	}

	const order = sortedIndices( sortKeys( keys, count, type, bits ?? 32, descending ) );

	return {
		keys: permute( keys, order ) as Keys,
		values: ( values === undefined ? order : permute( values, order ) ) as Values
	};

}

/** Maps every key to a u32 whose ascending order is the wanted one. */
function sortKeys( keys: Sortable, count: number, type: ScalarType, bits: number, descending: boolean ): Uint32Array {

	const mapped = bitsOf( keys ).slice( 0, count );
	const mask = bits === 32 ? 0xFFFFFFFF : 2 ** bits - 1;

	for ( let index = 0; index < count; index ++ ) {

		const key = mapped[ index ];

		if ( type === 'uint' ) mapped[ index ] = descending ? ~ ( key & mask ) : key & mask;
		else if ( type === 'int' ) mapped[ index ] = descending ? ~ ( key ^ 0x80000000 ) : key ^ 0x80000000;
		else mapped[ index ] = floatSortKey( key, descending );

	}

	return mapped;

}

/** The order of IEEE floats as u32: negative ones are flipped whole, positive ones get the highest bit. */
function floatSortKey( key: number, descending: boolean ): number {

	const magnitude = key & 0x7FFFFFFF;
	const isNegative = key >>> 31 === 1;

	if ( magnitude > 0x7F800000 ) return 0xFFFFFFFF;

	// Descending, the zeros change places with each other, so that -0 still comes first.
	if ( descending && magnitude === 0 ) return isNegative ? 0x7FFFFFFF : 0x80000000;

	const ascending = isNegative ? ~ key : key | 0x80000000;
	return ( descending ? ~ ascending : ascending ) >>> 0;

}

/** The indices that sort `sortKeys` ascending: four stable passes over digits of eight bits. */
function sortedIndices( sortKeys: Uint32Array ): Uint32Array {

	let order = new Uint32Array( sortKeys.length );
	for ( let index = 0; index < order.length; index ++ ) order[ index ] = index;

	for ( let shift = 0; shift < 32; shift += 8 ) {

		const next = new Uint32Array( 257 );
		for ( const key of sortKeys ) next[ ( key >>> shift & 255 ) + 1 ] ++;
		for ( let digit = 0; digit < 256; digit ++ ) next[ digit + 1 ] += next[ digit ];

		const reordered = new Uint32Array( order.length );
		for ( const index of order ) reordered[ next[ sortKeys[ index ] >>> shift & 255 ] ++ ] = index;
		order = reordered;

	}

	return order;

}

function permute( source: Sortable, order: Uint32Array ): Sortable {

	const sourceBits = bitsOf( source );
	const target = new ( source.constructor as new ( length: number ) => Sortable )( order.length );
	const targetBits = bitsOf( target );

	for ( let index = 0; index < order.length; index ++ ) targetBits[ index ] = sourceBits[ order[ index ] ];

	return target;

}

/** The same memory as u32: floats read as numbers could lose the bits of a NaN. */
function bitsOf( array: Sortable ): Uint32Array {

	return new Uint32Array( array.buffer, array.byteOffset, array.length );

}
