import { Matrix4, Quaternion, StorageBufferAttribute, StorageInstancedBufferAttribute, Vector3, type BufferGeometry } from 'three/webgpu';
import { storage } from 'three/tsl';
import type { FrustumPlanes } from '../shared/frustum';
import { hash, mix, noise } from '../shared/random';
import type { Kind } from './kinds';
import { SUN } from './scenery';
import type { Terrain } from './terrain';

const SPACING = 2.05; // metres between neighbours of any kind, on average
const GOLDEN_ANGLE = Math.PI * ( 3 - Math.sqrt( 5 ) );
const UP = new Vector3( 0, 1, 0 );
const SHADOW_LENGTH = 1.25 / SUN.y; // in heights, on a slope, too

/** All instances of one kind. A smaller population is the beginning of a larger one, and lies in the middle of it. */
export class Population {

	/** How many are in use. */
	size = 0;
	private planted = 0;
	readonly capacity: number;
	readonly matrixData: StorageInstancedBufferAttribute;
	readonly matrices;
	/** Around each and its shadow: xyz centre, w radius. */
	private readonly sphereData: StorageBufferAttribute;
	readonly spheres;
	private readonly seed: number;

	constructor( readonly kind: Kind, readonly levels: BufferGeometry[], private readonly terrain: Terrain, total: number ) {

		this.capacity = Population.part( kind, total );
		this.seed = kind.name.length * 100;
		this.matrixData = new StorageInstancedBufferAttribute( new Float32Array( this.capacity * 16 ), 16 );
		this.matrices = storage( this.matrixData, 'mat4', this.capacity ).toReadOnly();
		this.sphereData = new StorageBufferAttribute( new Float32Array( this.capacity * 4 ), 4 );
		this.spheres = storage( this.sphereData, 'vec4', this.capacity ).toReadOnly();

	}

	/** Metres from the middle to the outermost of `total` instances of all kinds. */
	static radius( total: number ): number {

		return SPACING * Math.sqrt( total / Math.PI );

	}

	private static part( kind: Kind, total: number ): number {

		return Math.max( 1, Math.floor( total * kind.share ) );

	}

	/** Makes it its share of `total`, as far as the time allows. */
	grow( total: number, milliseconds = Infinity ): void {

		const first = this.planted;
		const end = Math.min( Population.part( this.kind, total ), this.capacity );
		const deadline = performance.now() + milliseconds;
		while ( this.planted < end && ( this.planted % 256 !== 0 || performance.now() < deadline ) ) this.add( this.planted++ );
		this.size = Math.min( end, this.planted );
		if ( this.planted === first ) return;
		for ( const data of [ this.matrixData, this.sphereData ] ) {

			data.addUpdateRange( first * data.itemSize, ( this.planted - first ) * data.itemSize );
			data.needsUpdate = true;

		}

	}

	/** Writes the indices of all that the planes touch, returns how many. */
	collect( frustum: FrustumPlanes, indices: Uint32Array ): number {

		const spheres = this.sphereData.array;
		let count = 0;
		for ( let i = 0, at = 0; i < this.size; i++, at += 4 ) {

			if ( frustum.touchesSphere( spheres[ at ], spheres[ at + 1 ], spheres[ at + 2 ], spheres[ at + 3 ] ) ) indices[ count++ ] = i;

		}
		return count;

	}

	private add( index: number ): void {

		const { kind, terrain, seed } = this;
		const random = ( channel: number ): number => hash( index, channel, seed );

		// A sunflower's spiral is even at every size; pushed about by noise it gathers.
		const [ push, size ] = kind.gathering;
		const distance = Population.radius( ( index + 0.5 ) / kind.share );
		const angle = index * GOLDEN_ANGLE + seed;
		const jitter = 0.7 / Math.sqrt( kind.share );
		const evenX = distance * Math.cos( angle ) + random( 1 ) * jitter;
		const evenZ = distance * Math.sin( angle ) + random( 2 ) * jitter;
		const x = evenX + noise( evenX / size, evenZ / size, seed + 1 ) * push;
		const z = evenZ + noise( evenX / size, evenZ / size, seed + 2 ) * push;

		const [ smallest, largest ] = kind.height;
		const height = mix( smallest, largest, random( 3 ) ** ( kind.name === 'rock' ? 3 : 1 ) );
		const up = terrain.normal( x, z, _normal ).lerp( UP, 1 - kind.lean ).normalize();
		const heading = ( noise( x / 120, z / 120, 13 ) * 1.2 + ( random( 5 ) - 0.5 ) ** 3 * 6 ) * Math.PI;
		_turn.setFromUnitVectors( UP, up ).multiply( _heading.setFromAxisAngle( UP, heading ) );
		_place.set( x, terrain.height( x, z ), z ).addScaledVector( up, - height * kind.sunk );
		_matrix.compose( _place, _turn, _size.setScalar( height ) ).toArray( this.matrixData.array, index * 16 );

		const own = this.levels[ 0 ].boundingSphere!;
		const middle = _place.y + own.center.y * height;
		const shadow = SHADOW_LENGTH * height / 2; // to the middle of its shadow
		const radius = own.radius * height + ( kind.castsShadow ? shadow : 0 );
		const away = kind.castsShadow ? shadow : 0;
		this.sphereData.array.set( [ x - SUN.x * away, middle - SUN.y * away, z - SUN.z * away, radius ], index * 4 );

	}

}

const _normal = new Vector3();
const _place = new Vector3();
const _size = new Vector3();
const _turn = new Quaternion();
const _heading = new Quaternion();
const _matrix = new Matrix4();
