import type { BufferAttribute, ComputeNode, WebGPURenderer } from 'three/webgpu';
import type { StorageExpr } from './tsl';

/** A frame as three hands it to a node's update. */
export interface UpdateFrame { readonly renderer: WebGPURenderer; readonly frameId: number; readonly renderId: number; readonly compute?: ComputeNode | null }

/** A pass that computes itself before a draw that reads its buffers. */
export interface Producer {

	readonly every: 'frame' | 'render';
	run( frame: UpdateFrame ): void;

}

const producers = new WeakMap<BufferAttribute, Producer>();

/** Says that a buffer is written by a pass that computes itself. */
export function setProducer( attribute: BufferAttribute, producer: Producer ): void {

	producers.set( attribute, producer );

}

/**
 * Makes a view of a buffer bring its producer along: three calls a node's `updateBefore` in front of the draw or
 * the dispatch that uses it, so a material that reads a pass's buffer has the pass computed, and so has a pass that reads another's.
 */
export function bringProducer( node: StorageExpr, attribute: BufferAttribute ): StorageExpr {

	const producer = producers.get( attribute );

	if ( producer !== undefined ) Object.assign( node, {
		updateBeforeType: producer.every,
		updateBefore: ( frame: UpdateFrame ) => producer.run( frame )
	} );

	return node;

}
