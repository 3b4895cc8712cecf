import type { BufferAttribute, Node, StorageBufferNode, WebGPURenderer } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { allocate, isClosure, resolveBuffer, view, type Count, type StorageBuffer } from '../builder/buffers';
import { asExpr, asNode, uint, type StorageExpr } from '../builder/tsl';
import type { DeviceCaps } from '../plan/caps';
import { checkCapacity, resolveCount, type CountSource } from '../plan/counts';
import type { Plan } from '../plan/Plan';
import { planCompact, type Payload } from '../plan/planCompact';
import type { KernelChoice, KernelRequest } from '../plan/selectKernel';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import { ComputePass, type PassOptions } from './ComputePass';
import { resolveDraws, type Draws, type DrawSlot } from './IndirectDraws';
import { resolvePayloads, type Gather } from './payloads';

/** Options of {@link CompactPass}. */
export interface CompactOptions extends PassOptions {

	/** The number of candidates. Default: the capacity. */
	count?: Count;
	/** Where survivors' indices go (uint); its length is the output capacity. Default: allocated, one a candidate. */
	indices?: StorageBuffer;
	/** Payload arrays moved along. */
	gather?: Gather[];
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
export class CompactPass extends ComputePass {

	readonly isCompactPass = true;
	/** The survivors' indices: the first `survivorCount` are valid, what lies past them is left untouched. */
	readonly indices: BufferAttribute;
	/** The indices as a read-only TSL buffer. */
	readonly indicesNode: StorageBufferNode<'uint'>;
	/** One uint: the survivors in the output, at most its capacity. */
	readonly survivorCount: BufferAttribute;
	readonly survivorCountNode: Node<'uint'>;
	/** One uint: the survivors dropped because the output was full. */
	readonly overflow: BufferAttribute;
	readonly overflowNode: Node<'uint'>;
	/** The moved payload arrays, in the order of `gather`. */
	readonly gathered: readonly BufferAttribute[];
	/** The most candidates. */
	readonly capacity: number;
	/** The most survivors. */
	readonly outputCapacity: number;

	protected readonly counts: CountSource;
	private readonly predicate: Predicate;
	private readonly payloads: ( Payload & { isOwn: boolean } )[];
	private readonly draws: DrawSlot[];
	private readonly own: BufferAttribute[];

	/**
	 * @param capacity - The most candidates, a positive integer.
	 * @param predicate - Whether candidate `index` survives, a bool node. May read storage, uniforms and textures.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( capacity: number, predicate: Predicate, options: CompactOptions = {} ) {

		super( 'CompactPass', options );
		const { who } = this;

		this.capacity = checkCapacity( who, capacity );
		if ( ! isClosure( predicate ) ) throw invalidArgument( `${ who }: the predicate must be a function from an index to a bool node (got ${ describe( predicate ) }).` );
		this.predicate = predicate;
		this.counts = resolveCount( who, options.count, this.capacity, () => this.countChanged() );

		const borrowed = options.indices === undefined ? undefined : resolveBuffer( `${ who }: indices`, options.indices );
		if ( borrowed !== undefined && borrowed.type !== 'uint' ) throw invalidArgument( `${ who }: indices must hold uint (got ${ borrowed.type }).` );

		this.indices = borrowed?.attribute ?? allocate( 'uint', this.capacity );
		this.outputCapacity = borrowed?.length ?? this.capacity;
		this.survivorCount = allocate( 'uint', 1 );
		this.overflow = allocate( 'uint', 1 );
		this.payloads = resolvePayloads( who, options.gather, this.capacity, Math.min( this.capacity, this.outputCapacity ) );
		this.gathered = this.payloads.map( ( { to } ) => to );
		this.draws = resolveDraws( who, options.draws );

		this.own = [ this.survivorCount, this.overflow, ...( borrowed === undefined ? [ this.indices ] : [] ), ...this.payloads.filter( ( { isOwn } ) => isOwn ).map( ( { to } ) => to ) ];

		this.indicesNode = view( this.indices, 'uint', 'indices' ).toReadOnly() as unknown as StorageBufferNode<'uint'>;
		const first = ( attribute: BufferAttribute, name: string ): Node<'uint'> => asNode( view( attribute, 'uint', name ).toReadOnly().element( uint( 0 ) ) );
		this.survivorCountNode = first( this.survivorCount, 'survivorCount' );
		this.overflowNode = first( this.overflow, 'overflow' );

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
	async readSurvivorCount( renderer: WebGPURenderer ): Promise<number> {

		this.check( 'readSurvivorCount()', renderer );
		return ( await this.readback.words( renderer, this.survivorCount, 1 ) )[ 0 ];

	}

	/** Reads the number of survivors that the output had no room for. */
	async readOverflow( renderer: WebGPURenderer ): Promise<number> {

		this.check( 'readOverflow()', renderer );
		return ( await this.readback.words( renderer, this.overflow, 1 ) )[ 0 ];

	}

	protected override owned(): BufferAttribute[] {

		return this.own;

	}

	protected override capacityForDispatch(): number {

		return this.capacity;

	}

	protected override request(): KernelRequest {

		return { who: this.who, native: true, workgroupBytesPerThread: 4 * 4, workgroupSize: 256, itemsPerThread: ELEMENTS_PER_WORD, itemsMultiple: ELEMENTS_PER_WORD };

	}

	protected override plan( choice: KernelChoice, caps: DeviceCaps ): Plan {

		const { who, name, predicate, capacity, counts, indices, outputCapacity, survivorCount, overflow, payloads, draws } = this;
		return planCompact( { who, name, predicate, capacity, count: counts.node, countIsBuffer: counts.number === null, indices, outputCapacity, survivorCount, overflow, payloads, draws }, choice, caps );

	}

}
