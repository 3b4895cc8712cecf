/** Which bits of `i · 2654435761` make word `i` of the input: random enough, and the same on CPU, GPU and in CUDA. */
export interface Pattern { readonly shift: number; readonly mask: number }

/** The CUB reference's input. */
export const TWO_BITS: Pattern = { shift: 13, mask: 3 };
/** Fine enough for one percent. */
export const TEN_BITS: Pattern = { shift: 13, mask: 1023 };
export const THREE_BITS: Pattern = { shift: 13, mask: 7 };
export const TWELVE_BITS: Pattern = { shift: 13, mask: 4095 };
export const ALL_BITS: Pattern = { shift: 0, mask: 0xffffffff };

export const MULTIPLIER = 2654435761;

/** Word `i` of the input. */
export function wordAt( { shift, mask }: Pattern, i: number ): number {

	return ( Math.imul( i, MULTIPLIER ) >>> shift & mask ) >>> 0;

}

/** The index of a word of {@link ALL_BITS}: its multiplication, undone. */
export function indexOf( word: number ): number {

	return Math.imul( word, 244002641 ) >>> 0;

}
