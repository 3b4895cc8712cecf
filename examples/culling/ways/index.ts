/** Ways to draw the valley: all of it, or what is left of it by a test on the CPU or the GPU. */
import type { Object3D, PerspectiveCamera, WebGPURenderer } from 'three/webgpu';
import type { FrustumPlanes } from '../../shared/frustum';
import type { Population } from '../population';
import { atomicAppend } from './atomicAppend';
import { culledMeshes } from './culledMeshes';
import { meshlets } from './meshlets';
import { off } from './off';
import { onCpu } from './onCpu';
import { scan } from './scan';

const MAKERS = { 'CulledInstancedMesh': culledMeshes, scan, 'atomic append': atomicAppend, 'CPU': onCpu, off, 'three meshlets': meshlets };

export type WayName = keyof typeof MAKERS;
export const WAYS = Object.keys( MAKERS ) as WayName[];

export interface World {
	populations: Population[];
	camera: PerspectiveCamera;
	/** Of the camera, unless frozen. */
	frustum: FrustumPlanes;
	renderer: WebGPURenderer;
}

export interface Way {
	readonly meshes: Object3D[];
	readonly isOnGpu: boolean;
	/** In a word or two, how those in view are found. */
	readonly policy: Readonly<Record<string, unknown>>;
	/** Finds what is in view; to be called before a render, after the camera has moved. */
	cull( isFrozen: boolean ): void;
	/** How many are drawn, a number for each level of detail; null where nobody counts. */
	readVisible(): Promise<number[] | null>;
	/** Called when it is not used any more for now. */
	leave?(): void;
}

export function makeWay( name: WayName, world: World ): Promise<Way> | Way {

	return MAKERS[ name ]( world );

}
