import type { Expr } from '../../builder/tsl';

/** Elements a thread flags: one bit each of its mask word. */
export const ELEMENTS_PER_WORD = 32;

/** Where a survivor goes, as seen from its row. */
export interface SurvivorPlace {

	/** Whether the row's element survives. */
	survives: Expr;
	/** Its position: its word's offset and the survivors before it in the word. */
	position: Expr;

}

/** A few rows that are evaluated together. */
export interface RowBatch {

	readonly count: number;
	/** The tile's element that the thread visits in the batch's row `k`. */
	element( k: Expr ): Expr;

}

/** Whether a bit of a value is set. */
export function bitOf( value: Expr, plane: number ): Expr {

	return value.shiftRight( plane ).bitAnd( 1 ).notEqual( 0 );

}

/**
 * Flags of a tile as mask words, a thread's word being for 32 consecutive elements, though elements are visited in rows
 * across the threads, so that memory is read and written by neighbours together. One implementation a kernel kind.
 */
export interface MaskCollective {

	/** The thread's word in the tile; words follow the elements' order. */
	readonly word: Expr;

	/** The tile's element that the thread visits in row `j` of 32. */
	element( j: Expr ): Expr;

	/** Builds the thread's words, one a bit of `values( rows )`: a uint for each of a few of the thread's rows, evaluated once an element. */
	collect( planes: number, values: ( rows: RowBatch ) => Expr[] ): Expr[];

	/** Hands a word and its offset to the rows; `visit` is called with each element of the thread. */
	distribute( word: Expr, offset: Expr, visit: ( element: Expr, place: SurvivorPlace ) => void ): void;

}
