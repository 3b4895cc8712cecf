import type { WebGPURenderer } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { allocate, attributeOf, isClosure, resolveBuffer, strideOf, view, type Source, type StorageAttribute, type StorageBuffer, type TypedArray } from '../builder/buffers';
import type { StorageBufferNode } from 'three/webgpu';
import { componentCount } from '../shaders/monoids';
import { ScanBase, typed, type ReduceOptions, type ScanOutput } from './ScanBase';

/** Options of {@link ScanPass}. */
export interface ScanOptions extends ReduceOptions {

	/** Where prefixes go; may be the input itself. Default: a buffer of the pass's own. What lies past the count is left untouched. */
	output?: StorageBuffer;
	/** Whether a prefix leaves its own element out or includes it. Default `exclusive`. */
	kind?: 'exclusive' | 'inclusive';

}

/**
 * Scan (prefix sum) over a buffer or a closure, of any size, with any associative operator:
 * `output[ i ] = initial ⊕ input[ 0 ] ⊕ … ⊕ input[ i − 1 ]`, or up to `input[ i ]` for `kind: 'inclusive'`.
 *
 * ```js
 * const scan = await new ScanPass( instancedArray( new Uint32Array( [ 3, 1, 7, 0 ] ), 'uint' ) ).init( renderer );
 * scan.compute( renderer );
 * await scan.read( renderer ); // [ 0, 3, 4, 11 ], and a total of 11
 * ```
 *
 * Integers wrap modulo 2³². Floats are combined in one tree, fixed by count and policy: the same input gives the same bits in every run.
 * The input is never written, unless it is the output. Reduce-then-scan: about 3 words of memory traffic an element
 * (Merrill & Grimshaw, Parallel Scan for Stream Architectures, 2009).
 */
export class ScanPass extends ScanBase {

	readonly isScanPass = true;
	/** The prefixes. */
	readonly output: StorageAttribute;
	/** The prefixes as a read-only TSL buffer. */
	readonly outputNode: StorageBufferNode<unknown>;

	protected readonly scanOutput: ScanOutput;

	/**
	 * @param input - Elements: an attribute, a storage node, or a closure from an element's index to its value.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( input: Source, options: ScanOptions = {} ) {

		super( 'ScanPass', input, options );
		const { output, kind = 'exclusive' } = options;

		if ( kind !== 'exclusive' && kind !== 'inclusive' ) throw invalidArgument( `ScanPass: kind must be 'exclusive' or 'inclusive' (got ${ describe( kind ) }).` );

		if ( output === undefined ) {

			this.output = allocate( this.type, this.capacity );

		} else {

			const buffer = resolveBuffer( 'ScanPass: output', output, this.type );
			if ( buffer.length < this.capacity ) throw invalidArgument( `ScanPass: output must hold at least ${ this.capacity } elements (got ${ buffer.length }). Make it larger, or lower capacity.` );
			if ( options.segments !== undefined && ! isClosure( options.segments ) && attributeOf( 'ScanPass: segments', options.segments ) === buffer.attribute ) throw invalidArgument( 'ScanPass: segments and output must be different buffers (got one for both).' );
			this.output = buffer.attribute;

		}

		this.produces( this.output );
		this.scanOutput = { attribute: this.output, kind, isOwn: output === undefined };
		this.outputNode = view( this.output, this.type ).toReadOnly() as unknown as StorageBufferNode<unknown>;

	}

	/** Reads `count` prefixes back, without padding. */
	async read( renderer: WebGPURenderer ): Promise<TypedArray> {

		this.check( 'read()', renderer );

		const { counts, capacity, type } = this;
		const stride = strideOf( type );
		const { data, count } = await this.readback.array( renderer, this.output, ( counts.number ?? capacity ) * stride, counts.number === null ? attributeOf( 'count', counts.value ) : null );
		const elements = count === null ? data.length / stride : Math.min( count, capacity );
		const n = componentCount( type );

		if ( n === stride ) return typed( type, data.slice( 0, elements * n ) );

		const packed = new Uint32Array( elements * n );
		for ( let i = 0; i < elements; i ++ ) for ( let c = 0; c < n; c ++ ) packed[ i * n + c ] = data[ i * stride + c ];
		return typed( type, packed );

	}

}
