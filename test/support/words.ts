/** Throws where two arrays differ first: a comparison of its own, since an assertion's difference takes minutes. */
export function expectWords( label: string, actual: Uint32Array, expected: Uint32Array ): void {

	if ( actual.length !== expected.length ) throw new Error( `${ label }: ${ actual.length } words (expected ${ expected.length }).` );
	const at = expected.findIndex( ( word, i ) => actual[ i ] !== word );
	if ( at >= 0 ) throw new Error( `${ label }: word ${ at } is ${ actual[ at ] } (expected ${ expected[ at ] }).` );

}
