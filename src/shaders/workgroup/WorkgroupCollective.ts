import type { Expr } from '../../builder/tsl';
import type { Monoid } from '../monoids';

/** One thread's values in a scan: the value and, in a segmented scan, a uint flag. */
export interface Fields { value: Expr; flag?: Expr }

export interface WorkgroupScanResult {

	/** For each of the thread's rows, everything in front of it in the workgroup. */
	prefixes: Fields[];
	/** All rows of all threads combined; the same in every thread. */
	total: Fields;

}

/**
 * The collectives over one workgroup: the only thing that differs between devices. There is one implementation
 * a kernel kind. All invocations must reach each call.
 */
export interface WorkgroupCollective {

	/**
	 * Position in the tile of the thread's row `k`: a thread owns `rows` items, and the order of positions is
	 * the order of combination. Kernels load and store by it.
	 */
	position( k: number, rows: number ): Expr;

	/** Exclusive scan over the rows of all threads in the order of their positions. */
	scan( monoid: Monoid, rows: readonly Fields[] ): WorkgroupScanResult;

	/** Combines one value a thread: of threads in order where the monoid doesn't commute. */
	reduce( monoid: Monoid, value: Fields ): Fields;

}
