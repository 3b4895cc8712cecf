/** The value below which a fraction `q` of the values lies: the nearest of them. */
export function quantile( values: readonly number[], q: number ): number {

	const sorted = [ ...values ].sort( ( a, b ) => a - b );
	return sorted[ Math.round( q * ( sorted.length - 1 ) ) ];

}
