import { If, Loop, uint, type Expr } from '../builder/tsl';

/** The first of `length` indices from which on `isPast` holds, or `length`: false up to there, true from there on. */
export function binarySearch( length: Expr, isPast: ( index: Expr ) => Expr ): Expr {

	const low = uint( 0 ).toVar();
	const high = uint( length ).toVar();

	// as many steps as a uint has bits: a count that no value can keep from ending
	Loop( { start: uint( 0 ), end: uint( 32 ), type: 'uint', condition: '<', update: 1 }, () => {

		If( low.lessThan( high ), () => {

			const middle = low.add( high.sub( low ).shiftRight( 1 ) ).toVar();
			If( isPast( middle ), () => { high.assign( middle ); } ).Else( () => { low.assign( middle.add( 1 ) ); } );

		} );

	} );

	return low;

}
