import type { BufferAttribute, ComputeNode, WebGPURenderer } from 'three/webgpu';
import { allocate, view, type StorageAttribute } from '../builder/buffers';
import { If, computeKernel, storage, type StorageExpr } from '../builder/tsl';
import { dispatchSize } from '../plan/dispatchSize';
import { linearInvocationIndex } from '../shaders/device/linearWorkgroupId';
import { internals, setDispatchSize } from '../three-types';

const WORKGROUP_SIZE = 64;

interface Copy { target: StorageAttribute; node: ComputeNode }

/**
 * The matrices of the frame before, for velocities, whoever writes them: two buffers that take the matrices in turn, by a copy on the GPU
 * in each frame. 128 bytes an instance.
 */
export class PreviousMatrices {

	/** Matrix of an instance as it was last drawn. */
	readonly node: StorageExpr;

	private copies: Copy[];
	private turn = 0;
	private lastFrame = - 1;
	private isFirst = true;

	constructor( matrices: BufferAttribute, private capacity: number ) {

		this.copies = makeCopies( matrices, capacity );
		this.node = storage( this.copies[ 0 ].target, 'mat4', capacity ).setName( 'previousMatrices' ).toReadOnly();

	}

	/** Keeps a frame's matrices, once, and shows those of the one before. */
	advance( renderer: WebGPURenderer, frame: number ): void {

		if ( frame === this.lastFrame ) return;
		this.lastFrame = frame;
		this.turn = 1 - this.turn;

		const [ now, before ] = [ this.copies[ this.turn ], this.copies[ 1 - this.turn ] ];
		const { maxComputeWorkgroupsPerDimension } = internals( renderer ).backend.device.limits;
		setDispatchSize( now.node, dispatchSize( 'CulledInstancedMesh', Math.ceil( 4 * this.capacity / WORKGROUP_SIZE ), maxComputeWorkgroupsPerDimension ) );
		void renderer.compute( now.node );

		this.node.value = this.isFirst ? now.target : before.target;
		this.isFirst = false;

	}

	/** Follows the matrices into another buffer. */
	follow( matrices: BufferAttribute, capacity: number ): void {

		this.dispose();
		this.capacity = capacity;
		this.copies = makeCopies( matrices, capacity );

	}

	/** Frees the buffers; they come back with the next frame. */
	dispose(): void {

		for ( const { target, node } of this.copies ) {

			target.dispose();
			node.dispose();

		}

		this.isFirst = true;

	}

}

function makeCopies( matrices: BufferAttribute, capacity: number ): Copy[] {

	return [ 0, 1 ].map( k => {

		const target = allocate( 'vec4', 4 * capacity );
		const [ from, to ] = [ view( matrices, 'vec4', 'instanceColumns' ).toReadOnly(), view( target, 'vec4', 'previousColumns' ) ];

		const node = computeKernel( `CulledInstancedMesh previous ${ k }`, WORKGROUP_SIZE, () => {

			const column = linearInvocationIndex( WORKGROUP_SIZE ).toVar();
			If( column.lessThan( 4 * capacity ), () => { to.element( column ).assign( from.element( column ) ); } );

		} );

		return { target, node };

	} );

}
