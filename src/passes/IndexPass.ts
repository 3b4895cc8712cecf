import type { BufferAttribute, Node, StorageBufferNode, WebGPURenderer } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { allocate, isClosure, resolveBuffer, view, type Count, type StorageAttribute, type StorageBuffer } from '../builder/buffers';
import { asNode, uint } from '../builder/tsl';
import { checkCapacity, resolveCount, type CountSource } from '../plan/counts';
import type { Payload } from '../plan/payloadPlan';
import { ComputePass, type PassOptions } from './ComputePass';
import { resolveDraws, type Draws, type DrawSlot } from './IndirectDraws';
import { resolvePayloads, type Gather } from './payloads';

/** Options of passes that pick or order indices. */
export interface IndexOptions extends PassOptions {

	/** The number of candidates. Default: the capacity. */
	count?: Count;
	/** Where indices go (uint). Default: allocated, one a candidate. */
	indices?: StorageBuffer;
	/** Payload arrays moved along: `to[ k ] = from[ indices[ k ] ]`. */
	gather?: Gather[];
	/**
	 * A word a candidate, which passes may share: the closure is evaluated into it by a dispatch of its own.
	 *
	 * @internal
	 */
	evaluated?: BufferAttribute;

}

/** What CompactPass and PartitionPass have in common: candidates, an order of indices, payloads that follow it, and draws. */
export abstract class IndexPass extends ComputePass {

	/** Indices of candidates; what lies past the valid ones is left untouched. */
	readonly indices: StorageAttribute;
	/** The indices as a read-only TSL buffer. */
	readonly indicesNode: StorageBufferNode<'uint'>;
	/** The moved payload arrays, in the order of `gather`. */
	readonly gathered: readonly StorageAttribute[];
	/** The most candidates. */
	readonly capacity: number;
	/** How many indices the output holds. */
	readonly outputCapacity: number;

	protected readonly counts: CountSource;
	protected readonly payloads: readonly Payload[];
	protected readonly draws: readonly DrawSlot[];
	protected readonly evaluated: BufferAttribute | undefined;
	private readonly ownBuffers: BufferAttribute[];

	protected constructor( who: string, capacity: number, closure: { name: string; returns: string; value: unknown }, options: IndexOptions, draws: Draws | undefined ) {

		super( who, options );

		this.capacity = checkCapacity( who, capacity );
		if ( ! isClosure( closure.value ) ) throw invalidArgument( `${ who }: the ${ closure.name } must be a function from an index to a ${ closure.returns } node (got ${ describe( closure.value ) }).` );
		this.counts = resolveCount( who, options.count, this.capacity, () => this.countChanged() );

		const borrowed = options.indices === undefined ? undefined : resolveBuffer( `${ who }: indices`, options.indices );
		if ( borrowed !== undefined && borrowed.type !== 'uint' ) throw invalidArgument( `${ who }: indices must hold uint (got ${ borrowed.type }).` );

		this.indices = borrowed?.attribute ?? allocate( 'uint', this.capacity );
		this.outputCapacity = borrowed?.length ?? this.capacity;

		const payloads = resolvePayloads( who, options.gather, this.capacity, Math.min( this.capacity, this.outputCapacity ), this.indices );
		this.payloads = payloads;
		this.gathered = payloads.map( ( { to } ) => to );
		this.draws = resolveDraws( who, draws );
		this.evaluated = options.evaluated;
		this.ownBuffers = [ ...( borrowed === undefined ? [ this.indices ] : [] ), ...payloads.filter( ( { isOwn } ) => isOwn ).map( ( { to } ) => to ) ];

		this.produces( this.indices, ...this.gathered );
		this.indicesNode = view( this.indices, 'uint' ).toReadOnly() as unknown as StorageBufferNode<'uint'>;

	}

	/** An allocated buffer of uints that the pass writes. */
	protected ownUints( length: number ): StorageAttribute {

		const attribute = allocate( 'uint', length );
		this.ownBuffers.push( attribute );
		this.produces( attribute );
		return attribute;

	}

	protected override owned(): BufferAttribute[] {

		return this.ownBuffers;

	}

	/** Reads the first word of a buffer. */
	protected async readWord( what: string, renderer: WebGPURenderer, attribute: BufferAttribute ): Promise<number> {

		this.check( what, renderer );
		return ( await this.readback.words( renderer, attribute, 1 ) )[ 0 ];

	}

}

/** The first element of a buffer of uints, as a read-only TSL value. */
export function firstUint( attribute: BufferAttribute ): Node<'uint'> {

	return asNode( view( attribute, 'uint' ).toReadOnly().element( uint( 0 ) ) );

}
