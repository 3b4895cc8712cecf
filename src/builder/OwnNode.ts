import { Node } from 'three/webgpu';

/** A node that is built wherever it stands: three would share what equal nodes are built to. */
export abstract class OwnNode extends Node {

	override isCacheable(): boolean {

		return false;

	}

}
