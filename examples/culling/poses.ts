import type { PerspectiveCamera } from 'three/webgpu';
import type { Terrain } from './terrain';

/** Places worth a picture: metres from the middle, metres above the ground, degrees to the left of north and up. */
const POSES = [
	{ x: 30, z: 62, above: 5, turn: 24, up: -6 },
	{ x: -38, z: -30, above: 14, turn: 215, up: -14 },
	{ x: 5, z: -12, above: 1.9, turn: 95, up: -3 },
	{ x: 6, z: 84, above: 26, turn: 4, up: -17 },
];

export function strike( camera: PerspectiveCamera, terrain: Terrain, pose: number ): void {

	const { x, z, above, turn, up } = POSES[ pose % POSES.length ];
	camera.position.set( x, terrain.height( x, z ) + above, z );
	camera.rotation.set( ( up / 180 ) * Math.PI, ( turn / 180 ) * Math.PI, 0, 'YXZ' );
	camera.updateMatrixWorld();

}
