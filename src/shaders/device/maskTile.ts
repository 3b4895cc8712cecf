import type { ComputeNode } from 'three/webgpu';
import { If, computeKernel, invocationLocalIndex, type Expr, type StorageExpr } from '../../builder/tsl';
import type { ShaderBuilder } from '../../three-types';
import type { Monoid } from '../monoids';
import { createMaskCollectives, type CollectiveChoice } from '../workgroup/createCollective';
import { ELEMENTS_PER_WORD, type MaskCollective } from '../workgroup/MaskCollective';
import type { WorkgroupCollective } from '../workgroup/WorkgroupCollective';
import { evaluateRows } from './evaluateRows';
import { linearWorkgroupIdNode } from './linearWorkgroupId';

/** A workgroup's tile of elements, a word of 32 a lane. */
export interface MaskTile {

	collective: WorkgroupCollective;
	masks: MaskCollective;
	tile: Expr;
	tileSize: number;
	firstElement: Expr;
	/** Place of the lane's word among all. */
	place: Expr;

}

export function maskTile( choice: CollectiveChoice ): MaskTile {

	const tileSize = choice.workgroupSize * ELEMENTS_PER_WORD;
	const { collective, masks } = createMaskCollectives( choice );
	const tile = linearWorkgroupIdNode().toVar();
	const firstElement = tile.mul( tileSize ).toVar();
	const place = tile.mul( choice.workgroupSize ).add( masks.word ).toVar();

	return { collective, masks, tile, tileSize, firstElement, place };

}

export interface CollectRequest {

	choice: CollectiveChoice;
	count: () => Expr;
	/** Bits of a value; a plane of words each, in `into`. */
	planes: number;
	/** The value past the count. */
	none: number;
	/** The value of an element. */
	value: ( builder: ShaderBuilder ) => ( index: Expr ) => Expr;
	into: StorageExpr;
	/** Words of a plane. */
	words: number;
	/** What a lane's words count, summed over the tile. */
	counted: { monoid: Monoid; of: ( words: readonly Expr[] ) => Expr; into: StorageExpr; tiles: number };

}

/** First dispatch over masks: a value of a few bits once an element, kept by planes of bits, and the counts of a tile. */
export function collectKernel( name: string, { choice, count, planes, none, value, into, words, counted }: CollectRequest ): ComputeNode {

	return computeKernel( name, choice.workgroupSize, builder => {

		const { collective, masks, tile, tileSize, firstElement, place } = maskTile( choice );
		const valueOf = value( builder );
		const limit = count().toVar();
		const full = firstElement.add( tileSize ).lessThanEqual( limit ).toVar();

		const bounds = { firstElement, limit, full, none, planes };
		const bits = masks.collect( planes, rows => evaluateRows( rows, bounds, valueOf ) );
		If( place.lessThan( words ), () => bits.forEach( ( word, p ) => into.element( place.add( p * words ) ).assign( word ) ) );

		const total = collective.reduce( counted.monoid, { value: counted.of( bits ) } );
		If( invocationLocalIndex.equal( 0 ).and( tile.lessThan( counted.tiles ) ), () => { counted.into.element( tile ).assign( total.value ); } );

	} );

}
