import type { WgslWriter } from '../../builder/wgsl';
import { assignments, declare, declareArray, type Operator, type Value } from '../operator';
import { lastLane, subgroupScanWgsl, type Lanes, type SubgroupScanMethod } from '../subgroup/subgroupScan';
import type { SubgroupOrder } from '../subgroup/SubgroupOrder';
import { emitCollective } from './collective';
import type { WorkgroupCollective } from './WorkgroupCollective';

/** No subgroup of a compute shader is narrower (WebGPU: `subgroupMinSize` is at least 4), whatever the device reports. */
const NARROWEST_SUBGROUP = 4;

/**
 * The workgroup scan over subgroups, in four steps: each subgroup scans its lanes (row after row); its last lane
 * exports the subgroup's total to workgroup memory; the totals are scanned, in rounds where there are more totals than
 * lanes; every lane puts its subgroup's offset in front. Each subgroup scans the totals for itself, which saves the
 * second barrier that one scanning subgroup would cost.
 */
export function hierarchicalCollective( workgroupSize: number, method: SubgroupScanMethod, order: SubgroupOrder ): WorkgroupCollective {

	const extras = [ order.lane, order.rank, order.active, order.size, order.subgroup ];
	const lanesOf = ( [ lane, rank, active, size ]: string[] ): Lanes => ( { lane, rank, active, size } );

	return {

		// a subgroup owns a contiguous chunk of the tile, row after row: every access is coalesced
		position: ( k, rows ) => order.first.mul( rows ).add( order.active.mul( k ) ).add( order.rank ),

		scan( monoid, rows ) {

			const results = emitCollective( monoid, rows, extras, rows.length + 1, ( writer, operator, values, names ) => {

				const lanes = lanesOf( names );
				const running = declare( writer, 'row_prefix', operator, operator.identity );

				const prefixes = values.map( ( value, k ) => {

					const { exclusive, inclusive } = subgroupScanWgsl( writer, operator, method, lanes, value );
					const prefix = k === 0 ? exclusive : declare( writer, 'row_scan', operator, operator.combine( running, exclusive ) );
					const rowTotal = declare( writer, 'row_total', operator, lastLane( lanes, inclusive ) );
					writer.line( `{ ${ assignments( writer, running, k === 0 ? rowTotal : operator.combine( running, rowTotal ) ) } }` );
					return prefix;

				} );

				const { before, total } = scanTotals( writer, operator, method, lanes, names[ 4 ], running, order.subgroups( workgroupSize ), workgroupSize );
				return [ ...prefixes.map( prefix => declare( writer, 'prefix', operator, operator.combine( before, prefix ) ) ), total ];

			} );

			return { prefixes: results.slice( 0, - 1 ), total: results[ rows.length ] };

		},

		reduce( monoid, input ) {

			return emitCollective( monoid, [ input ], extras, 1, ( writer, operator, [ value ], names ) => {

				const lanes = lanesOf( names );
				const subgroupTotal = method === 'native' && operator.native !== undefined
					? [ `subgroup${ operator.native }( ${ value[ 0 ] } )` ]
					: lastLane( lanes, subgroupScanWgsl( writer, operator, method, lanes, value ).inclusive );

				const running = declare( writer, 'subgroup_total', operator, subgroupTotal );
				return [ scanTotals( writer, operator, method, lanes, names[ 4 ], running, order.subgroups( workgroupSize ), workgroupSize ).total ];

			} )[ 0 ];

		}

	};

}

/** Steps two and three: from each subgroup's total, what stands before the own subgroup, and the workgroup's total. */
function scanTotals(
	writer: WgslWriter, operator: Operator, method: SubgroupScanMethod, lanes: Lanes,
	subgroup: string, own: Value, subgroups: string, workgroupSize: number
): { before: Value; total: Value } {

	const totals = declareArray( writer, 'totals', operator, Math.ceil( workgroupSize / NARROWEST_SUBGROUP ) );

	writer.line( 'workgroupBarrier()' ); // an earlier use of the same memory, in a loop, has been read
	writer.line( `if ( ${ lanes.rank } == ${ lanes.active } - 1u ) { ${ totals.store( subgroup, own ) } }` );
	writer.line( 'workgroupBarrier()' );

	const before = declare( writer, 'before', operator, operator.identity );
	const total = declare( writer, 'total', operator, operator.identity );

	// Full subgroups take the totals a subgroup's width at a time. The width is uniform, so every lane takes the same branch.
	const round = writer.name( 'round_' );
	writer.line( `if ( ${ workgroupSize }u % ${ lanes.size } == 0u ) { for ( var ${ round } = 0u; ${ round } < ${ workgroupSize }u / ${ lanes.size }; ${ round } += ${ lanes.size } ) {` );
	const value = declare( writer, 'round_value', operator, operator.identity );
	writer.line( `if ( ${ round } + ${ lanes.rank } < ${ workgroupSize }u / ${ lanes.size } ) { ${ assignments( writer, value, totals.at( `${ round } + ${ lanes.rank }` ) ) } }` );
	const { exclusive, inclusive } = subgroupScanWgsl( writer, operator, method, lanes, value );
	const mine = declare( writer, 'round_mine', operator, exclusive.map( field => `subgroupShuffle( ${ field }, min( ${ subgroup } - ${ round }, ${ lanes.size } - 1u ) )` ) );
	const all = declare( writer, 'round_total', operator, lastLane( lanes, inclusive ) );
	writer.line( `if ( ${ subgroup } - ${ round } < ${ lanes.size } ) { ${ assignments( writer, before, operator.combine( total, mine ) ) } }` );
	writer.line( `{ ${ assignments( writer, total, operator.combine( total, all ) ) } } } }` );

	// Partial subgroups are rare (odd workgroup sizes in people's own kernels): every thread folds the totals in order.
	const k = writer.name( 'fold_' );
	writer.line( `else { for ( var ${ k } = 0u; ${ k } < ${ subgroups }; ${ k }++ ) { if ( ${ k } == ${ subgroup } ) { ${ assignments( writer, before, total ) } } ${ assignments( writer, total, operator.combine( total, totals.at( k ) ) ) } } }` );

	return { before, total };

}
