import { BufferAttribute, BufferGeometry, MathUtils, type Vector3 } from 'three/webgpu';
import { mix, noise } from '../shared/random';

export const SIZE = 3000; // metres
const CELLS = 300;
const CELL = SIZE / CELLS;
const PLAIN = 1150; // beyond this distance from the middle the land rises, so that the horizon is hills

/** Rolling hills, sampled once on a grid; `height` is exactly the height of the mesh drawn. */
export class Terrain {

	readonly geometry = new BufferGeometry();
	private readonly heights = new Float32Array( ( CELLS + 1 ) ** 2 );

	constructor() {

		const positions = new Float32Array( this.heights.length * 3 );
		for ( let row = 0, vertex = 0; row <= CELLS; row++ ) {

			for ( let column = 0; column <= CELLS; column++, vertex++ ) {

				const x = column * CELL - SIZE / 2;
				const z = row * CELL - SIZE / 2;
				this.heights[ vertex ] = hills( x, z );
				positions.set( [ x, this.heights[ vertex ], z ], vertex * 3 );

			}

		}
		const indices = new Uint32Array( CELLS * CELLS * 6 );
		for ( let cell = 0; cell < CELLS * CELLS; cell++ ) {

			const a = cell + Math.floor( cell / CELLS );
			const c = a + CELLS + 1;
			indices.set( [ a, c, a + 1, a + 1, c, c + 1 ], cell * 6 );

		}
		this.geometry.setAttribute( 'position', new BufferAttribute( positions, 3 ) );
		this.geometry.setIndex( new BufferAttribute( indices, 1 ) );
		this.geometry.computeVertexNormals();

	}

	height( x: number, z: number ): number {

		const column = ( x + SIZE / 2 ) / CELL;
		const row = ( z + SIZE / 2 ) / CELL;
		const i = MathUtils.clamp( Math.floor( column ), 0, CELLS - 1 );
		const k = MathUtils.clamp( Math.floor( row ), 0, CELLS - 1 );
		const [ u, v ] = [ column - i, row - k ];
		const at = ( right: number, down: number ): number => this.heights[ ( k + down ) * ( CELLS + 1 ) + i + right ];
		return u + v <= 1
			? at( 0, 0 ) + u * ( at( 1, 0 ) - at( 0, 0 ) ) + v * ( at( 0, 1 ) - at( 0, 0 ) )
			: at( 1, 1 ) + ( 1 - u ) * ( at( 0, 1 ) - at( 1, 1 ) ) + ( 1 - v ) * ( at( 1, 0 ) - at( 1, 1 ) );

	}

	normal( x: number, z: number, target: Vector3 ): Vector3 {

		const step = CELL / 2;
		const dx = this.height( x + step, z ) - this.height( x - step, z );
		const dz = this.height( x, z + step ) - this.height( x, z - step );
		return target.set( -dx, 2 * step, -dz ).normalize();

	}

}

function hills( x: number, z: number ): number {

	const bend = noise( x / 300, z / 300, 5 ) * 60;
	const broad = noise( ( x + bend ) / 260, z / 260, 1 ) * 26;
	const ridge = ( 1 - Math.abs( noise( x / 420, ( z + bend ) / 420, 2 ) ) ) ** 2 * 34;
	const fine = noise( x / 70, z / 70, 3 ) * 4.5 + noise( x / 28, z / 28, 4 ) * 1.1;
	const rim = MathUtils.smoothstep( Math.hypot( x, z ), PLAIN, SIZE / 2 );
	return broad + ridge + fine + mix( 0, 130 + noise( x / 150, z / 150, 6 ) * 60, rim );

}
