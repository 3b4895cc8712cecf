import type { ComputeNode } from 'three/webgpu';
import type { Closure } from '../../builder/buffers';
import { If, computeKernel, invocationLocalIndex, uint, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import { createCollective, type CollectiveChoice } from '../workgroup/createCollective';
import type { Fields } from '../workgroup/WorkgroupCollective';
import { linearWorkgroupIdNode } from './linearWorkgroupId';
import { Tile, type TileShape } from './tile';
import { foldTotals, storeTotal, type TileTotals } from './totals';

/** Where a kernel's elements come from. A closure's values are parked in a buffer where a later kernel needs them. */
export type TileInput = { buffer: StorageExpr } | { closure: Closure; parking: StorageExpr | null };

export function loadTile( tile: Tile, input: TileInput ): void {

	if ( 'buffer' in input ) tile.load( input.buffer );
	else tile.loadClosure( input.closure, input.parking );

}

/** First dispatch of a scan: one aggregate a tile. */
export function reduceKernel( name: string, shape: TileShape, choice: CollectiveChoice, input: TileInput, totals: TileTotals, tiles: number ): ComputeNode {

	return computeKernel( name, shape.workgroupSize, builder => {

		const collective = createCollective( choice );
		const tile = new Tile( builder, shape, linearWorkgroupIdNode().toVar(), collective );
		loadTile( tile, input );

		const total = reduceTile( tile, shape, collective );

		If( invocationLocalIndex.equal( 0 ).and( tile.index.lessThan( tiles ) ), () => storeTotal( totals, tile.index, total ) );

	} );

}

/** The tile's aggregate, in every thread. */
function reduceTile( tile: Tile, { monoid, segments }: TileShape, collective: ReturnType<typeof createCollective> ): Fields {

	if ( ! monoid.commutative || segments !== undefined ) return collective.scan( monoid, tile.scanRegisters() ).total;

	// operands may be exchanged: fold what the thread holds first, whatever its order
	const value = tile.registers.flatMap( register => register.cells ).reduce( ( a, b ) => tile.combine( a, b ) ).toVar();
	return collective.reduce( monoid, { value } );

}

/** A whole reduction of one tile, or the last dispatch of a larger one: the total of everything. */
export function reduceTileKernel( name: string, shape: TileShape, choice: CollectiveChoice, input: TileInput, total: StorageExpr ): ComputeNode {

	return computeKernel( name, shape.workgroupSize, builder => {

		const collective = createCollective( choice );
		const tile = new Tile( builder, shape, uint( 0 ).toVar(), collective );
		loadTile( tile, input );
		storeGrandTotal( tile, reduceTile( tile, shape, collective ), total );

	} );

}

/** Combines the tiles' aggregates to the grand total, by one workgroup. */
export function reduceTotalsKernel( name: string, shape: TileShape, choice: CollectiveChoice, totals: TileTotals, total: StorageExpr ): ComputeNode {

	return computeKernel( name, shape.workgroupSize, builder => {

		const collective = createCollective( choice );
		const tile = new Tile( builder, { ...shape, rows: 1 }, uint( 0 ).toVar(), collective );
		const tileSize = shape.workgroupSize * shape.rows * shape.lanes;
		const tiles = tile.count.add( tileSize - 1 ).div( tileSize ).toVar();
		storeGrandTotal( tile, foldTotals( builder, shape.monoid, totals, tiles, collective, shape.workgroupSize ), total );

	} );

}

/** Puts `initial` in front of everything, or what an empty segmented input has instead, and stores the total. */
export function storeGrandTotal( tile: Tile, all: Fields, total: StorageExpr ): void {

	const { initial, count, combine } = tile;
	const value = initial === undefined ? all.value : all.flag === undefined ? combine( initial, all.value ) : choose( tile.shape.monoid.type, count.equal( 0 ), initial, all.value );

	If( invocationLocalIndex.equal( 0 ), () => { total.element( uint( 0 ) ).assign( value ); } );

}
