import { StorageBufferAttribute, type BufferAttribute, type ComputeNode, type Node } from 'three/webgpu';
import { Fn, float, instanceIndex, storage, uint, uniform, vec4 } from 'three/tsl';
import { internals } from '../src/three-types';
import { MULTIPLIER, type Pattern } from './data';
import type { Context } from './gpu/context';
import { readWords, type Window } from './gpu/readWords';

export type ElementType = 'uint' | 'float' | 'vec4';

/** The input and an output of one size and type: the same words of memory whatever the type, filled on the GPU. */
export class Workload {

	readonly input: StorageBufferAttribute;
	readonly output: StorageBufferAttribute;
	/** Elements: words, or four of them. */
	readonly length: number;

	private readonly fillNode: ComputeNode;
	private readonly shift = uniform( 0, 'uint' );
	private readonly mask = uniform( 0, 'uint' );
	private readonly cache = new Map<string, object>();

	/**
	 * @param words - A multiple of four.
	 */
	constructor( readonly context: Context, readonly words: number, readonly type: ElementType ) {

		const { renderer } = context;
		const itemSize = type === 'vec4' ? 4 : 1;
		this.length = words / itemSize;

		// three wants an array behind each buffer: all are zeros, so one will do
		const zeros = new ArrayBuffer( words * 4 );
		const attribute = (): StorageBufferAttribute => new StorageBufferAttribute( type === 'uint' ? new Uint32Array( zeros ) : new Float32Array( zeros ), itemSize );
		this.input = attribute();
		this.output = attribute();

		this.fillNode = this.createFill( this.input );
		renderer.compute( this.fillNode );

		// puts it on the GPU
		const touch = this.createFill( this.output );
		renderer.compute( touch );
		touch.dispose();

	}

	/** Fills the input. */
	fill( { shift, mask }: Pattern ): void {

		this.shift.value = shift;
		this.mask.value = mask;
		this.context.renderer.compute( this.fillNode );

	}

	/** What is expected of this workload, made once. */
	expect<T extends object>( key: string, create: () => T ): T {

		const known = this.cache.get( key ) as T | undefined;
		if ( known !== undefined ) return known;

		const made = create();
		this.cache.set( key, made );
		return made;

	}

	/** Zeroes the output, so that no earlier result passes for a later one. */
	clearOutput(): void {

		const { device } = this.context;
		const encoder = device.createCommandEncoder();
		encoder.clearBuffer( this.buffer( this.output ) );
		device.queue.submit( [ encoder.finish() ] );

	}

	/** Overwrites the first words of a result with what no run gives. */
	spoil( result: BufferAttribute ): void {

		this.context.device.queue.writeBuffer( this.buffer( result ), 0, new Uint32Array( 4 ).fill( 0x7eadbeef ) );

	}

	read( windows: readonly Window[], attribute: BufferAttribute = this.output ): Promise<Uint32Array[]> {

		return readWords( this.context.device, this.buffer( attribute ), windows );

	}

	/** The GPU's buffer under an attribute that has been computed with. */
	buffer( attribute: BufferAttribute ): GPUBuffer {

		const { buffer } = internals( this.context.renderer ).backend.get( attribute );
		if ( buffer === undefined ) throw new Error( 'Workload: the attribute is not on the GPU yet.' );
		return buffer;

	}

	dispose(): void {

		this.fillNode.dispose();
		this.input.dispose();
		this.output.dispose();

	}

	private createFill( attribute: StorageBufferAttribute ): ComputeNode {

		const { type, length, shift, mask } = this;
		const word = ( i: Node<'uint'> ): Node<'uint'> => i.mul( uint( MULTIPLIER ) ).shiftRight( shift ).bitAnd( mask );

		const component = ( k: number ): Node<'float'> => float( word( instanceIndex.mul( 4 ).add( k ) ) );

		return Fn( () => {

			const elements = storage( attribute, type, length );
			const element = elements.element( instanceIndex );
			if ( type === 'uint' ) element.assign( word( instanceIndex ) );
			if ( type === 'float' ) element.assign( float( word( instanceIndex ) ) );
			if ( type === 'vec4' ) element.assign( vec4( component( 0 ), component( 1 ), component( 2 ), component( 3 ) ) );

		} )().compute( length, [ 256 ] ).setName( 'fill' );

	}

}
