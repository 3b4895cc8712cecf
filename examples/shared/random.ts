/** Repeatable numbers in [0, 1) from integers: the same world for everyone (the mixing steps are MurmurHash3's finalizer). */
export function hash( x: number, y = 0, seed = 0 ): number {

	let bits = Math.imul( x, 0x27d4eb2f ) ^ Math.imul( y, 0x165667b1 ) ^ Math.imul( seed, 0x9e3779b1 );
	bits = Math.imul( bits ^ ( bits >>> 16 ), 0x85ebca6b );
	bits = Math.imul( bits ^ ( bits >>> 13 ), 0xc2b2ae35 );
	return ( ( bits ^ ( bits >>> 16 ) ) >>> 0 ) / 4294967296;

}

/** Smooth noise in [−1, 1], one feature a unit: hashed values at whole numbers, joined by quintic curves. */
export function noise( x: number, y: number, seed = 0 ): number {

	const column = Math.floor( x );
	const row = Math.floor( y );
	const u = ease( x - column );
	const v = ease( y - row );
	const near = mix( hash( column, row, seed ), hash( column + 1, row, seed ), u );
	const far = mix( hash( column, row + 1, seed ), hash( column + 1, row + 1, seed ), u );
	return mix( near, far, v ) * 2 - 1;

}

export function mix( from: number, to: number, weight: number ): number {

	return from + ( to - from ) * weight;

}

function ease( t: number ): number {

	return t * t * t * ( t * ( t * 6 - 15 ) + 10 );

}
