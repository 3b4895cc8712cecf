import { type StorageBufferAttribute, StorageInstancedBufferAttribute, type BufferAttribute, type Color, type Matrix4, type WebGPURenderer } from 'three/webgpu';
import { allocate } from '../builder/buffers';
import { storage, type StorageExpr } from '../builder/tsl';
import { DirtyElements } from './DirtyElements';
import { PreviousMatrices } from './PreviousMatrices';

/**
 * What a mesh's instances are: matrices, colours and whether each is shown. 64 bytes an instance, 16 more with colours, and a bit; 128 more with velocities.
 * The nodes outlive a resize: their `value` is exchanged.
 */
export class InstanceBuffers {

	matrices: BufferAttribute;
	colors: StorageInstancedBufferAttribute | null = null;
	shown: StorageBufferAttribute;

	readonly matrixNode: StorageExpr;
	colorNode: StorageExpr | null = null;
	private previous: PreviousMatrices | null = null;

	private dirty: { matrices: DirtyElements; colors: DirtyElements; shown: DirtyElements };

	constructor( public capacity: number, private readonly borrowed: BufferAttribute | null ) {

		this.matrices = borrowed ?? matrixAttribute( capacity );
		this.shown = flagAttribute( capacity );
		this.dirty = dirtyElements( capacity );
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

		this.needColors();
		color.toArray( this.colors!.array as unknown as number[], index * 4 );
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

	/** Matrices of the frame before. Whoever asks has them kept from then on. */
	get previousMatrixNode(): StorageExpr {

		return ( this.previous ??= new PreviousMatrices( this.matrices, this.capacity ) ).node;

	}

	/** After `flush()`, before a frame's draws. */
	advance( renderer: WebGPURenderer, frame: number ): void {

		this.previous?.advance( renderer, frame );

	}

	/** Before a run: what was written goes up with it. */
	flush(): void {

		if ( this.borrowed === null ) this.dirty.matrices.flush( this.matrices, 16 );
		this.dirty.shown.flush( this.shown, 1 );
		if ( this.colors !== null ) this.dirty.colors.flush( this.colors, 4 );

	}

	/** Makes room for `capacity` instances and keeps what fits. */
	resize( capacity: number ): void {

		const { matrices, shown, colors, capacity: before } = this;
		this.capacity = capacity;

		this.matrices = copyInto( matrixAttribute( capacity ), matrices );
		this.matrixNode.value = this.matrices;
		this.shown = copyInto( flagAttribute( capacity ), shown, Math.ceil( Math.min( before, capacity ) / 32 ) );
		// their last word knew of more
		for ( let i = before; i < capacity && i % 32 !== 0; i ++ ) this.setShown( i, true );

		if ( colors !== null && this.colorNode !== null ) {

			this.colors = copyInto( colorAttribute( capacity ), colors );
			this.colorNode.value = this.colors;
			colors.dispose();

		}

		matrices.dispose();
		shown.dispose();
		this.dirty = dirtyElements( capacity );
		this.previous?.follow( this.matrices, capacity );

	}

	/** Takes what another's instances are, as many as fit. */
	copy( source: InstanceBuffers ): void {

		if ( this.borrowed === null ) copyInto( this.matrices, source.matrices );
		copyInto( this.shown, source.shown );

		if ( source.colors !== null ) {

			this.needColors();
			copyInto( this.colors!, source.colors );

		} else this.colors?.array.fill( 1 );

		for ( const attribute of [ this.borrowed === null ? this.matrices : null, this.shown, this.colors ] ) if ( attribute !== null ) attribute.needsUpdate = true;

	}

	dispose(): void {

		if ( this.borrowed === null ) this.matrices.dispose();
		this.shown.dispose();
		this.colors?.dispose();
		this.previous?.dispose();
		this.forgetUploads();

	}

	private needColors(): void {

		if ( this.colors !== null ) return;
		this.colors = colorAttribute( this.capacity );
		this.colorNode = storage( this.colors, 'vec4', this.capacity ).setName( 'instanceColors' ).toReadOnly();

	}

	private forgetUploads(): void {

		for ( const elements of Object.values( this.dirty ) ) elements.reset();

	}

}

/** Identities: an instance that was not placed yet stands at the origin, as is. */
function matrixAttribute( capacity: number ): StorageInstancedBufferAttribute {

	const array = new Float32Array( capacity * 16 );
	for ( let i = 0; i < capacity; i ++ ) for ( let k = 0; k < 16; k += 5 ) array[ i * 16 + k ] = 1;
	return new StorageInstancedBufferAttribute( array, 16 );

}

function colorAttribute( capacity: number ): StorageInstancedBufferAttribute {

	return new StorageInstancedBufferAttribute( new Float32Array( capacity * 4 ).fill( 1 ), 4 );

}

function dirtyElements( capacity: number ): { matrices: DirtyElements; colors: DirtyElements; shown: DirtyElements } {

	return { matrices: new DirtyElements( capacity ), colors: new DirtyElements( capacity ), shown: new DirtyElements( Math.ceil( capacity / 32 ) ) };

}

function flagAttribute( capacity: number ): StorageBufferAttribute {

	const attribute = allocate( 'uint', Math.ceil( capacity / 32 ) );
	attribute.array.fill( 0xffffffff );
	return attribute;

}

function copyInto<T extends BufferAttribute>( target: T, source: BufferAttribute, length = Math.min( target.array.length, source.array.length ) ): T {

	for ( let i = 0; i < length; i ++ ) target.array[ i ] = source.array[ i ];
	return target;

}
