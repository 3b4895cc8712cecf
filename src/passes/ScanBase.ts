import type { BufferAttribute, WebGPURenderer } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { allocate, isClosure, resolveBuffer, strideOf, view, type BufferRef, type Closure, type Count, type Source, type StorageAttribute } from '../builder/buffers';
import { asNode, uint } from '../builder/tsl';
import type { DeviceCaps } from '../plan/caps';
import { checkCapacity, isGpuCount, resolveCount, type CountSource } from '../plan/counts';
import type { Plan } from '../plan/Plan';
import { planScan } from '../plan/planScan';
import type { KernelChoice, KernelRequest } from '../plan/selectKernel';
import { checkValue, componentCount, componentType, resolveMonoid, SCAN_TYPES, type Monoid, type MonoidName, type ScanType, type ScanValue } from '../shaders/monoids';
import type { Node } from 'three/webgpu';
import { ComputePass, type PassOptions } from './ComputePass';

/** Options that a scan and a reduction share. */
export interface ReduceOptions extends PassOptions {

	/** The number of elements: a number up to the capacity, or a buffer whose element 0 is a uint. Default: the capacity. */
	count?: Count;
	/** The most elements the pass will take. Default: the input's length. */
	capacity?: number;
	/** Element type. Required for a closure; for 3-vectors over itemSize 4. Default: the buffer's. */
	type?: ScanType;
	/** The operator. Default `add`. u32 and i32 wrap modulo 2³². */
	monoid?: MonoidName | Monoid;
	/** Combined in front of every prefix (with segments, of every segment). */
	initial?: number | number[];
	/** As if input and output were reversed around a forward scan. Default false. */
	reverse?: boolean;
	/** Non-zero flags mark the first element of a segment, in memory order. Element 0 always starts one. */
	segments?: Source;

}

export interface ScanOutput { attribute: BufferAttribute; kind: 'exclusive' | 'inclusive'; isOwn: boolean }

/** What ScanPass and ReducePass have in common: elements, an operator, and a total. */
export abstract class ScanBase extends ComputePass {

	/** The total: one element, of `initial` and all elements; with segments, of the segment scanned last. Written at each run. */
	readonly total: StorageAttribute;
	/** The total as a read-only TSL value. */
	readonly totalNode: Node;
	/** The most elements the pass takes. */
	readonly capacity: number;
	/** Element type. */
	readonly type: ScanType;
	readonly monoid: Monoid;

	protected readonly counts: CountSource;
	private readonly input: BufferRef | Closure;
	private readonly segments: BufferRef | Closure | undefined;
	private readonly scanOptions: ReduceOptions;

	protected constructor( who: string, input: Source, options: ReduceOptions ) {

		super( who, options );
		this.scanOptions = options;

		const { type, count, capacity, initial, reverse, segments } = options;

		if ( type !== undefined && ! SCAN_TYPES.includes( type ) ) throw invalidArgument( `${ who }: type must be one of ${ SCAN_TYPES.join( ', ' ) } (got ${ describe( type ) }).` );
		if ( reverse !== undefined && typeof reverse !== 'boolean' ) throw invalidArgument( `${ who }: reverse must be a boolean (got ${ describe( reverse ) }).` );

		if ( isClosure( input ) ) {

			if ( type === undefined ) throw invalidArgument( `${ who }: a closure as input needs the option type: one of ${ SCAN_TYPES.join( ', ' ) } (got none).` );
			if ( capacity === undefined && typeof count !== 'number' ) throw invalidArgument( `${ who }: a closure as input needs the option ${ isGpuCount( count ) ? 'capacity' : 'count or capacity' } (got none).` );
			this.input = input;
			this.type = type;
			this.capacity = checkCapacity( who, capacity ?? count );

		} else {

			const buffer = resolveBuffer( `${ who }: input`, input, type );
			this.input = buffer;
			this.type = buffer.type;
			this.capacity = checkCapacity( who, capacity ?? buffer.length );
			if ( this.capacity > buffer.length ) throw invalidArgument( `${ who }: capacity must be at most the input's length of ${ buffer.length } (got ${ this.capacity }).` );

		}

		this.monoid = resolveMonoid( who, options.monoid, this.type );
		if ( initial !== undefined ) checkValue( `${ who }: initial`, this.type, initial );
		this.segments = segments === undefined || isClosure( segments ) ? segments : this.segmentBuffer( segments );
		this.counts = resolveCount( who, count, this.capacity, () => this.countChanged() );

		this.total = allocate( this.type, 1 );
		this.produces( this.total );
		this.totalNode = asNode( view( this.total, this.type ).toReadOnly().element( uint( 0 ) ) );

	}

	private segmentBuffer( segments: Exclude<Source, Closure> ): BufferRef {

		const buffer = resolveBuffer( `${ this.who }: segments`, segments );

		if ( componentCount( buffer.type ) !== 1 ) throw invalidArgument( `${ this.who }: segments must hold scalars (got ${ buffer.type }). Non-zero marks a segment's first element.` );
		if ( buffer.length < this.capacity ) throw invalidArgument( `${ this.who }: segments must hold at least ${ this.capacity } flags, one an element (got ${ buffer.length }).` );
		return buffer;

	}

	protected abstract get scanOutput(): ScanOutput | undefined;

	protected override owned(): BufferAttribute[] {

		return this.scanOutput?.isOwn ? [ this.total, this.scanOutput.attribute ] : [ this.total ];

	}

	protected override request(): KernelRequest {

		const { who, monoid, segments, type } = this;
		const scalar = componentCount( type ) === 1;

		return {
			who,
			native: monoid.subgroup !== undefined && segments === undefined,
			// two collectives a kernel: the carry and the tile
			workgroupBytes: () => 0,
			collectiveBytes: 2 * ( strideOf( type ) * 4 + ( segments === undefined ? 0 : 4 ) ),
			workgroupSize: 256,
			itemsPerThread: scalar ? 16 : type.endsWith( '2' ) ? 8 : 4,
			itemsMultiple: 1,
			capacity: this.capacity,
			tuning: scalar && segments === undefined ? this.scanOutput === undefined ? 'reduce' : 'scan' : undefined
		};

	}

	protected override plan( choice: KernelChoice, caps: DeviceCaps ): Plan {

		const { who, name, monoid, input, total, capacity, counts, segments, scanOutput, scanOptions: { reverse = false, initial } } = this;
		return planScan( { who, name, monoid, input, output: scanOutput, total, capacity, count: counts.node, reverse, initial, segments }, choice, caps );

	}

	/** Reads the total as it is at the call: a number, or one number a component. */
	async readTotal( renderer: WebGPURenderer ): Promise<ScanValue> {

		this.check( 'readTotal()', renderer );
		const n = componentCount( this.type );
		const values = Array.from( typed( this.type, await this.readback.words( renderer, this.total, n ) ) );
		return n === 1 ? values[ 0 ] : values;

	}

}

/** Words as values of a type. */
export function typed( type: ScanType, words: Uint32Array ): Uint32Array | Int32Array | Float32Array {

	const component = componentType( type );
	return component === 'uint' ? words : component === 'int' ? new Int32Array( words.buffer, 0, words.length ) : new Float32Array( words.buffer, 0, words.length );

}
