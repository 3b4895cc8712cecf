/** What stands in the valley, and in which levels of detail. */
import { BufferAttribute, Mesh, type BufferGeometry } from 'three/webgpu';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

export interface Kind {
	readonly name: 'rabbit' | 'tree' | 'rock' | 'flower';
	readonly file: string;
	/** Of all instances. */
	readonly share: number;
	/** Metres, smallest and largest. */
	readonly height: readonly [number, number];
	/** Metres from where on each level of detail is shown. */
	readonly distances: readonly [0, number, number];
	/** Metres up to where it is shown at all. */
	readonly maxDistance?: number;
	readonly castsShadow: boolean;
	/** How far noise pushes it into flocks, groves and patches, and the size of those, in metres. */
	readonly gathering: readonly [push: number, size: number];
	/** 1: stands as the slope does, 0: upright. */
	readonly lean: number;
	/** How much of its height is in the ground. */
	readonly sunk: number;
	/** On the map. */
	readonly dot: string;
}

export const KINDS: readonly Kind[] = [
	{ name: 'rabbit', file: new URL( '../assets/rabbit.glb', import.meta.url ).href, share: 0.4, height: [ 0.5, 1.2 ], distances: [ 0, 22, 60 ], castsShadow: true, gathering: [ 11, 34 ], lean: 0.6, sunk: 0.02, dot: '#ff8a3c' },
	{ name: 'tree', file: new URL( '../assets/tree.glb', import.meta.url ).href, share: 0.02, height: [ 5.5, 11 ], distances: [ 0, 60, 170 ], castsShadow: true, gathering: [ 42, 110 ], lean: 0, sunk: 0.01, dot: '#4fd06a' },
	{ name: 'rock', file: new URL( '../assets/rock.glb', import.meta.url ).href, share: 0.05, height: [ 0.3, 1.6 ], distances: [ 0, 24, 70 ], castsShadow: true, gathering: [ 24, 60 ], lean: 1, sunk: 0.22, dot: '#c9d2dd' },
	{ name: 'flower', file: new URL( '../assets/flower.glb', import.meta.url ).href, share: 0.53, height: [ 0.25, 0.6 ], distances: [ 0, 9, 26 ], maxDistance: 220, castsShadow: false, gathering: [ 16, 22 ], lean: 0.3, sunk: 0.02, dot: '#ff7fc0' },
];

/** The levels of a model, finest first, standing at the origin, 1 high. `level` at each vertex says which it is. */
export async function loadLevels( kind: Kind ): Promise<BufferGeometry[]> {

	const { scene } = await new GLTFLoader().loadAsync( kind.file );
	return scene.children.filter( ( child ) => child instanceof Mesh ).map( ( mesh, level ) => {

		const geometry = mesh.geometry as BufferGeometry;
		geometry.setAttribute( 'level', new BufferAttribute( new Float32Array( geometry.attributes.position.count ).fill( level ), 1 ) );
		return geometry;

	} );

}
