import type { ComputeNode } from 'three/webgpu';
import type { Closure } from '../../builder/buffers';
import { closureFunction } from '../../builder/closure';
import { If, computeKernel, countOneBits, invocationLocalIndex, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import { builtinMonoid } from '../monoids';
import type { CollectiveChoice } from '../workgroup/createCollective';
import { linearInvocationIndex } from './linearWorkgroupId';
import { collectKernel, maskTile } from './maskTile';
import { foldTotals, loadTotal } from './totals';
import type { Carry } from './scan';

/** A payload array moved along with the survivors. */
export interface GatherPair { from: StorageExpr; to: StorageExpr }

/** What a compaction writes. */
export interface CompactTargets {

	indices: StorageExpr;
	/** How many survivors the outputs hold: the least of their lengths. */
	outputCapacity: number;
	survivorCount: StorageExpr;
	overflow: StorageExpr;
	gather: readonly GatherPair[];
	/** Draw records whose instance count becomes the survivor count. */
	draw: { write( thread: Expr, threads: number, instances: ( k: Expr ) => Expr ): void };

}

/** First dispatch of a compaction: evaluates the predicate once an element, keeps one bit, and counts a tile's survivors. */
export function flagKernel(
	name: string, who: string, choice: CollectiveChoice, predicate: Closure, count: () => Expr,
	mask: StorageExpr, words: number, tileCounts: StorageExpr, tiles: number
): ComputeNode {

	return collectKernel( name, {
		choice, count, planes: 1, none: 0, into: mask, words,
		value: builder => {

			const keep = closureFunction( builder, who, 'predicate', predicate, 'bool' );
			return index => choose( 'uint', keep( index ), uint( 1 ), uint( 0 ) );

		},
		counted: { monoid: builtinMonoid( who, 'add', 'uint' ), of: ( [ word ] ) => countOneBits( word ).toVar(), into: tileCounts, tiles }
	} );

}

/** Last dispatch of a compaction: ranks the survivors by popcounts behind the tiles before, and writes them in order. */
export function scatterKernel(
	name: string, who: string, choice: CollectiveChoice, count: () => Expr,
	mask: StorageExpr, words: number, carry: Exclude<Carry, { from: 'nothing' }>, targets: CompactTargets
): ComputeNode {

	const { workgroupSize } = choice;
	const { indices, outputCapacity, survivorCount, overflow, gather, draw } = targets;
	const sum = builtinMonoid( who, 'add', 'uint' );

	return computeKernel( name, workgroupSize, builder => {

		const { collective, masks, tile, tileSize, firstElement, place } = maskTile( choice );
		const limit = count().toVar();
		const hasTile = firstElement.lessThan( limit ).toVar();

		// spare workgroups see no survivors: what an earlier run with more elements left in the mask is not theirs
		const word = uint( 0 ).toVar();
		If( hasTile.and( place.lessThan( words ) ), () => { word.assign( mask.element( place ) ); } );

		const tilesBefore = choose( 'uint', hasTile, tile, uint( 0 ) ).toVar();
		const before = carry.from === 'prefixes'
			? loadTotal( carry.totals, tilesBefore ).value
			: foldTotals( builder, sum, carry.totals, tilesBefore, collective, workgroupSize ).value;

		const { prefixes: [ prefix ], total } = collective.scan( sum, [ { value: countOneBits( word ).toVar() } ] );

		masks.distribute( word, before.add( prefix.value ).toVar(), ( element, { survives, position } ) => {

			const index = firstElement.add( element ).toVar();
			const target = position.toVar();

			If( survives.and( target.lessThan( outputCapacity ) ), () => {

				indices.element( target ).assign( index );
				for ( const { from, to } of gather ) to.element( target ).assign( from.element( index ) );

			} );

		} );

		const isLast = hasTile.and( firstElement.add( tileSize ).greaterThanEqual( limit ) ).or( tile.equal( 0 ).and( limit.equal( 0 ) ) );

		If( isLast, () => {

			const all = before.add( total.value ).toVar();
			const kept = all.min( uint( outputCapacity ) ).toVar();

			If( invocationLocalIndex.equal( 0 ), () => {

				survivorCount.element( uint( 0 ) ).assign( kept );
				overflow.element( uint( 0 ) ).assign( all.sub( kept ) );

			} );

			draw.write( invocationLocalIndex, workgroupSize, () => kept );

		} );

	} );

}

/** Moves further payload arrays by the survivors' indices, where the scatter had no room to bind them. */
export function gatherKernel( name: string, workgroupSize: number, indices: StorageExpr, survivors: () => Expr, pairs: readonly GatherPair[] ): ComputeNode {

	return computeKernel( name, workgroupSize, () => {

		const target = linearInvocationIndex( workgroupSize ).toVar();

		If( target.lessThan( survivors() ), () => {

			const index = indices.element( target ).toVar();
			for ( const { from, to } of pairs ) to.element( target ).assign( from.element( index ) );

		} );

	} );

}
