import type { ComputeNode } from 'three/webgpu';
import { If, Loop, computeKernel, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import { combineFunction, constant, type Monoid } from '../monoids';
import { createCollective, type CollectiveChoice } from '../workgroup/createCollective';
import type { Fields } from '../workgroup/WorkgroupCollective';
import { linearWorkgroupIdNode } from './linearWorkgroupId';
import { loadTile, storeGrandTotal, type TileInput } from './reduce';
import { Tile, type TileShape } from './tile';
import { foldTotals, loadTotal, storeTotal, type TileTotals } from './totals';

/**
 * What stands in front of a tile: nothing (there is one tile), the aggregates before it (summed here, in two
 * dispatches), or a prefix that the spine has made (in three).
 */
export type Carry = { from: 'nothing' } | { from: 'aggregates' | 'prefixes'; totals: TileTotals };

/** Last dispatch of a scan: scans each tile behind what stands in front of it, and writes the output and the total. */
export function scanKernel(
	name: string, shape: TileShape, choice: CollectiveChoice, input: TileInput,
	output: { target: StorageExpr; kind: 'exclusive' | 'inclusive' }, carry: Carry, total: StorageExpr
): ComputeNode {

	const { monoid, segments, workgroupSize } = shape;

	return computeKernel( name, workgroupSize, builder => {

		const collective = createCollective( choice );
		const index = carry.from === 'nothing' ? uint( 0 ).toVar() : lastTileFirst( shape ).toVar();
		const tile = new Tile( builder, shape, index, collective );
		loadTile( tile, input );

		const before = beforeTile( tile ); // while the tile's loads are under way
		const { prefixes, total: own } = collective.scan( monoid, tile.scanRegisters() );
		const store = ( all: Fields ): void => storeGrandTotal( tile, all, total );

		if ( before === undefined ) {

			const start: Fields | undefined = tile.initial !== undefined && segments === undefined ? { value: tile.initial } : undefined;
			tile.store( output.target, output.kind, start === undefined ? prefixes : prefixes.map( prefix => tile.combineFields( start, prefix ) ) );
			store( own );
			return;

		}

		const start: Fields = tile.initial !== undefined && segments === undefined ? { value: tile.combine( tile.initial, before.value ).toVar() } : before;
		tile.store( output.target, output.kind, prefixes.map( prefix => tile.combineFields( start, prefix ) ) );

		const isLast = index.add( 1 ).mul( tile.size ).greaterThanEqual( tile.count ).and( index.mul( tile.size ).lessThan( tile.count ).or( index.equal( 0 ) ) );
		const all = tile.combineFields( before, own );
		If( isLast, () => store( all ) );

		function beforeTile( { count, size }: Tile ): Fields | undefined {

			if ( carry.from === 'nothing' ) return undefined;

			// spare workgroups have nothing in front: they have no tile
			const tilesBefore: Expr = choose( 'uint', index.mul( size ).lessThan( count ), index, uint( 0 ) ).toVar();

			return carry.from === 'prefixes'
				? loadTotal( carry.totals, tilesBefore )
				: foldTotals( builder, monoid, carry.totals, tilesBefore, collective, workgroupSize );

		}

	} );

}

/** The workgroup's tile, from the last to the first: what the reduction read last is still in the cache. Spare workgroups stay past the end. */
function lastTileFirst( { workgroupSize, rows, lanes, count }: TileShape ): Expr {

	const size = workgroupSize * rows * lanes;
	const id = linearWorkgroupIdNode().toVar();
	const tiles = count().add( size - 1 ).div( size ).toVar();
	return choose( 'uint', id.lessThan( tiles ), tiles.sub( 1 ).sub( id ), id );

}

/**
 * Middle dispatch of a scan over very many tiles: one workgroup replaces the tiles' aggregates by their exclusive
 * prefixes, a row of them at a time.
 */
export function spineKernel( name: string, monoid: Monoid, workgroupSize: number, choice: CollectiveChoice, totals: TileTotals, tiles: number ): ComputeNode {

	const rows = 4;
	const step = workgroupSize * rows;

	return computeKernel( name, workgroupSize, builder => {

		const collective = createCollective( choice );
		const combine = combineFunction( builder, monoid );
		const segmented = totals.flags !== undefined;
		const identity = constant( monoid.type, monoid.identity );
		const nothing = (): Fields => segmented ? { value: identity.toVar(), flag: uint( 0 ).toVar() } : { value: identity.toVar() };
		const running = nothing();

		const join = ( a: Fields, b: Fields ): Fields => {

			const value = combine( a.value, b.value );
			return a.flag === undefined || b.flag === undefined ? { value } : { value: choose( monoid.type, b.flag.notEqual( 0 ), b.value, value ), flag: a.flag.bitOr( b.flag ) };

		};

		Loop( { start: uint( 0 ), end: uint( tiles ), type: 'uint', condition: '<', update: step }, ( { i } ) => {

			const places = new Array( rows ).fill( 0 ).map( ( _, k ) => i.add( collective.position( k, rows ) ).toVar() );

			const values = places.map( place => {

				const value = nothing();
				If( place.lessThan( tiles ), () => {

					const loaded = loadTotal( totals, place );
					value.value.assign( loaded.value );
					if ( value.flag !== undefined && loaded.flag !== undefined ) value.flag.assign( loaded.flag );

				} );
				return value;

			} );

			const { prefixes, total } = collective.scan( monoid, values );

			places.forEach( ( place, k ) => If( place.lessThan( tiles ), () => storeTotal( totals, place, join( running, prefixes[ k ] ) ) ) );

			const next = join( running, total );
			const [ value, flag ] = [ next.value.toVar(), next.flag?.toVar() ];
			running.value.assign( value );
			if ( running.flag !== undefined && flag !== undefined ) running.flag.assign( flag );

		} );

	} );

}
