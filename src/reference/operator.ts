import { describe, invalidArgument } from '../errors';
import { componentsOf, scalarTypeOf, type ScalarType, type ScanType, type ScanValue } from './types';

/** The ready-made operators; each works on every component of a vector by itself. */
export type ReferenceMonoidName = 'add' | 'mul' | 'min' | 'max' | 'bitAnd' | 'bitOr' | 'bitXor';

/** What the twins need of a monoid; one made by `createMonoid` fits. */
export interface ReferenceMonoid {

	readonly type: ScanType;
	/** Leaves every element as it is, from both sides. */
	readonly identity: number | readonly number[];
	/**
	 * Combines two elements, the earlier one first; associative, need not commute. Takes and returns numbers for scalar
	 * types, arrays for vector types. The twin rounds or wraps the result to the element's type.
	 */
	combineReference( earlier: ScanValue, later: ScanValue ): ScanValue;

}

/** A monoid made ready for sequential loops: elements are always arrays of components, which are already rounded. */
export interface Operator {

	readonly type: ScanType;
	readonly scalarType: ScalarType;
	readonly components: number;
	readonly identity: readonly number[];
	/** To the nearest value of the component's type; integers wrap modulo 2³². */
	readonly round: ( value: number ) => number;
	/** Replaces `accumulator` by accumulator ∘ value. */
	readonly combine: ( accumulator: number[], value: number[] ) => void;

}

type Combine = ( a: number, b: number ) => number;

interface ReadyMade {

	identity( type: ScalarType ): number;
	combine( type: ScalarType ): Combine;

}

const lowest: Record<ScalarType, number> = { uint: 0, int: - 2147483648, float: - Infinity };
const highest: Record<ScalarType, number> = { uint: 4294967295, int: 2147483647, float: Infinity };

const readyMades: Record<ReferenceMonoidName, ReadyMade> = {
	add: { identity: () => 0, combine: () => ( a, b ) => a + b },
	mul: { identity: () => 1, combine: type => type === 'float' ? ( a, b ) => a * b : Math.imul },
	min: { identity: type => highest[ type ], combine: () => Math.min },
	max: { identity: type => lowest[ type ], combine: () => Math.max },
	bitAnd: { identity: () => - 1, combine: () => ( a, b ) => a & b },
	bitOr: { identity: () => 0, combine: () => ( a, b ) => a | b },
	bitXor: { identity: () => 0, combine: () => ( a, b ) => a ^ b }
};

/** The rounding of one component. `double` leaves floats in f64; integers wrap all the same. */
export function roundingOf( type: ScalarType, precision: 'single' | 'double' ): ( value: number ) => number {

	if ( type === 'uint' ) return value => value >>> 0;
	if ( type === 'int' ) return value => value | 0;
	return precision === 'double' ? value => value : Math.fround;

}

/** Resolves a name or a monoid for elements of `type`. */
export function createOperator( monoid: ReferenceMonoidName | ReferenceMonoid, type: ScanType, precision: 'single' | 'double', who: string ): Operator {

	const scalarType = scalarTypeOf( type, who );
	const base = { type, scalarType, components: componentsOf( type ), round: roundingOf( scalarType, precision ) };

	return typeof monoid === 'string' ? readyMadeOperator( monoid, base, who ) : customOperator( monoid, base, who );

}

type Base = Omit<Operator, 'identity' | 'combine'>;

function readyMadeOperator( name: ReferenceMonoidName, base: Base, who: string ): Operator {

	const { scalarType, components, round } = base;

	if ( ! Object.hasOwn( readyMades, name ) ) {

		throw invalidArgument( `${ who }: monoid must be one of ${ Object.keys( readyMades ).join( ', ' ) } (got ${ describe( name ) }). Pass a monoid of your own for anything else.` );

	}

	if ( name.startsWith( 'bit' ) && scalarType === 'float' ) {

		throw invalidArgument( `${ who }: ${ name } works on integers only (got ${ base.type }). Use a uint or int type.` );

	}

	const identity = round( readyMades[ name ].identity( scalarType ) );
	const combineScalars = readyMades[ name ].combine( scalarType );

	return {
		...base,
		identity: new Array<number>( components ).fill( identity ),
		combine( accumulator, value ) {

			for ( let c = 0; c < components; c ++ ) accumulator[ c ] = round( combineScalars( accumulator[ c ], value[ c ] ) );

		}
	};

}

const resultName = 'what combineReference returns';

function customOperator( monoid: ReferenceMonoid, base: Base, who: string ): Operator {

	const { type, components, round } = base;

	if ( monoid.type !== type ) {

		throw invalidArgument( `${ who }: the monoid's type must be that of the values, ${ type } (got ${ describe( monoid.type ) }). Create the monoid for ${ type }, or pass type.` );

	}

	return {
		...base,
		identity: toComponents( monoid.identity, base, 'the monoid\'s identity', who ),
		combine( accumulator, value ) {

			if ( components === 1 ) {

				const result = monoid.combineReference( accumulator[ 0 ], value[ 0 ] );
				checkShape( result, base, resultName, who );
				accumulator[ 0 ] = round( result as number );

			} else {

				const result = monoid.combineReference( accumulator, value );
				checkShape( result, base, resultName, who );
				for ( let c = 0; c < components; c ++ ) accumulator[ c ] = round( ( result as number[] )[ c ] );

			}

		}
	};

}

type Shape = Pick<Operator, 'type' | 'components' | 'round'>;

/** An element as an array of rounded components; refuses another shape than that of the type. */
export function toComponents( value: number | readonly number[], shape: Shape, what: string, who: string ): number[] {

	checkShape( value, shape, what, who );
	return typeof value === 'number' ? [ shape.round( value ) ] : Array.from( value, shape.round );

}

function checkShape( value: number | readonly number[], { type, components }: Shape, what: string, who: string ): void {

	if ( components === 1 ? typeof value === 'number' : typeof value === 'object' && value?.length === components ) return;

	const shapeName = components === 1 ? 'a number' : `${ components } numbers`;
	throw invalidArgument( `${ who }: ${ what } must be ${ shapeName } for type ${ type } (got ${ describe( value ) }). Give one number per component.` );

}
