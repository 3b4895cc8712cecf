import { describe, invalidArgument } from '../errors';

/** The type of one component: 32 bits each. */
export type ScalarType = 'uint' | 'int' | 'float';

/** The type of one element: a scalar, or a vector of 2 to 4 components. */
export type ScanType = ScalarType | `${ 'u' | 'i' | '' }vec${ 2 | 3 | 4 }`;

/** One element: a number for scalar types, an array of 2 to 4 numbers for vector types. */
export type ScanValue = number | number[];

/** What the twins return; `Float64Array` only under `precision: 'double'`. */
export type NumberArray = Uint32Array | Int32Array | Float32Array | Float64Array;

const vectorPattern = /^([ui]?)vec([234])$/;

/** The type of a component of `type`; refuses what is no {@link ScanType}. */
export function scalarTypeOf( type: ScanType, who: string ): ScalarType {

	if ( type === 'uint' || type === 'int' || type === 'float' ) return type;

	const match = vectorPattern.exec( type );
	if ( match === null ) throw invalidArgument( `${ who }: type must be uint, int, float or a vector of 2 to 4 of them (got ${ describe( type ) }). Convert other types first.` );

	return match[ 1 ] === 'u' ? 'uint' : match[ 1 ] === 'i' ? 'int' : 'float';

}

/** How many components an element of `type` has: 1 to 4. */
export function componentsOf( type: ScanType ): number {

	const match = vectorPattern.exec( type );
	return match === null ? 1 : Number( match[ 2 ] );

}

/** The scalar type that a 32-bit typed array (or a Float64Array) stores, undefined for anything else. */
export function storedType( values: unknown ): ScalarType | undefined {

	if ( values instanceof Uint32Array ) return 'uint';
	if ( values instanceof Int32Array ) return 'int';
	if ( values instanceof Float32Array || values instanceof Float64Array ) return 'float';
	return undefined;

}

/**
 * Refuses to read an array of floats as integers, or the other way round. uint and int may stand for each other: the
 * bits are the same, as they are on the GPU.
 */
export function checkStored( values: unknown, type: ScalarType, who: string ): void {

	const stored = storedType( values );
	if ( stored === undefined ) return;
	if ( ( stored === 'float' ) !== ( type === 'float' ) ) {

		throw invalidArgument( `${ who }: type ${ type } must match the array (got ${ describe( values ) }). Convert the array, or name its own type.` );

	}

}

/** `count`, or `available` where it is left out; refuses fractions and what lies outside 0 … `available`. */
export function checkCount( count: number | undefined, available: number, who: string ): number {

	if ( count === undefined ) return available;
	if ( Number.isInteger( count ) && count >= 0 && count <= available ) return count;

	throw invalidArgument( `${ who }: count must be an integer from 0 to ${ available } (got ${ describe( count ) }). Pass more data, or a smaller count.` );

}
