import { type BufferGeometry, Mesh, Quaternion, StorageBufferAttribute, Vector3, type Node } from 'three/webgpu';
import { storage, vec3 } from 'three/tsl';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { FrustumPlanes } from '../shared/frustum';
import { hash, noise } from '../shared/random';
import type { Terrain } from './terrain';

const MODEL = new URL( '../assets/rabbit.glb', import.meta.url ).href;
export const MAXIMUM = 1_000_000;
const SPACING = 2.05; // metres between neighbours, on average
const GOLDEN_ANGLE = Math.PI * ( 3 - Math.sqrt( 5 ) );
const BOUND = { centre: 0.4, radius: 1.75 }; // for a height of 1, however it is turned, and with its shadow
const UP = new Vector3( 0, 1, 0 );

/** Where the rabbits are. A smaller herd is the beginning of a larger one, and lies in the middle of it. */
export class Herd {

	/** How many are in use. */
	size = 0;
	private planted = 0;
	/** xyz: the ground under the paws; w: the height in metres. */
	private readonly placeData: StorageBufferAttribute;
	/** xyz: a rotation, the unit quaternion whose w is not negative; w: where in the palette its fur is, 0 to 1. */
	private readonly turnData: StorageBufferAttribute;
	readonly places;
	readonly turns;

	constructor( private readonly terrain: Terrain, readonly capacity: number ) {

		this.placeData = new StorageBufferAttribute( new Float32Array( capacity * 4 ), 4 );
		this.turnData = new StorageBufferAttribute( new Float32Array( capacity * 4 ), 4 );
		this.places = storage( this.placeData, 'vec4', capacity ).toReadOnly();
		this.turns = storage( this.turnData, 'vec4', capacity ).toReadOnly();

	}

	/** Metres from the middle to the outermost rabbits. */
	static radius( size: number ): number {

		return SPACING * Math.sqrt( size / Math.PI );

	}

	/** The world-space sphere around a rabbit and its shadow. */
	centre( index: Node<'uint'> ): Node<'vec3'> {

		const place = this.places.element( index );
		return place.xyz.add( vec3( 0, BOUND.centre, 0 ).mul( place.w ) );

	}

	radius( index: Node<'uint'> ): Node<'float'> {

		return this.places.element( index ).w.mul( BOUND.radius );

	}

	/** The same test on the CPU: writes the indices of all that the planes touch, returns how many. */
	collect( frustum: FrustumPlanes, indices: Uint32Array ): number {

		const data = this.placeData.array;
		let count = 0;
		for ( let i = 0, at = 0; i < this.size; i++, at += 4 ) {

			const height = data[ at + 3 ];
			if ( frustum.touchesSphere( data[ at ], data[ at + 1 ] + BOUND.centre * height, data[ at + 2 ], BOUND.radius * height ) ) indices[ count++ ] = i;

		}
		return count;

	}

	/** Makes the herd `size` large, as far as the time allows. */
	grow( size: number, milliseconds = Infinity ): void {

		const first = this.planted;
		const end = Math.min( size, this.capacity );
		const deadline = performance.now() + milliseconds;
		while ( this.planted < end && ( this.planted % 512 !== 0 || performance.now() < deadline ) ) this.add( this.planted++ );
		this.size = Math.min( end, this.planted );
		if ( this.planted === first ) return;
		for ( const data of [ this.placeData, this.turnData ] ) {

			data.addUpdateRange( first * 4, ( this.planted - first ) * 4 );
			data.needsUpdate = true;

		}

	}

	private add( index: number ): void {

		// A sunflower's spiral is even at every size; pushed about by noise it gathers into flocks.
		const distance = Herd.radius( index + 0.5 );
		const angle = index * GOLDEN_ANGLE;
		const evenX = distance * Math.cos( angle ) + hash( index, 1 ) * 1.4;
		const evenZ = distance * Math.sin( angle ) + hash( index, 2 ) * 1.4;
		const x = evenX + noise( evenX / 30, evenZ / 30, 11 ) * 9;
		const z = evenZ + noise( evenX / 30, evenZ / 30, 12 ) * 9;
		const isYoung = hash( index, 3 ) < 0.12;
		const height = ( isYoung ? 0.5 : 0.8 ) + hash( index, 4 ) * ( isYoung ? 0.15 : 0.45 );

		const heading = ( noise( x / 120, z / 120, 13 ) * 1.2 + ( hash( index, 5 ) - 0.5 ) ** 3 * 6 ) * Math.PI;
		const up = this.terrain.normal( x, z, _normal ).lerp( UP, 0.4 ).normalize();
		const turn = _tilt.setFromUnitVectors( UP, up ).multiply( _heading.setFromAxisAngle( UP, heading ) );
		const sign = turn.w < 0 ? -1 : 1;
		const fur = 0.5 + noise( x / 70, z / 70, 14 ) * 0.55 + ( hash( index, 6 ) - 0.5 ) * 0.55;

		this.placeData.array.set( [ x, this.terrain.height( x, z ), z, height ], index * 4 );
		this.turnData.array.set( [ turn.x * sign, turn.y * sign, turn.z * sign, Math.min( Math.max( fur, 0 ), 1 ) ], index * 4 );

	}

}

const _normal = new Vector3();
const _tilt = new Quaternion();
const _heading = new Quaternion();

/** The model of a few hundred triangles, standing at the origin, 1 high. */
export async function loadRabbit(): Promise<BufferGeometry> {

	const { scene } = await new GLTFLoader().loadAsync( MODEL );
	const mesh = scene.children[ 0 ];
	if ( !( mesh instanceof Mesh ) ) throw new Error( 'The model holds no mesh.' );
	return mesh.geometry as BufferGeometry;

}
