import type { PerspectiveCamera } from 'three/webgpu';
import type { Terrain } from './terrain';

/** Places worth a picture: metres from the middle, metres above the ground, degrees to the left of north and up. */
const POSES = [
	{ x: 20, z: 62, above: 3, turn: 20, up: -1 },
	{ x: -20, z: 44, above: 2, turn: 296, up: 0 },
	{ x: -45, z: 20, above: 4, turn: 280, up: -5 },
	{ x: 6, z: 84, above: 26, turn: 4, up: -17 },
];

export function strike( camera: PerspectiveCamera, terrain: Terrain, pose: number ): void {

	const { x, z, above, turn, up } = POSES[ pose % POSES.length ];
	camera.position.set( x, terrain.height( x, z ) + above, z );
	camera.rotation.set( ( up / 180 ) * Math.PI, ( turn / 180 ) * Math.PI, 0, 'YXZ' );
	camera.updateMatrixWorld();

}
