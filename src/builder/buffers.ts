import { StorageBufferAttribute, type BufferAttribute, type Node, type StorageBufferNode, type StorageInstancedBufferAttribute } from 'three/webgpu';
import { ScanError, describe, invalidArgument } from '../errors';
import { componentCount, componentType, SCAN_TYPES, type ScanType } from '../shaders/monoids';
import { bringProducer } from './producers';
import { storage, type StorageExpr } from './tsl';

/** A buffer on the GPU: an attribute, or the node over one that `instancedArray()` and `storage()` return. */
export type StorageBuffer = StorageBufferAttribute | StorageInstancedBufferAttribute | StorageBufferNode<unknown>;

/** What properties without `Node` in their name are. */
export type StorageAttribute = StorageBufferAttribute | StorageInstancedBufferAttribute;

/** The value of an element, computed where it is needed. */
export type Closure<T = unknown> = ( index: Node<'uint'> ) => Node<T>;

/** What a pass reads: a buffer, or a closure from the element's index to its value. */
export type Source = StorageBuffer | ( ( index: Node<'uint'> ) => Node );

/** A number, or a buffer whose element 0 is a uint that stays on the GPU. */
export type Count = number | StorageBuffer;

export type TypedArray = Uint32Array | Int32Array | Float32Array;

/** A user's buffer, resolved. */
export interface BufferRef {

	readonly attribute: StorageAttribute;
	/** The user's own node, if one was passed. */
	readonly node: StorageExpr | null;
	readonly type: ScanType;
	/** Number of elements. */
	readonly length: number;

}

interface BufferLike {

	isStorageBufferNode?: boolean; isBufferAttribute?: boolean;
	value?: BufferAttribute; nodeType?: string | null; bufferType?: unknown; structTypeNode?: unknown;

}

export function isClosure( source: unknown ): source is Closure {

	return typeof source === 'function' && ( source as BufferLike ).isStorageBufferNode !== true;

}

/** The attribute under a buffer; refuses everything else. */
export function attributeOf( who: string, buffer: unknown ): StorageAttribute {

	const candidate = buffer as BufferLike | null | undefined;

	if ( candidate?.isStorageBufferNode === true && candidate.value !== undefined ) return candidate.value as StorageAttribute;
	if ( candidate?.isBufferAttribute === true ) return buffer as StorageAttribute;

	throw invalidArgument( `${ who } must be a StorageBufferAttribute or a storage node, e.g. from instancedArray() (got ${ describe( buffer ) }).` );

}

/** Resolves a user's buffer of scan elements. `type` overrides what the node or the attribute says. */
export function resolveBuffer( who: string, buffer: unknown, type?: ScanType ): BufferRef {

	const attribute = attributeOf( who, buffer );
	const candidate = buffer as BufferLike;
	const node = candidate.isStorageBufferNode === true ? candidate as unknown as StorageExpr : null;

	if ( node !== null && candidate.structTypeNode ) throw invalidArgument( `${ who } must hold scalars or vectors (got a struct buffer). Pass a closure that returns the member to scan.` );

	const components = attributeType( who, attribute );
	const nodeType = node !== null ? String( candidate.nodeType ) : undefined;
	const resolved = type ?? ( SCAN_TYPES as readonly ( string | undefined )[] ).find( t => t === nodeType ) as ScanType | undefined ?? ( nodeType === undefined ? components.type : undefined );

	if ( resolved === undefined ) throw invalidArgument( `${ who } must hold one of ${ SCAN_TYPES.join( ', ' ) } (got ${ nodeType ?? `itemSize ${ attribute.itemSize }` }).` );
	if ( ! SCAN_TYPES.includes( resolved ) ) throw invalidArgument( `${ who }: type must be one of ${ SCAN_TYPES.join( ', ' ) } (got ${ describe( resolved ) }).` );

	const n = componentCount( resolved );

	if ( componentType( resolved ) !== components.component ) throw invalidArgument( `${ who }: type ${ resolved } needs an attribute over a ${ arrayFor( resolved ).name } (got ${ attribute.array.constructor.name }).` );
	if ( n !== attribute.itemSize && ! ( n === 3 && attribute.itemSize === 4 ) ) throw invalidArgument( `${ who }: type ${ resolved } needs itemSize ${ n === 3 ? '4 (16-byte stride) or 3' : n } (got ${ attribute.itemSize }).` );
	if ( attribute.count === 0 ) throw invalidArgument( `${ who } must hold at least one element (got an empty buffer).` );

	return { attribute, node, type: resolved, length: attribute.count };

}

function attributeType( who: string, attribute: BufferAttribute ): { component: string; type: ScanType | undefined } {

	const { array, itemSize } = attribute;
	const component = array instanceof Uint32Array ? 'uint' : array instanceof Int32Array ? 'int' : array instanceof Float32Array ? 'float' : undefined;

	if ( component === undefined ) throw invalidArgument( `${ who } must be over a Uint32Array, Int32Array or Float32Array (got ${ array.constructor.name }).` );

	const prefix = { uint: 'u', int: 'i', float: '' }[ component ];
	const type = itemSize === 1 ? component : itemSize <= 4 ? `${ prefix }vec${ itemSize }` as ScanType : undefined;
	return { component, type };

}

/** Words (4 bytes) from one element to the next on the GPU. */
export function strideOf( type: ScanType ): number {

	const n = componentCount( type );
	return n === 3 ? 4 : n;

}

const ARRAYS = { uint: Uint32Array, int: Int32Array, float: Float32Array };

export function arrayFor( type: ScanType ): Uint32ArrayConstructor | Int32ArrayConstructor | Float32ArrayConstructor {

	return ARRAYS[ componentType( type ) ];

}

/**
 * Allocates a buffer of the pass's own for `length` elements, rounded up to 16 bytes, so that a view by vec4
 * never has a torn tail (which wraps onto the first elements on SwiftShader).
 */
export function allocate( type: ScanType, length: number ): StorageBufferAttribute {

	const stride = strideOf( type );
	const padded = Math.ceil( length * stride / 4 ) * 4;
	return new StorageBufferAttribute( new ( arrayFor( type ) )( padded ), stride );

}

/** Whether a buffer of scalars can be read and written four at a time. */
export function fitsVec4( attribute: BufferAttribute ): boolean {

	return attribute.array.length % 4 === 0;

}

/** A view of an attribute by another type: `vec4` of a scalar takes four elements at once. Named in our own kernels; nodes for people's have no name to clash. */
export function view( attribute: BufferAttribute, type: string, name?: string ): StorageExpr {

	const words = type === 'mat4' ? 16 : attribute.itemSize === 3 ? 3 : strideOf( type as ScanType );
	const node = storage( attribute, type, Math.floor( attribute.array.length / words ) );
	return bringProducer( name === undefined ? node : node.setName( name ), attribute );

}

export function checkBinding( who: string, bytes: number, limits: { maxStorageBufferBindingSize: number; maxBufferSize: number } ): void {

	for ( const limit of [ 'maxStorageBufferBindingSize', 'maxBufferSize' ] as const ) {

		if ( bytes > limits[ limit ] ) throw new ScanError( 'limit-exceeded', `${ who } needs a buffer of ${ bytes } bytes, above the device's ${ limit } of ${ limits[ limit ] }. Ask for more: new WebGPURenderer( { requiredLimits: { ${ limit }: ${ bytes } } } ).` );

	}

}
