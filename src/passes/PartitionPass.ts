import type { Node, StorageBufferNode, WebGPURenderer } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { view, type StorageAttribute } from '../builder/buffers';
import { asExpr, asNode, uint, type StorageExpr } from '../builder/tsl';
import type { DeviceCaps } from '../plan/caps';
import type { Plan } from '../plan/Plan';
import { planPartition } from '../plan/planPartition';
import type { KernelChoice, KernelRequest } from '../plan/selectKernel';
import { planeCount, usesMasks } from '../shaders/device/fewBuckets';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import { MAX_BUCKETS_PER_STEP } from '../shaders/device/partition';
import { IndexPass, type IndexOptions } from './IndexPass';
import { resolveDraws, type DrawSlot, type IndirectDraws } from './IndirectDraws';

/** Options of {@link PartitionPass}. `indices` must hold the capacity. */
export interface PartitionOptions extends IndexOptions {

	/** Slot k's instance count becomes the number of candidates in bucket k. */
	draws?: IndirectDraws | DrawSlot[];

}

/** A closure from a candidate's index to its bucket; a bucket ≥ bucketCount means in none. */
export type BucketOf = ( index: Node<'uint'> ) => Node<'uint'>;

const MAX_BUCKETS = 4096;

/**
 * Stable split into buckets: the indices of bucket 0's candidates, then of bucket 1's, and so on, each in the candidates'
 * order, with the place where each bucket begins, and one draw a bucket.
 *
 * ```js
 * const lods = await new PartitionPass( n, 3, i => lodOf( i ), { draws } ).init( renderer );
 * lods.compute( renderer ); // LOD k draws lods.element( k, instanceIndex )
 * ```
 *
 * Up to 4 buckets take two dispatches over masks of bits, like a compaction; up to 256, one sorting step; up to 4,096, two.
 */
export class PartitionPass extends IndexPass {

	readonly isPartitionPass = true;
	readonly bucketCount: number;
	/** bucketCount + 1 uints: where each bucket begins in `indices`; the last is the number of indices. */
	readonly offsets: StorageAttribute;
	/** The offsets as a read-only TSL buffer. */
	readonly offsetsNode: StorageBufferNode<'uint'>;

	private readonly bucketOf: BucketOf;

	/**
	 * @param capacity - The most candidates, a positive integer.
	 * @param bucketCount - 1 to 4,096.
	 * @param bucketOf - The bucket of candidate `index`, a uint node.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( capacity: number, bucketCount: number, bucketOf: BucketOf, options: PartitionOptions = {} ) {

		super( 'PartitionPass', capacity, { name: 'bucketOf', returns: 'uint', value: bucketOf }, options, options.draws );
		const { who } = this;

		if ( ! Number.isInteger( bucketCount ) || bucketCount < 1 || bucketCount > MAX_BUCKETS ) throw invalidArgument( `${ who }: bucketCount must be an integer from 1 to ${ MAX_BUCKETS } (got ${ describe( bucketCount ) }).` );
		if ( this.outputCapacity < this.capacity ) throw invalidArgument( `${ who }: indices must hold the capacity of ${ this.capacity } (got ${ this.outputCapacity }).` );

		const slots = resolveDraws( who, options.draws ).length;
		if ( slots > bucketCount ) throw invalidArgument( `${ who }: draws must have at most one slot a bucket, ${ bucketCount } (got ${ slots }).` );

		this.bucketCount = bucketCount;
		this.bucketOf = bucketOf;
		this.offsets = this.ownUints( bucketCount + 1 );
		this.offsetsNode = view( this.offsets, 'uint' ).toReadOnly() as unknown as StorageBufferNode<'uint'>;

	}

	/** Index of candidate `i` of a bucket, for materials: `partition.element( bucket, instanceIndex )`. */
	element( bucket: number | Node<'uint'>, i: Node<'uint'> ): Node<'uint'> {

		const start = ( this.offsetsNode as unknown as StorageExpr ).element( typeof bucket === 'number' ? uint( bucket ) : asExpr( bucket ) );
		return asNode( ( this.indicesNode as unknown as StorageExpr ).element( start.add( asExpr( i ) ) ) );

	}

	/** Reads the indices of all buckets, `offsets[ bucketCount ]` of them. */
	async readIndices( renderer: WebGPURenderer ): Promise<Uint32Array> {

		this.check( 'readIndices()', renderer );
		const [ { data }, offsets ] = await Promise.all( [
			this.readback.array( renderer, this.indices, this.counts.number ?? this.capacity ),
			this.readback.words( renderer, this.offsets, this.bucketCount + 1 )
		] );
		return data.slice( 0, offsets[ this.bucketCount ] );

	}

	/** Reads the offsets, as they are at the call. */
	readOffsets( renderer: WebGPURenderer ): Promise<Uint32Array> {

		this.check( 'readOffsets()', renderer );
		return this.readback.words( renderer, this.offsets, this.bucketCount + 1 );

	}

	protected override request(): KernelRequest {

		const { who, bucketCount, capacity, options: { itemsPerThread: forced } } = this;
		const common = { who, native: true, capacity, workgroupSize: 256 };

		if ( usesMasks( bucketCount, forced ) ) {

			// a column a plane, words and offsets; two folds of the tiles' counts, and the scan
			const planes = planeCount( bucketCount );
			return { ...common, masks: true, tuning: 'compact', workgroupBytes: threads => ( 4 * planes + 8 ) * threads, collectiveBytes: 3 * 16, itemsPerThread: ELEMENTS_PER_WORD, itemsMultiple: ELEMENTS_PER_WORD, itemsMost: ELEMENTS_PER_WORD };

		}

		// the items of a tile, where each bucket begins and ends, and the packed counters of the split
		const itemsPerThread = 8;
		const perThread = 4 * ( forced ?? itemsPerThread );
		return { ...common, tuning: 'partition', workgroupBytes: threads => perThread * threads + 8 * Math.min( bucketCount, MAX_BUCKETS_PER_STEP ), collectiveBytes: 8, itemsPerThread, itemsMultiple: 1 };

	}

	protected override plan( choice: KernelChoice, caps: DeviceCaps ): Plan {

		const { who, name, bucketOf, bucketCount, capacity, counts, indices, offsets, payloads, draws, evaluated } = this;
		return planPartition( { who, name, bucketOf, bucketCount, capacity, count: counts.node, countIsBuffer: counts.number === null, indices, offsets, payloads, draws, evaluated }, choice, caps );

	}

}
