import { type StorageBufferAttribute, StorageInstancedBufferAttribute, type BufferAttribute, type Color, type Matrix4 } from 'three/webgpu';
import { allocate } from '../builder/buffers';
import { storage, type StorageExpr } from '../builder/tsl';

/** Elements of an attribute that were written since the last upload. */
class DirtyRange {

	private first = Infinity;
	private last = - 1;
	private version = - 1;

	add( element: number ): void {

		this.first = Math.min( this.first, element );
		this.last = Math.max( this.last, element );

	}

	/** The attribute is a new one, or new to the GPU. */
	reset(): void {

		this.first = Infinity;
		this.last = - 1;
		this.version = - 1;

	}

	/** Marks what was written for upload, and only that, once the whole has been on the GPU. */
	flush( attribute: BufferAttribute, wordsPerElement: number ): void {

		const wholeIsDue = attribute.version !== this.version; // first use, or the user's own needsUpdate: three uploads all

		if ( this.last >= 0 && ! wholeIsDue ) {

			attribute.addUpdateRange( this.first * wordsPerElement, ( this.last - this.first + 1 ) * wordsPerElement );
			attribute.needsUpdate = true;

		}

		this.first = Infinity;
		this.last = - 1;
		this.version = attribute.version;

	}

}

/**
 * What a mesh's instances are: matrices, colours and whether each is shown. 64 bytes an instance, 16 more with colours, and a bit.
 * The nodes outlive a resize: their `value` is exchanged.
 */
export class InstanceBuffers {

	matrices: BufferAttribute;
	colors: StorageInstancedBufferAttribute | null = null;
	shown: StorageBufferAttribute;

	readonly matrixNode: StorageExpr;
	colorNode: StorageExpr | null = null;

	private readonly dirty = { matrices: new DirtyRange(), colors: new DirtyRange(), shown: new DirtyRange() };

	constructor( public capacity: number, private readonly borrowed: BufferAttribute | null ) {

		this.matrices = borrowed ?? matrixAttribute( capacity );
		this.shown = flagAttribute( capacity );
		this.matrixNode = storage( this.matrices, 'mat4', capacity ).setName( 'instanceMatrices' ).toReadOnly();

	}

	setMatrix( index: number, matrix: Matrix4 ): void {

		matrix.toArray( this.matrices.array as unknown as number[], index * 16 );
		this.dirty.matrices.add( index );

	}

	getMatrix( index: number, matrix: Matrix4 ): Matrix4 {

		return matrix.fromArray( this.matrices.array, index * 16 );

	}

	setColor( index: number, color: Color ): void {

		if ( this.colors === null ) {

			this.colors = new StorageInstancedBufferAttribute( new Float32Array( this.capacity * 4 ).fill( 1 ), 4 );
			this.colorNode = storage( this.colors, 'vec4', this.capacity ).setName( 'instanceColors' ).toReadOnly();

		}

		color.toArray( this.colors.array as unknown as number[], index * 4 );
		this.dirty.colors.add( index );

	}

	setShown( index: number, shown: boolean ): void {

		const word = index >> 5;
		const bit = 1 << ( index & 31 );
		const words = this.shown.array;
		words[ word ] = ( shown ? words[ word ] | bit : words[ word ] & ~ bit ) >>> 0;
		this.dirty.shown.add( word );

	}

	isShown( index: number ): boolean {

		return ( this.shown.array[ index >> 5 ] >>> ( index & 31 ) & 1 ) === 1;

	}

	/** Before a run: what was written goes up with it. */
	flush(): void {

		if ( this.borrowed === null ) this.dirty.matrices.flush( this.matrices, 16 );
		this.dirty.shown.flush( this.shown, 1 );
		if ( this.colors !== null ) this.dirty.colors.flush( this.colors, 4 );

	}

	/** Makes room for `capacity` instances and keeps what fits. */
	resize( capacity: number ): void {

		const { matrices, shown, colors } = this;
		this.capacity = capacity;

		this.matrices = copyInto( matrixAttribute( capacity ), matrices );
		this.matrixNode.value = this.matrices;
		this.shown = copyInto( flagAttribute( capacity ), shown );

		if ( colors !== null && this.colorNode !== null ) {

			this.colors = copyInto( new StorageInstancedBufferAttribute( new Float32Array( capacity * 4 ).fill( 1 ), 4 ), colors );
			this.colorNode.value = this.colors;
			colors.dispose();

		}

		matrices.dispose();
		shown.dispose();
		this.forgetUploads();

	}

	dispose(): void {

		if ( this.borrowed === null ) this.matrices.dispose();
		this.shown.dispose();
		this.colors?.dispose();
		this.forgetUploads();

	}

	private forgetUploads(): void {

		for ( const range of Object.values( this.dirty ) ) range.reset();

	}

}

/** Identities: an instance that was not placed yet stands at the origin, as is. */
function matrixAttribute( capacity: number ): StorageInstancedBufferAttribute {

	const array = new Float32Array( capacity * 16 );
	for ( let i = 0; i < capacity; i ++ ) for ( let k = 0; k < 16; k += 5 ) array[ i * 16 + k ] = 1;
	return new StorageInstancedBufferAttribute( array, 16 );

}

function flagAttribute( capacity: number ): StorageBufferAttribute {

	const attribute = allocate( 'uint', Math.ceil( capacity / 32 ) );
	attribute.array.fill( 0xffffffff );
	return attribute;

}

function copyInto<T extends BufferAttribute>( target: T, source: BufferAttribute ): T {

	const length = Math.min( target.array.length, source.array.length );
	for ( let i = 0; i < length; i ++ ) target.array[ i ] = source.array[ i ];
	return target;

}
