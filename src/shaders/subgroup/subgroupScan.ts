import type { WgslWriter } from '../../builder/wgsl';
import { assignments, declare, type Operator, type Value } from '../operator';

/** Names of an invocation's place in its subgroup, as WGSL text. */
export interface Lanes { lane: string; rank: string; active: string; size: string }

/** What a lane knows after a subgroup scan. */
export interface LaneScan {

	/** Everything in front of the lane's value. */
	exclusive: Value;
	/** The same with the lane's own value. */
	inclusive: Value;

}

export type SubgroupScanMethod = 'native' | 'shuffle';

/** Scans one value a lane across the subgroup. All lanes of the subgroup must reach it. */
export function subgroupScanWgsl( writer: WgslWriter, operator: Operator, method: SubgroupScanMethod, lanes: Lanes, value: Value ): LaneScan {

	return method === 'native' && operator.native !== undefined
		? nativeScan( writer, operator, operator.native, value )
		: shuffleScan( writer, operator, lanes, value );

}

/** The device's own scan: exclusive, and the own value added for inclusive. */
function nativeScan( writer: WgslWriter, operator: Operator, native: 'Add' | 'Mul', value: Value ): LaneScan {

	const exclusive = declare( writer, 'lane_exclusive', operator, [ `subgroupExclusive${ native }( ${ value[ 0 ] } )` ] );
	const inclusive = declare( writer, 'lane_inclusive', operator, operator.combine( exclusive, value ) );
	return { exclusive, inclusive };

}

/**
 * Hillis and Steele's scan over lanes: log₂(size) steps, each combining with the value 2ᵏ lanes before
 * (Hillis & Steele 1986). The exclusive prefix is the neighbour's inclusive one, never a subtraction.
 */
function shuffleScan( writer: WgslWriter, operator: Operator, lanes: Lanes, value: Value ): LaneScan {

	const inclusive = declare( writer, 'lane_inclusive', operator, value );
	const [ step, previous ] = [ writer.name( 'lane_step_' ), writer.name( 'lane_previous_' ) ];
	const names = inclusive.map( ( _, k ) => `${ previous }_${ k }` );

	writer.line( `for ( var ${ step } = 1u; ${ step } < ${ lanes.size }; ${ step } <<= 1u ) {
		${ inclusive.map( ( field, k ) => `let ${ names[ k ] } = subgroupShuffleUp( ${ field }, ${ step } );` ).join( ' ' ) }
		if ( ${ lanes.lane } >= ${ step } ) { ${ assignments( writer, inclusive, operator.combine( names, inclusive ) ) } }
	}` );

	const exclusive = declare( writer, 'lane_exclusive', operator, inclusive.map( field => `subgroupShuffleUp( ${ field }, 1u )` ) );
	writer.line( `if ( ${ lanes.rank } == 0u ) { ${ assignments( writer, exclusive, operator.identity ) } }` );

	return { exclusive, inclusive };

}

/** The subgroup's aggregate, from its last active lane to all. */
export function lastLane( lanes: Lanes, value: Value ): Value {

	return value.map( field => `subgroupShuffle( ${ field }, ${ lanes.active } - 1u )` );

}
