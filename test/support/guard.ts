import { StorageBufferAttribute } from 'three/webgpu';
import type { WebGPURenderer } from 'three/webgpu';

/** Fills what a kernel must not write, and, as an input, what it must not read. */
export const GUARD_WORD = 0xdeadbeef;

export const GUARD_COUNT = 64;

type GuardedArray = Uint32Array | Int32Array | Float32Array;

/**
 * A storage attribute that starts with `values` and ends in guard words.
 * The words past the values poison reads; {@link expectGuardsIntact} finds writes.
 */
export function createGuardedAttribute( values: GuardedArray, itemSize = 1, guardCount = GUARD_COUNT ): StorageBufferAttribute {

	if ( guardCount % itemSize !== 0 ) throw new Error( `createGuardedAttribute: guardCount must be a multiple of itemSize (got ${ guardCount }, ${ itemSize }).` );

	const array = createArrayLike( values, values.length + guardCount );
	asWords( array ).fill( GUARD_WORD );
	array.set( values );

	return new StorageBufferAttribute( array, itemSize );

}

/** An attribute to write to: `length` words, all of them guard words until written, then the guard. */
export function createGuardedOutput( type: 'uint' | 'int' | 'float', length: number, itemSize = 1, guardCount = GUARD_COUNT ): StorageBufferAttribute {

	const Type = { uint: Uint32Array, int: Int32Array, float: Float32Array }[ type ];
	const values = new Type( length );
	asWords( values ).fill( GUARD_WORD );

	return createGuardedAttribute( values, itemSize, guardCount );

}

/** Asserts on the GPU's copy that every word from `from` on still is the guard word. */
export async function expectGuardsIntact( renderer: WebGPURenderer, attribute: StorageBufferAttribute, from: number ): Promise<void> {

	assertGuardWords( new Uint32Array( await renderer.getArrayBufferAsync( attribute ) ), from );

}

/** The same on words already read. */
export function assertGuardWords( words: Uint32Array, from: number ): void {

	for ( let i = from; i < words.length; i ++ ) {

		if ( words[ i ] !== GUARD_WORD ) throw new Error( `Guard word ${ i } (${ i - from } past the range) was overwritten with 0x${ words[ i ].toString( 16 ) }.` );

	}

}

function createArrayLike( values: GuardedArray, length: number ): GuardedArray {

	if ( values instanceof Uint32Array ) return new Uint32Array( length );
	if ( values instanceof Int32Array ) return new Int32Array( length );
	return new Float32Array( length );

}

function asWords( array: GuardedArray ): Uint32Array {

	return new Uint32Array( array.buffer, array.byteOffset, array.length );

}
