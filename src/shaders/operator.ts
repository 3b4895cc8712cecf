import type { WgslWriter } from '../builder/wgsl';
import { combineName, type Monoid } from './monoids';

/**
 * A value inside a collective: one WGSL variable a field. A plain scan has one field; a segmented scan
 * has two, the value and a flag that says whether a segment starts in what the value combines.
 */
export type Value = readonly string[];

/** A monoid in WGSL text, over {@link Value}s. What every collective is written against. */
export interface Operator {

	/** WGSL types of the fields. */
	readonly types: readonly string[];
	readonly identity: Value;
	/** Expressions of `a` combined with `b`, `a` in front. Operands are used more than once: pass names. */
	combine( a: Value, b: Value ): Value;
	/** `Add` or `Mul` where the subgroup has a native scan for it. */
	readonly native: 'Add' | 'Mul' | undefined;

}

/**
 * The monoid as an {@link Operator}; with `segmented`, lifted to pairs of value and flag by
 * (v₁, f₁) ⊕ (v₂, f₂) = (f₂ ? v₂ : v₁ ⊕ v₂, f₁ | f₂), which is associative where ⊕ is (Blelloch 1990, §1.5).
 */
export function operatorOf( writer: WgslWriter, monoid: Monoid, identity: string, segmented: boolean ): Operator {

	const name = combineName( writer.builder, monoid );
	const type = writer.type( monoid.type );

	if ( segmented ) {

		return {
			types: [ type, 'u32' ],
			identity: [ identity, '0u' ],
			combine: ( a, b ) => [ `select( ${ name }( ${ a[ 0 ] }, ${ b[ 0 ] } ), ${ b[ 0 ] }, ${ b[ 1 ] } != 0u )`, `${ a[ 1 ] } | ${ b[ 1 ] }` ],
			native: undefined
		};

	}

	return {
		types: [ type ],
		identity: [ identity ],
		combine: ( a, b ) => [ `${ name }( ${ a[ 0 ] }, ${ b[ 0 ] } )` ],
		native: monoid.subgroup === 'add' ? 'Add' : monoid.subgroup === 'mul' ? 'Mul' : undefined
	};

}

/** Declares a variable a field. */
export function declare( writer: WgslWriter, prefix: string, operator: Operator, value: Value ): Value {

	return value.map( ( expression, k ) => {

		const name = writer.name( `${ prefix }_${ k === 0 ? '' : `field${ k }_` }` );
		writer.line( `var ${ name }: ${ operator.types[ k ] } = ${ expression }` );
		return name;

	} );

}

/** Statements that assign a value, all fields at once: a field may read the others' old ones. */
export function assignments( writer: WgslWriter, target: Value, value: Value ): string {

	if ( target.length === 1 ) return `${ target[ 0 ] } = ${ value[ 0 ] };`;

	const temporaries = value.map( () => writer.name( 'next_' ) );
	return [
		...value.map( ( expression, k ) => `let ${ temporaries[ k ] } = ${ expression };` ),
		...target.map( ( name, k ) => `${ name } = ${ temporaries[ k ] };` )
	].join( ' ' );

}

/** Workgroup memory for values: one array a field. */
export interface ValueArray {

	at( index: string ): Value;
	store( index: string, value: Value ): string;

}

export function declareArray( writer: WgslWriter, prefix: string, operator: Operator, length: number ): ValueArray {

	const arrays = operator.types.map( type => writer.workgroupArray( prefix, type, length ) );
	const at = ( index: string ): Value => arrays.map( name => `${ name }[ ${ index } ]` );

	return { at, store: ( index, value ) => at( index ).map( ( element, k ) => `${ element } = ${ value[ k ] };` ).join( ' ' ) };

}
