import type { Node } from 'three/webgpu';
import { ScanError, checkOption, describe, invalidArgument } from '../../errors';
import { asNode, checkNode, invocationLocalIndex, type Expr } from '../../builder/tsl';
import { emitWgsl } from '../../builder/wgsl';
import type { ShaderBuilder } from '../../three-types';
import { deferStatements } from '../deferred';
import { combineFunction, resolveMonoid, SCAN_TYPES, type Monoid, type MonoidName, type ScanType } from '../monoids';
import type { SubgroupScanMethod } from '../subgroup/subgroupScan';
import { createCollective, type CollectiveChoice } from './createCollective';
import type { SharedMemoryScan } from './sharedMemory';
import type { WorkgroupCollective } from './WorkgroupCollective';

/** Options of {@link workgroupScan} and {@link workgroupReduce}. */
export interface WorkgroupScanOptions {

	/** Default `add`. */
	monoid?: MonoidName | Monoid;
	/** Default `exclusive`. */
	kind?: 'exclusive' | 'inclusive';
	/** Default `auto`: subgroups where the device has them. */
	kernel?: 'auto' | 'subgroup' | 'shared-memory';
	sharedMemoryScan?: 'auto' | SharedMemoryScan;
	subgroupScan?: 'auto' | SubgroupScanMethod;
	/** Invocations of the workgroup. Default: the compute node's. */
	workgroupSize?: number;

}

/**
 * Scans one value an invocation over the workgroup, in the order of `invocationLocalIndex`, in any compute
 * kernel, of any workgroup size. All invocations must reach it.
 *
 * ```js
 * const kernel = Fn( () => {
 * 	const value = data.element( instanceIndex ).toVar();
 * 	const { prefix, total } = workgroupScan( value );
 * 	data.element( instanceIndex ).assign( prefix );
 * 	totals.element( workgroupId.x ).assign( total );
 * } )().computeKernel( [ 64 ] );
 * ```
 *
 * WGSL promises no mapping from invocations to lanes, so the subgroup kernel exchanges values through workgroup memory first.
 *
 * @param value - A scalar or vector of 32-bit components.
 * @returns `prefix` of the invocation's value, and the workgroup's `total`, the same in every invocation.
 */
export function workgroupScan( value: Node, options: WorkgroupScanOptions = {} ): { prefix: Node; total: Node } {

	const input = checkNode( 'workgroupScan', value );

	const [ prefix, total ] = deferStatements( 2, builder => input.getNodeType( builder ), builder => {

		const { monoid, choice } = resolve( 'workgroupScan', builder, input, options );
		const collective = createCollective( choice );
		const own = input.toVar();
		const [ item ] = toPosition( collective, choice, monoid.type, own );

		const { prefixes: [ before ], total: all } = collective.scan( monoid, [ { value: item } ] );
		const exclusive = fromPosition( collective, choice, monoid.type, before.value );

		return [ options.kind === 'inclusive' ? combineFunction( builder, monoid )( exclusive, own ).toVar() : exclusive, all.value ];

	} );

	return { prefix: asNode( prefix ), total: asNode( total ) };

}

/**
 * Combines one value an invocation over the workgroup, in the order of `invocationLocalIndex`. All invocations must reach it.
 *
 * ```js
 * const largest = workgroupReduce( data.element( instanceIndex ), { monoid: 'max' } );
 * ```
 */
export function workgroupReduce( value: Node, options: Omit<WorkgroupScanOptions, 'kind'> = {} ): Node {

	const input = checkNode( 'workgroupReduce', value );

	const [ total ] = deferStatements( 1, builder => input.getNodeType( builder ), builder => {

		const { monoid, choice } = resolve( 'workgroupReduce', builder, input, options );
		const collective = createCollective( choice );
		const own = input.toVar();

		if ( monoid.commutative ) return [ collective.reduce( monoid, { value: own } ).value ];

		const [ item ] = toPosition( collective, choice, monoid.type, own );
		return [ collective.scan( monoid, [ { value: item } ] ).total.value ];

	} );

	return asNode( total );

}

/** Gives each invocation the value of the one whose local index is its position. */
function toPosition( collective: WorkgroupCollective, choice: CollectiveChoice, type: ScanType, value: Expr ): Expr[] {

	return choice.kernel === 'shared-memory' ? [ value ] : exchange( choice, type, value, invocationLocalIndex, collective.position( 0, 1 ) );

}

function fromPosition( collective: WorkgroupCollective, choice: CollectiveChoice, type: ScanType, value: Expr ): Expr {

	return choice.kernel === 'shared-memory' ? value : exchange( choice, type, value, collective.position( 0, 1 ), invocationLocalIndex )[ 0 ];

}

/** Writes values at one index and reads them at another. */
function exchange( { workgroupSize }: CollectiveChoice, type: ScanType, value: Expr, write: Expr, read: Expr ): Expr[] {

	return emitWgsl( [ { node: value, type }, { node: write, type: 'uint' }, { node: read, type: 'uint' } ], [ type ], ( writer, [ own, to, from ] ) => {

		const memory = writer.workgroupArray( 'exchange', writer.type( type ), workgroupSize );
		writer.line( 'workgroupBarrier()' ); // an earlier use of the same memory, in a loop, has been read
		writer.line( `${ memory }[ ${ to } ] = ${ own }` );
		writer.line( 'workgroupBarrier()' );
		return [ `${ memory }[ ${ from } ]` ];

	} );

}

interface ComputeBuilder { compute?: { workgroupSize: number[] } | null }

function resolve( who: string, builder: ShaderBuilder, value: Expr, options: WorkgroupScanOptions ): { monoid: Monoid; choice: CollectiveChoice } {

	checkOption( who, 'kernel', options.kernel, [ 'auto', 'subgroup', 'shared-memory' ] );
	checkOption( who, 'kind', options.kind, [ 'exclusive', 'inclusive' ] );
	checkOption( who, 'sharedMemoryScan', options.sharedMemoryScan, [ 'auto', 'hillis-steele', 'blelloch' ] );
	checkOption( who, 'subgroupScan', options.subgroupScan, [ 'auto', 'native', 'shuffle' ] );

	const type = value.getNodeType( builder ) as ScanType;
	if ( ! SCAN_TYPES.includes( type ) ) throw invalidArgument( `${ who }: the value must be one of ${ SCAN_TYPES.join( ', ' ) } (got ${ type }).` );

	const monoid = resolveMonoid( who, options.monoid, type );
	const own = ( builder as unknown as ComputeBuilder ).compute?.workgroupSize.reduce( ( a, b ) => a * b, 1 );
	const workgroupSize = options.workgroupSize ?? own;

	if ( workgroupSize === undefined ) throw invalidArgument( `${ who }: is for compute kernels (got another shader).` );
	if ( own !== undefined && workgroupSize !== own ) throw invalidArgument( `${ who }: workgroupSize must be the compute node's, ${ own } (got ${ describe( workgroupSize ) }). Omit it.` );

	const hasSubgroups = builder.renderer.hasFeature( 'subgroups' );
	if ( options.kernel === 'subgroup' && ! hasSubgroups ) throw new ScanError( 'feature-missing', `${ who }: kernel 'subgroup' needs the WebGPU feature 'subgroups' on the device (got a device without it). Omit kernel to let the device decide.` );

	if ( options.kernel === 'subgroup' && options.subgroupScan === 'native' && monoid.subgroup === undefined ) throw new ScanError( 'feature-missing', `${ who }: subgroupScan 'native' needs an operator that the subgroup scans natively, add or mul (got ${ monoid.name }). Omit subgroupScan.` );

	const language = globalThis.navigator?.gpu?.wgslLanguageFeatures as ReadonlySet<string> | undefined;
	const kernel = options.kernel === 'shared-memory' || ! hasSubgroups ? 'shared-memory' : 'subgroup';

	return {
		monoid,
		choice: {
			kernel, workgroupSize, inLoop: true,
			sharedMemoryScan: options.sharedMemoryScan === 'blelloch' ? 'blelloch' : 'hillis-steele',
			subgroupScan: monoid.subgroup !== undefined && options.subgroupScan !== 'shuffle' ? 'native' : 'shuffle',
			// a workgroup of no multiple of the widest subgroup may have partial ones: those draw tickets
			subgroupId: language?.has( 'subgroup_id' ) === true && workgroupSize % 128 === 0
		}
	};

}
