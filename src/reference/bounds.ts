import { describe, invalidArgument } from '../errors';
import { boxIsInside, sphereIsInside, type PackedPlane } from './frustum';

/** World-space bounds: exactly one of spheres and boxes. */
export interface ReferenceBounds {

	/** Packed x, y, z of the centre and the radius (≥ 0): four numbers a sphere. */
	spheres?: ArrayLike<number>;
	/** The lower and upper corners, min ≤ max, `stride` numbers a corner. */
	boxes?: { readonly min: ArrayLike<number>; readonly max: ArrayLike<number> };
	/** Numbers from one corner to the next: 3 (packed) or 4 (as on the GPU, the fourth is ignored). Boxes only. Default 3. */
	stride?: 3 | 4;

}

/** One bound after the other; the fields belong to the one last selected. */
export interface BoundsReader {

	readonly count: number;
	/** The centre, and the radius around it that holds the whole bound. */
	x: number; y: number; z: number; radius: number;
	select( index: number ): void;
	/** Whether no plane has the selected bound, grown by `tolerance` (world units), on its outer side. */
	isInside( planes: readonly PackedPlane[], tolerance: number ): boolean;

}

/** Checks the shapes of `bounds`. */
export function readBounds( bounds: ReferenceBounds, who: string ): BoundsReader {

	const { spheres, boxes, stride } = bounds;

	if ( spheres !== undefined && boxes === undefined ) return readSpheres( spheres, who );
	if ( boxes !== undefined && spheres === undefined ) return readBoxes( boxes.min, boxes.max, stride ?? 3, who );

	throw invalidArgument( `${ who }: the bounds must be either spheres or boxes (got ${ spheres === undefined ? 'neither' : 'both' }). Pass one of them.` );

}

function readSpheres( spheres: ArrayLike<number>, who: string ): BoundsReader {

	if ( spheres.length % 4 !== 0 ) {

		throw invalidArgument( `${ who }: spheres must hold four numbers each, x, y, z and the radius (got ${ spheres.length } numbers). Pack them with stride 4.` );

	}

	return {
		count: spheres.length / 4,
		x: 0, y: 0, z: 0, radius: 0,
		select( index ) {

			this.x = spheres[ index * 4 ];
			this.y = spheres[ index * 4 + 1 ];
			this.z = spheres[ index * 4 + 2 ];
			this.radius = spheres[ index * 4 + 3 ];

		},
		isInside( planes, tolerance ) {

			return sphereIsInside( planes, this.x, this.y, this.z, this.radius + tolerance );

		}
	};

}

function readBoxes( min: ArrayLike<number>, max: ArrayLike<number>, stride: number, who: string ): BoundsReader {

	if ( stride !== 3 && stride !== 4 ) {

		throw invalidArgument( `${ who }: stride must be 3 or 4 (got ${ describe( stride ) }). Omit it for packed corners.` );

	}

	if ( min.length !== max.length || min.length % stride !== 0 ) {

		throw invalidArgument( `${ who }: boxes must have as many lower as upper corners of ${ stride } numbers (got ${ min.length } and ${ max.length } numbers). Set stride to the distance between corners.` );

	}

	const corners = { minX: 0, minY: 0, minZ: 0, maxX: 0, maxY: 0, maxZ: 0 };

	return {
		count: min.length / stride,
		x: 0, y: 0, z: 0, radius: 0,
		select( index ) {

			const at = index * stride;
			const [ minX, minY, minZ ] = [ min[ at ], min[ at + 1 ], min[ at + 2 ] ];
			const [ maxX, maxY, maxZ ] = [ max[ at ], max[ at + 1 ], max[ at + 2 ] ];

			Object.assign( corners, { minX, minY, minZ, maxX, maxY, maxZ } );
			this.x = ( minX + maxX ) / 2;
			this.y = ( minY + maxY ) / 2;
			this.z = ( minZ + maxZ ) / 2;
			this.radius = Math.sqrt( ( maxX - minX ) ** 2 + ( maxY - minY ) ** 2 + ( maxZ - minZ ) ** 2 ) / 2;

		},
		isInside: ( planes, tolerance ) => boxIsInside( planes, corners, tolerance )
	};

}
