import type { Expr } from '../../builder/tsl';
import { emitWgsl, type TypedExpr, type WgslWriter } from '../../builder/wgsl';
import { constant, type Monoid } from '../monoids';
import { operatorOf, type Operator, type Value } from '../operator';
import type { Fields } from './WorkgroupCollective';

/**
 * Emits a collective's text: gives it the operator, the names of each value's fields and of
 * `extras`, and turns the values it returns into expressions.
 */
export function emitCollective(
	monoid: Monoid,
	values: readonly Fields[],
	extras: readonly Expr[],
	resultCount: number,
	emit: ( writer: WgslWriter, operator: Operator, values: Value[], extras: string[] ) => Value[]
): Fields[] {

	const segmented = values[ 0 ].flag !== undefined;
	const fieldTypes = segmented ? [ monoid.type, 'uint' ] : [ monoid.type as string ];
	const width = fieldTypes.length;

	const inputs: TypedExpr[] = [
		{ node: constant( monoid.type, monoid.identity ), type: monoid.type },
		...extras.map( node => ( { node, type: 'uint' } ) ),
		...values.flatMap( ( { value, flag } ) => [ value, flag ].slice( 0, width ).map( ( node, k ) => ( { node: node as Expr, type: fieldTypes[ k ] } ) ) )
	];

	const outputTypes = new Array<string[]>( resultCount ).fill( fieldTypes ).flat();

	const results = emitWgsl( inputs, outputTypes, ( writer, [ identity, ...names ] ) => {

		const operator = operatorOf( writer, monoid, identity, segmented );
		const fields = names.slice( extras.length );
		const rows = values.map( ( _, k ) => fields.slice( k * width, ( k + 1 ) * width ) );
		return emit( writer, operator, rows, names.slice( 0, extras.length ) ).flat();

	} );

	return new Array( resultCount ).fill( null ).map( ( _, k ) => {

		const [ value, flag ] = results.slice( k * width, ( k + 1 ) * width );
		return segmented ? { value, flag } : { value };

	} );

}
