import { WebGPUCoordinateSystem, type CoordinateSystem, type OrthographicCamera, type PerspectiveCamera, type WebGPURenderer } from 'three/webgpu';
import type { PartitionPass } from 'three-scan';

export interface Depth { coordinateSystem?: CoordinateSystem; reversed?: boolean }

/** Brings a camera's matrices up to date, for WebGPU's depth if not told otherwise, as a renderer would. */
export function ready<T extends PerspectiveCamera | OrthographicCamera>( camera: T, { coordinateSystem = WebGPUCoordinateSystem, reversed = false }: Depth = {} ): T {

	camera.coordinateSystem = coordinateSystem;
	Object.assign( camera, { _reversedDepth: reversed } );
	camera.updateProjectionMatrix();
	camera.updateMatrixWorld();
	return camera;

}

/** The same with a projection of its own: left, right, top and bottom at distance 1. */
export function readyAsymmetric( camera: PerspectiveCamera, [ left, right, top, bottom ]: readonly number[], depth?: Depth ): PerspectiveCamera {

	ready( camera, depth );
	const { near, far, coordinateSystem, reversedDepth } = camera;
	camera.projectionMatrix.makePerspective( left * near, right * near, top * near, bottom * near, near, far, coordinateSystem, reversedDepth );
	camera.projectionMatrixInverse.copy( camera.projectionMatrix ).invert();
	return camera;

}

/** The bucket of each index, of a pass that discards nothing. */
export async function readBuckets( renderer: WebGPURenderer, pass: PartitionPass ): Promise<Uint8Array> {

	const [ indices, offsets ] = await Promise.all( [ pass.readIndices( renderer ), pass.readOffsets( renderer ) ] );
	const buckets = new Uint8Array( indices.length );
	for ( let bucket = 0; bucket < offsets.length - 1; bucket ++ ) for ( let k = offsets[ bucket ]; k < offsets[ bucket + 1 ]; k ++ ) buckets[ indices[ k ] ] = bucket;
	return buckets;

}
