import type { Node, WebGPURenderer } from 'three/webgpu';
import type { StorageAttribute } from '../builder/buffers';
import { asExpr, asNode, type StorageExpr } from '../builder/tsl';
import type { DeviceCaps } from '../plan/caps';
import type { Plan } from '../plan/Plan';
import { planCompact } from '../plan/planCompact';
import type { KernelChoice, KernelRequest } from '../plan/selectKernel';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import { IndexPass, firstUint, type IndexOptions } from './IndexPass';
import type { Draws } from './IndirectDraws';

/** Options of {@link CompactPass}. The length of `indices` is the output capacity. */
export interface CompactOptions extends IndexOptions {

	/** Draws whose instance count becomes the number of survivors. */
	draws?: Draws;

}

/** A closure from a candidate's index to whether it survives. */
export type Predicate = ( index: Node<'uint'> ) => Node<'bool'>;

/**
 * Stable stream compaction: the indices of the candidates for which a predicate holds, in the candidates' order, always, and
 * their number, which stays on the GPU and feeds indirect draws.
 *
 * ```js
 * const alive = await new CompactPass( n, i => life.element( i ).greaterThan( 0 ), { draws } ).init( renderer );
 * alive.compute( renderer ); // then draw: material.positionNode = positions.element( alive.element( instanceIndex ) )
 * ```
 *
 * The predicate runs once a candidate; one bit of it is kept. Survivors beyond the output's capacity are dropped from the end,
 * and counted in `overflow`. Two dispatches: flags and counts, then ranks by popcount and scatter (Billeter, Olsson & Assarsson, Efficient Stream
 * Compaction on Wide SIMD Many-Core Architectures, 2009).
 */
export class CompactPass extends IndexPass {

	readonly isCompactPass = true;
	/** One uint: the survivors in the output, at most its capacity. */
	readonly survivorCount: StorageAttribute;
	readonly survivorCountNode: Node<'uint'>;
	/** One uint: the survivors dropped because the output was full. */
	readonly overflow: StorageAttribute;
	readonly overflowNode: Node<'uint'>;
	private readonly predicate: Predicate;

	/**
	 * @param capacity - The most candidates, a positive integer.
	 * @param predicate - Whether candidate `index` survives, a bool node. May read storage, uniforms and textures.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( capacity: number, predicate: Predicate, options: CompactOptions = {} ) {

		super( 'CompactPass', capacity, { name: 'predicate', returns: 'bool', value: predicate }, options, options.draws );

		this.predicate = predicate;
		this.survivorCount = this.ownUints( 1 );
		this.overflow = this.ownUints( 1 );
		this.survivorCountNode = firstUint( this.survivorCount );
		this.overflowNode = firstUint( this.overflow );

	}

	/** Index of survivor `i`, for materials: `compact.element( instanceIndex )`. */
	element( i: Node<'uint'> ): Node<'uint'> {

		return asNode( ( this.indicesNode as unknown as StorageExpr ).element( asExpr( i ) ) );

	}

	/** Reads the survivors' indices, and no more. */
	async readIndices( renderer: WebGPURenderer ): Promise<Uint32Array> {

		this.check( 'readIndices()', renderer );
		const most = Math.min( this.counts.number ?? this.capacity, this.outputCapacity );
		const { data, count } = await this.readback.array( renderer, this.indices, most, this.survivorCount );
		return data.slice( 0, count ?? 0 );

	}

	/** Reads the number of survivors in the output, as it is at the call. */
	readSurvivorCount( renderer: WebGPURenderer ): Promise<number> {

		return this.readWord( 'readSurvivorCount()', renderer, this.survivorCount );

	}

	/** Reads the number of survivors that the output had no room for. */
	readOverflow( renderer: WebGPURenderer ): Promise<number> {

		return this.readWord( 'readOverflow()', renderer, this.overflow );

	}

	protected override request(): KernelRequest {

		return { who: this.who, native: true, masks: true, workgroupBytes: threads => 4 * 4 * threads, collectiveBytes: 2 * 4, workgroupSize: 256, itemsPerThread: ELEMENTS_PER_WORD, itemsMultiple: ELEMENTS_PER_WORD, itemsMost: ELEMENTS_PER_WORD, capacity: this.capacity, tuning: 'compact' };

	}

	protected override plan( choice: KernelChoice, caps: DeviceCaps ): Plan {

		const { who, name, predicate, capacity, counts, indices, outputCapacity, survivorCount, overflow, payloads, draws, evaluated } = this;
		return planCompact( { who, name, predicate, capacity, count: counts.node, countIsBuffer: counts.number === null, indices, outputCapacity, survivorCount, overflow, payloads, draws, evaluated }, choice, caps );

	}

}
