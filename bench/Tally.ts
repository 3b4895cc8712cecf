/** Elements between two checkpoints. */
const STRIDE = 2 ** 16;

/**
 * Running sums over 0 … n − 1, in channels: what a scan, a compaction or a partition must give anywhere, from one pass over
 * the input and a few checkpoints, however long it is.
 */
export class Tally {

	/** Sum of each channel over all elements. */
	readonly totals: Float64Array;
	private readonly checkpoints: Float64Array;

	/**
	 * @param channel - The channel that element `i` counts in; none if outside 0 … channels − 1.
	 * @param weight - What it counts there.
	 */
	constructor( readonly n: number, readonly channels: number, private readonly channel: ( i: number ) => number, private readonly weight: ( i: number ) => number ) {

		const blocks = Math.ceil( n / STRIDE );
		this.totals = new Float64Array( channels );
		this.checkpoints = new Float64Array( blocks * channels );

		for ( let block = 0; block < blocks; block ++ ) {

			this.checkpoints.set( this.totals, block * channels );
			this.walk( this.totals, block * STRIDE, Math.min( n, ( block + 1 ) * STRIDE ) );

		}

	}

	/** Sum of each channel over the elements before `i`. */
	before( i: number ): Float64Array {

		const block = Math.min( Math.floor( i / STRIDE ), this.checkpoints.length / this.channels - 1 );
		const sums = this.checkpoint( block );
		this.walk( sums, block * STRIDE, i );
		return sums;

	}

	/** Element number `rank` of a channel in which each element counts 1. */
	find( channel: number, rank: number ): number {

		let low = 0;
		let high = this.checkpoints.length / this.channels - 1;

		while ( low < high ) {

			const middle = Math.ceil( ( low + high ) / 2 );
			if ( this.checkpoint( middle )[ channel ] <= rank ) low = middle;
			else high = middle - 1;

		}

		let left = rank - this.checkpoint( low )[ channel ];

		for ( let i = low * STRIDE; i < this.n; i ++ ) {

			if ( this.channel( i ) !== channel ) continue;
			if ( left === 0 ) return i;
			left --;

		}

		return this.n;

	}

	/** The first element of a channel at or after `i`. */
	next( channel: number, i: number ): number {

		while ( i < this.n && this.channel( i ) !== channel ) i ++;
		return i;

	}

	private checkpoint( block: number ): Float64Array {

		return this.checkpoints.slice( block * this.channels, ( block + 1 ) * this.channels );

	}

	private walk( sums: Float64Array, from: number, to: number ): void {

		for ( let i = from; i < to; i ++ ) {

			const channel = this.channel( i );
			if ( channel >= 0 && channel < this.channels ) sums[ channel ] += this.weight( i );

		}

	}

}
