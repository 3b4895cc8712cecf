import { invocationLocalIndex, invocationSubgroupIndex, subgroupIndex, subgroupSize } from '../../builder/tsl';
import { emitWgsl, type TypedExpr } from '../../builder/wgsl';
import type { Expr } from '../../builder/tsl';

/**
 * Where an invocation stands in its workgroup. WGSL promises no mapping from invocations to lanes, so an
 * order is defined here, once a kernel, and items are laid out and combined by it.
 */
export interface SubgroupOrder {

	/** The lane: what shuffles address. */
	lane: Expr;
	/** Position among the subgroup's active invocations. */
	rank: Expr;
	/** How many invocations of the subgroup are active. */
	active: Expr;
	/** The subgroup's number in the workgroup. */
	subgroup: Expr;
	/** The subgroup's first item: how many invocations the subgroups before it have. */
	first: Expr;
	/** The subgroup size. */
	size: Expr;
	/** How many subgroups the workgroup has: an expression valid after the next workgroup barrier. */
	subgroups: ( workgroupSize: number ) => string;

}

const types = [ 'uint', 'uint', 'uint', 'uint' ] as const;

/** The order by the built-in `subgroup_id` (a WGSL language feature). */
export function orderBySubgroupId( workgroupSize: number ): SubgroupOrder {

	const inputs: TypedExpr[] = [ invocationSubgroupIndex, subgroupIndex, subgroupSize ].map( node => ( { node, type: 'uint' } ) );
	let size = '';

	const [ rank, active, subgroup, first ] = emitWgsl( inputs, types, ( writer, [ lane, id, sz ] ) => {

		size = sz;
		const base = writer.name( 'subgroup_first_' );
		writer.line( `let ${ base } = ${ id } * ${ sz }` );
		return [ lane, `min( ${ sz }, ${ workgroupSize }u - ${ base } )`, id, base ];

	} );

	return {
		rank, active, subgroup, first, lane: invocationSubgroupIndex, size: subgroupSize,
		subgroups: workgroup => `( ( ${ workgroup }u + ${ size } - 1u ) / ${ size } )`
	};

}

/**
 * The order by a ticket, where `subgroup_id` is missing: each subgroup draws its number, and with it its first
 * item, from a workgroup counter, which is set back first where it may have been drawn from before, in a loop. Any order of drawing gives the same results, since items follow it; subgroups may be partial.
 */
export function orderByTicket( isDrawnAgain: boolean ): SubgroupOrder {

	const inputs: TypedExpr[] = [ { node: invocationLocalIndex, type: 'uint' } ];
	let counter = '';

	const [ rank, active, subgroup, first ] = emitWgsl( inputs, types, ( writer, [ thread ] ) => {

		counter = writer.workgroupAtomic( 'ticket' );
		const [ before, count, ticket ] = [ 'ticket_rank_', 'ticket_active_', 'ticket_' ].map( prefix => writer.name( prefix ) );

		if ( isDrawnAgain ) {

			writer.line( 'workgroupBarrier()' );
			writer.line( `if ( ${ thread } == 0u ) { atomicStore( &${ counter }, 0u ); }` );
			writer.line( 'workgroupBarrier()' );

		}

		writer.line( `let ${ before } = subgroupExclusiveAdd( 1u )` );
		writer.line( `let ${ count } = subgroupAdd( 1u )` );
		writer.line( `var ${ ticket } = 0u` );
		writer.line( `if ( subgroupElect() ) { ${ ticket } = atomicAdd( &${ counter }, 65536u | ${ count } ); }` );
		writer.line( `${ ticket } = subgroupBroadcastFirst( ${ ticket } )` );

		return [ before, count, `${ ticket } >> 16u`, `${ ticket } & 65535u` ];

	} );

	return {
		rank, active, subgroup, first, lane: invocationSubgroupIndex, size: subgroupSize,
		subgroups: () => `( atomicLoad( &${ counter } ) >> 16u )`
	};

}
