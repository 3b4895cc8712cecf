import type { Object3D, Scene, WebGPURenderer } from 'three/webgpu';
import { internals } from '../three-types';

/**
 * Throws out of `renderer.render()` when it has ended: thrown in the midst of it, an error would leave three with the wrong render target, and the canvas
 * black for good. Returns false where it can't: in a render nested in another, or of no scene.
 */
export function throwAfterRender( renderer: WebGPURenderer, object: Object3D, error: unknown ): boolean {

	let root = object;
	while ( root.parent !== null ) root = root.parent;

	const scene = root as Scene;
	if ( ! scene.isScene || internals( renderer )._callDepth !== 0 ) return false;

	const own = Object.getOwnPropertyDescriptor( scene, 'onAfterRender' );
	const { onAfterRender } = scene;

	scene.onAfterRender = ( ...args ) => {

		onAfterRender.apply( scene, args );
		// what is nested in the render, a shadow, ends before
		if ( internals( renderer )._callDepth >= 0 ) return;

		if ( own === undefined ) Reflect.deleteProperty( scene, 'onAfterRender' );
		else Object.defineProperty( scene, 'onAfterRender', own );
		throw error;

	};

	return true;

}
