import { If, Loop, uint, type Expr } from '../../builder/tsl';
import type { RowBatch } from '../workgroup/MaskCollective';

/** Where a tile's elements are, and how many there are. */
export interface TileBounds {

	firstElement: Expr;
	limit: Expr;
	/** Whether all of the tile is below the limit. */
	full: Expr;
	/** The value of what lies past the limit. */
	none: number;
	/** Bits of a value. */
	planes: number;

}

/**
 * Evaluates a closure's value for a few rows. Several in a full tile without a branch between them, so that their loads are under way together;
 * in the last one in a loop, so that the closure stands in the shader once more and not once more a row: people's predicates are long, and
 * compilers inline them.
 */
export function evaluateRows( rows: RowBatch, { firstElement, limit, full, none, planes }: TileBounds, value: ( index: Expr ) => Expr ): Expr[] {

	const values = Array.from( { length: rows.count }, () => uint( none ).toVar() );

	if ( rows.count === 1 ) {

		const index = firstElement.add( rows.element( uint( 0 ) ) ).toVar();
		If( index.lessThan( limit ), () => { values[ 0 ].assign( value( index ) ); } );
		return values;

	}

	If( full, () => {

		values.forEach( ( own, k ) => own.assign( value( firstElement.add( rows.element( uint( k ) ) ).toVar() ) ) );

	} ).Else( () => {

		const packed = uint( 0 ).toVar();

		Loop( { start: uint( 0 ), end: uint( rows.count ), type: 'uint', condition: '<', update: 1 }, ( { i } ) => {

			const index = firstElement.add( rows.element( i ) ).toVar();
			const own = uint( none ).toVar();
			If( index.lessThan( limit ), () => { own.assign( value( index ) ); } );
			packed.assign( packed.bitOr( own.shiftLeft( i.mul( planes ) ) ) );

		} );

		values.forEach( ( own, k ) => own.assign( packed.shiftRight( k * planes ).bitAnd( 2 ** planes - 1 ) ) );

	} );

	return values;

}
