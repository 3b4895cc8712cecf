import { describe, invalidArgument } from '../errors';
import { createOperator, toComponents, type Operator, type ReferenceMonoid, type ReferenceMonoidName } from './operator';
import { checkCount, checkStored, storedType, type NumberArray, type ScanType, type ScanValue } from './types';

/** Options of {@link referenceReduce}. */
export interface ReferenceReduceOptions {

	/** The type of an element. Default: the monoid's own type, else the scalar type of the typed array. Required for vectors and plain arrays. */
	type?: ScanType;
	/** Default `'add'`. */
	monoid?: ReferenceMonoidName | ReferenceMonoid;
	/** Combined in front of every prefix, of every segment if there are some. One number per component. */
	initial?: number | readonly number[];
	/** As if input and output were reversed around a forward scan: the last element comes first, as the left operand too. Default false. */
	reverse?: boolean;
	/**
	 * One flag per element: non-zero marks a segment's first element in memory order; element 0 starts one anyway. With
	 * `reverse` the boundaries stay the same, and a segment is scanned from its last element to its first.
	 */
	segments?: ArrayLike<number>;
	/** How many elements to take, 0 to all of them. Default: all. */
	count?: number;
	/**
	 * `'single'` rounds floats to f32 after each step, as a GPU thread would. `'double'` accumulates in f64, to measure
	 * errors against. Integers wrap modulo 2³² in both. Default `'single'`.
	 */
	precision?: 'single' | 'double';

}

/** Options of {@link referenceScan}. */
export interface ReferenceScanOptions extends ReferenceReduceOptions {

	/** Whether an element's own value is part of its prefix. Default `'exclusive'`. */
	kind?: 'exclusive' | 'inclusive';

}

export interface ReferenceScanResult {

	/** `count` elements, vectors packed without padding; a Float64Array with `precision: 'double'` on floats. */
	output: NumberArray;
	/** `initial` and all elements combined; with segments, those of the segment scanned last. A count of 0: `initial`, or the identity. */
	total: ScanValue;

}

/**
 * The prefixes of `values` under an associative operator, one element after the other.
 *
 * Integers wrap modulo 2³² (u32 `>>> 0`, i32 `| 0`, products by `Math.imul`); f32 rounds after each step. Values
 * of vector types are packed without padding. `values` is not written.
 *
 * @example
 * referenceScan( new Uint32Array( [ 3, 1, 7, 0, 4 ] ) );	// output 0 3 4 11 11, total 15
 */
export function referenceScan( values: ArrayLike<number>, options: ReferenceScanOptions = {} ): ReferenceScanResult {

	const who = 'referenceScan';
	const { kind = 'exclusive' } = options;

	if ( kind !== 'exclusive' && kind !== 'inclusive' ) {

		throw invalidArgument( `${ who }: kind must be 'exclusive' or 'inclusive' (got ${ describe( kind ) }). Omit it for 'exclusive'.` );

	}

	const setup = prepare( values, options, who );
	const output = allocate( setup.operator, setup.count, options.precision );
	const total = sweep( values, setup, { kind, output } );

	return { output, total };

}

/**
 * All of `values` combined under an associative operator, one element after the other. Like the total of
 * {@link referenceScan}, with the same options but `kind`.
 *
 * @example
 * referenceReduce( new Float32Array( [ 3, - 1, 2 ] ), { monoid: 'min' } );	// - 1
 */
export function referenceReduce( values: ArrayLike<number>, options: ReferenceReduceOptions = {} ): ScanValue {

	return sweep( values, prepare( values, options, 'referenceReduce' ) );

}

interface Setup {

	readonly operator: Operator;
	readonly count: number;
	readonly start: readonly number[];
	readonly reverse: boolean;
	readonly segments: ArrayLike<number> | undefined;

}

/** The one loop: returns the total and, for a scan, writes the prefixes. */
function sweep( values: ArrayLike<number>, setup: Setup, scan?: { kind: 'exclusive' | 'inclusive'; output: NumberArray } ): ScanValue {

	const { operator, count, start, reverse, segments } = setup;
	const { components, round, combine } = operator;
	const accumulator = start.slice();
	const value = new Array<number>( components ).fill( 0 );

	for ( let step = 0; step < count; step ++ ) {

		const index = reverse ? count - 1 - step : step;

		// Backwards, an element starts over when the one that was scanned before it, at index + 1, is its segment's first.
		const entersSegment = step > 0 && segments !== undefined && segments[ reverse ? index + 1 : index ] !== 0;
		if ( entersSegment ) for ( let c = 0; c < components; c ++ ) accumulator[ c ] = start[ c ];

		for ( let c = 0; c < components; c ++ ) value[ c ] = round( values[ index * components + c ] );

		if ( scan?.kind === 'exclusive' ) write( accumulator, scan.output, index );
		combine( accumulator, value );
		if ( scan?.kind === 'inclusive' ) write( accumulator, scan.output, index );

	}

	return components === 1 ? accumulator[ 0 ] : accumulator;

}

function write( prefix: readonly number[], output: NumberArray, index: number ): void {

	for ( let c = 0; c < prefix.length; c ++ ) output[ index * prefix.length + c ] = prefix[ c ];

}

function prepare( values: ArrayLike<number>, options: ReferenceReduceOptions, who: string ): Setup {

	const { monoid = 'add', precision = 'single', segments } = options;
	const type = options.type ?? ( typeof monoid === 'string' ? storedType( values ) : monoid.type );

	if ( type === undefined ) {

		throw invalidArgument( `${ who }: type can't be told from the values (got ${ describe( values ) }). Pass type, or a Uint32Array, Int32Array or Float32Array.` );

	}

	const operator = createOperator( monoid, type, precision, who );
	const { components } = operator;

	checkStored( values, operator.scalarType, who );

	if ( values.length % components !== 0 ) {

		throw invalidArgument( `${ who }: the values must be whole elements of ${ components } numbers (got ${ values.length } numbers). Pack vectors without padding.` );

	}

	const count = checkCount( options.count, values.length / components, who );

	if ( segments !== undefined && segments.length < count ) {

		throw invalidArgument( `${ who }: segments must hold one flag per element, ${ count } (got ${ segments.length }). Pass more flags, or a smaller count.` );

	}

	const start = options.initial === undefined ? operator.identity : toComponents( options.initial, operator, 'initial', who );

	return { operator, count, start, reverse: options.reverse === true, segments };

}

function allocate( { scalarType, components }: Operator, count: number, precision: 'single' | 'double' = 'single' ): NumberArray {

	const length = count * components;

	if ( scalarType === 'uint' ) return new Uint32Array( length );
	if ( scalarType === 'int' ) return new Int32Array( length );
	return precision === 'double' ? new Float64Array( length ) : new Float32Array( length );

}
