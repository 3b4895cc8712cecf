import type { Node } from 'three/webgpu';
import { ScanError, checkOption, invalidArgument } from '../../errors';
import { asNode, checkNode, invocationSubgroupIndex, subgroupSize } from '../../builder/tsl';
import { emitWgsl } from '../../builder/wgsl';
import { deferStatements } from '../deferred';
import { constant, resolveMonoid, SCAN_TYPES, type Monoid, type MonoidName, type ScanType } from '../monoids';
import { operatorOf } from '../operator';
import { subgroupScanWgsl, type SubgroupScanMethod } from './subgroupScan';

/** Options of {@link subgroupScan}. */
export interface SubgroupScanOptions {

	/** Default `add`. */
	monoid?: MonoidName | Monoid;
	/** Default `exclusive`. */
	kind?: 'exclusive' | 'inclusive';
	/** Default: native where the operator has it, else shuffles. */
	method?: 'auto' | SubgroupScanMethod;

}

/**
 * Scans one value a lane over the subgroup, in the order of lanes, in any compute kernel on a device with
 * subgroups. All invocations must reach it.
 *
 * ```js
 * const rank = subgroupScan( select( keep, uint( 1 ), uint( 0 ) ) );
 * ```
 */
export function subgroupScan( value: Node, { monoid: operator, kind = 'exclusive', method = 'auto' }: SubgroupScanOptions = {} ): Node {

	checkOption( 'subgroupScan', 'kind', kind, [ 'exclusive', 'inclusive' ] );
	checkOption( 'subgroupScan', 'method', method, [ 'auto', 'native', 'shuffle' ] );
	const input = checkNode( 'subgroupScan', value );

	const [ prefix ] = deferStatements( 1, builder => input.getNodeType( builder ), builder => {

		const type = input.getNodeType( builder ) as ScanType;
		if ( ! SCAN_TYPES.includes( type ) ) throw invalidArgument( `subgroupScan: the value must be one of ${ SCAN_TYPES.join( ', ' ) } (got ${ type }).` );
		if ( ! builder.renderer.hasFeature( 'subgroups' ) ) throw new ScanError( 'feature-missing', 'subgroupScan: needs the WebGPU feature \'subgroups\' on the device (got a device without it). Use workgroupScan.' );

		const monoid = resolveMonoid( 'subgroupScan', operator, type );
		if ( method === 'native' && monoid.subgroup === undefined ) throw new ScanError( 'feature-missing', `subgroupScan: method 'native' needs an operator that the subgroup scans natively, add or mul (got ${ monoid.name }). Omit method.` );

		return emitWgsl( [
			{ node: input.toVar(), type },
			{ node: constant( type, monoid.identity ), type },
			{ node: invocationSubgroupIndex, type: 'uint' },
			{ node: subgroupSize, type: 'uint' }
		], [ type ], ( writer, [ own, identity, lane, size ] ) => {

			const rank = writer.name( 'lane_rank_' );
			writer.line( `let ${ rank } = subgroupExclusiveAdd( 1u )` );
			const lanes = { lane, rank, size, active: size };
			const { exclusive, inclusive } = subgroupScanWgsl( writer, operatorOf( writer, monoid, identity, false ), method === 'shuffle' ? 'shuffle' : 'native', lanes, [ own ] );
			return [ kind === 'inclusive' ? inclusive[ 0 ] : exclusive[ 0 ] ];

		} );

	} );

	return asNode( prefix );

}
