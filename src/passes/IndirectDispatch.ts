import { IndirectStorageBufferAttribute, type BufferAttribute } from 'three/webgpu';
import { ScanError, describe, invalidArgument } from '../errors';
import { computeKernel, uint, uniform } from '../builder/tsl';
import { view, type StorageBuffer } from '../builder/buffers';
import type { DeviceCaps } from '../plan/caps';
import { isGpuCount, resolveCount, type CountSource } from '../plan/counts';
import { PlanBuilder, type Plan } from '../plan/Plan';
import type { KernelChoice } from '../plan/selectKernel';
import { ComputePass, type PassOptions } from './ComputePass';

/**
 * Arguments of an indirect dispatch from a count that stays on the GPU: enough workgroups for one thread an element, spread over
 * two and three dimensions past the device's limit, above which an indirect dispatch silently does nothing.
 *
 * ```js
 * const dispatch = await new IndirectDispatch( compact.survivorCount, 64 ).init( renderer );
 * kernel.dispatchSize = dispatch.attribute;
 * renderer.compute( [ ...compact.nodes, ...dispatch.nodes, kernel ] );
 * ```
 *
 * The kernel takes its workgroup from `linearWorkgroupId()` and masks what lies past the count: there may be spare workgroups.
 */
export class IndirectDispatch extends ComputePass {

	readonly isIndirectDispatch = true;
	/** Three uints, x, y and z: what `node.dispatchSize` takes. */
	readonly attribute: IndirectStorageBufferAttribute;
	readonly workgroupSize: number;
	readonly capacity = 0xffffffff;

	protected readonly counts: CountSource;

	/**
	 * @param count - A buffer whose element 0 is a uint.
	 * @param workgroupSize - Invocations of a workgroup of the kernel to dispatch.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( count: StorageBuffer, workgroupSize: number, options: PassOptions = {} ) {

		super( 'IndirectDispatch', options );

		if ( ! isGpuCount( count ) ) throw invalidArgument( `IndirectDispatch: count must be a buffer whose element 0 is a uint, e.g. compact.survivorCount (got ${ describe( count ) }). Dispatch a number directly.` );
		if ( ! Number.isInteger( workgroupSize ) || workgroupSize < 1 ) throw invalidArgument( `IndirectDispatch: workgroupSize must be a positive integer (got ${ describe( workgroupSize ) }).` );

		this.workgroupSize = workgroupSize;
		this.counts = resolveCount( 'IndirectDispatch', count, this.capacity, () => undefined );
		// a buffer of its own: it may not be bound as storage in the dispatch that it sizes
		this.attribute = new IndirectStorageBufferAttribute( new Uint32Array( 4 ), 1 );
		this.produces( this.attribute );

	}

	protected override owned(): BufferAttribute[] {

		return [ this.attribute ];

	}

	protected override request(): null {

		return null;

	}

	protected override plan( _choice: KernelChoice, caps: DeviceCaps ): Plan {

		const { workgroupSize, counts } = this;
		const plan = new PlanBuilder( this.who, caps );
		const limit = caps.maxComputeWorkgroupsPerDimension;
		if ( limit < 1 ) throw new ScanError( 'limit-exceeded', `IndirectDispatch: maxComputeWorkgroupsPerDimension must be at least 1 (got ${ limit }).` );

		const size = uniform( workgroupSize, 'uint' );
		const most = uniform( limit, 'uint' );

		plan.add( computeKernel( `${ this.name } arguments`, 1, () => {

			const words = view( this.attribute, 'uint', 'dispatchArguments' );
			const count = counts.node().toVar();

			// rounding up without a sum that could overflow
			const roundUp = ( a: typeof count, b: typeof count ) => a.div( b ).add( a.mod( b ).min( uint( 1 ) ) );
			const workgroups = roundUp( count, size ).toVar();
			const x = workgroups.min( most ).toVar();
			const rows = roundUp( workgroups, x.max( uint( 1 ) ) ).toVar();
			const y = rows.min( most ).toVar();

			words.element( uint( 0 ) ).assign( x );
			words.element( uint( 1 ) ).assign( y );
			words.element( uint( 2 ) ).assign( roundUp( rows, y.max( uint( 1 ) ) ).min( most ) );

		} ) );

		return plan.build();

	}

}
