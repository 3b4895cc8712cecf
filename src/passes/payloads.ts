import { StorageBufferAttribute, type BufferAttribute, type TypedArray } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { attributeOf, type StorageBuffer } from '../builder/buffers';
import type { Payload } from '../plan/payloadPlan';

/** A payload array moved along with the survivors: `to[ k ] = from[ indices[ k ] ]`. */
export interface Gather {

	/** One element a candidate, of any type with 4-byte components: scalars, vectors, matrices. */
	from: StorageBuffer;
	/** Default: allocated, one element an output. */
	to?: StorageBuffer;

}

const TYPES: Record<number, string> = { 1: '', 2: 'vec2', 3: 'vec3', 4: 'vec4', 16: 'mat4' };

/** Resolves a pass's `gather` option. */
export function resolvePayloads( who: string, gather: readonly Gather[] | undefined, capacity: number, outputCapacity: number, indices: BufferAttribute ): ( Payload & { isOwn: boolean } )[] {

	if ( gather === undefined ) return [];
	if ( ! Array.isArray( gather ) ) throw invalidArgument( `${ who }: gather must be an array of { from, to } (got ${ describe( gather ) }).` );

	const written = new Set<BufferAttribute>( [ indices ] );

	const payloads = ( gather as readonly Gather[] ).map( ( pair, k ) => {

		const label = `${ who }: gather[ ${ k } ]`;
		if ( pair === null || typeof pair !== 'object' ) throw invalidArgument( `${ label } must be { from, to } (got ${ describe( pair ) }).` );

		const { from, to } = pair;
		const source = attributeOf( `${ label }.from`, from );
		const type = payloadType( `${ label }.from`, source );

		if ( source.count < capacity ) throw invalidArgument( `${ label }.from must hold at least ${ capacity } elements, one a candidate (got ${ source.count }).` );

		if ( to === undefined ) return { from: source, to: allocateLike( source, outputCapacity ), type, isOwn: true };

		const target = attributeOf( `${ label }.to`, to );
		const targetType = payloadType( `${ label }.to`, target );

		if ( targetType !== type ) throw invalidArgument( `${ label }.to must be of the type of from, ${ type } (got ${ targetType }).` );
		if ( target === source ) throw invalidArgument( `${ label }: from and to must be different buffers (got one for both).` );
		if ( written.has( target ) ) throw invalidArgument( `${ label }.to must be a buffer of its own (got ${ target === indices ? 'the indices' : 'that of another gather' }).` );
		written.add( target );
		if ( target.count < outputCapacity ) throw invalidArgument( `${ label }.to must hold at least ${ outputCapacity } elements, as indices does (got ${ target.count }).` );

		return { from: source, to: target, type, isOwn: false };

	} );

	const read = payloads.findIndex( ( { from } ) => written.has( from ) );
	if ( read >= 0 ) throw invalidArgument( `${ who }: gather[ ${ read } ].from must not be written in the same run (got ${ payloads[ read ].from === indices ? 'the indices' : 'what another gather writes' }). Use two passes.` );
	return payloads;

}

function payloadType( who: string, { array, itemSize }: BufferAttribute ): string {

	const prefix = array instanceof Float32Array ? '' : array instanceof Uint32Array ? 'u' : array instanceof Int32Array ? 'i' : undefined;
	const shape = TYPES[ itemSize ];

	if ( prefix === undefined ) throw invalidArgument( `${ who } must be over a Float32Array, Uint32Array or Int32Array (got ${ array.constructor.name }).` );
	if ( shape === undefined || ( shape === 'mat4' && prefix !== '' ) ) throw invalidArgument( `${ who } must have an itemSize of 1, 2, 3, 4 or 16 (got ${ itemSize }).` );
	if ( shape === '' ) return { '': 'float', u: 'uint', i: 'int' }[ prefix ];

	// three pads itemSize 3 to a stride of 16 bytes on first use: moved as a vec4, whatever it was made as
	return shape === 'mat4' ? shape : `${ prefix }${ shape === 'vec3' ? 'vec4' : shape }`;

}

function allocateLike( { array, itemSize }: BufferAttribute, length: number ): StorageBufferAttribute {

	const size = itemSize === 3 ? 4 : itemSize;
	const words = Math.max( 4, Math.ceil( length * size / 4 ) * 4 );
	return new StorageBufferAttribute( new ( array.constructor as new ( length: number ) => TypedArray )( words ), size );

}
