/** A plane in three's form, as packed numbers: normal x, y, z, then the constant; the inside is where n · p + constant ≥ 0. */
export type PackedPlane = readonly [ number, number, number, number ];

const webGLCoordinateSystem = 2000;

/** `a` · `b` of column-major 4 × 4 matrices, in f64 and in the order of three's `Matrix4.multiplyMatrices`. */
export function multiplyMatrices( a: ArrayLike<number>, b: ArrayLike<number> ): number[] {

	const product = new Array<number>( 16 );

	for ( let column = 0; column < 4; column ++ ) {

		for ( let row = 0; row < 4; row ++ ) {

			product[ column * 4 + row ] =
				a[ row ] * b[ column * 4 ] + a[ 4 + row ] * b[ column * 4 + 1 ] +
				a[ 8 + row ] * b[ column * 4 + 2 ] + a[ 12 + row ] * b[ column * 4 + 3 ];

		}

	}

	return product;

}

/**
 * The six planes of a view-projection matrix: right, left, bottom, top, far, near, as three's
 * `Frustum.setFromProjectionMatrix` makes them. Clip depth goes from 0 to w in WebGPU's coordinate system, from −w to w
 * in WebGL's (2000), and from w to 0 when reversed. A plane at infinity comes out without a normal and keeps everything.
 */
export function planesFromMatrix( matrix: ArrayLike<number>, coordinateSystem: number, reversedDepth: boolean ): PackedPlane[] {

	const row = ( index: number ): number[] => [ matrix[ index ], matrix[ 4 + index ], matrix[ 8 + index ], matrix[ 12 + index ] ];
	const [ x, y, z, w ] = [ row( 0 ), row( 1 ), row( 2 ), row( 3 ) ];

	const plus = ( a: number[], b: number[] ): PackedPlane => normalize( a[ 0 ] + b[ 0 ], a[ 1 ] + b[ 1 ], a[ 2 ] + b[ 2 ], a[ 3 ] + b[ 3 ] );
	const minus = ( a: number[], b: number[] ): PackedPlane => normalize( a[ 0 ] - b[ 0 ], a[ 1 ] - b[ 1 ], a[ 2 ] - b[ 2 ], a[ 3 ] - b[ 3 ] );

	const depthIsZero = normalize( z[ 0 ], z[ 1 ], z[ 2 ], z[ 3 ] );
	const depthIsOne = minus( w, z );
	const lowestDepth = coordinateSystem === webGLCoordinateSystem ? plus( w, z ) : depthIsZero;

	const [ far, near ] = reversedDepth ? [ depthIsZero, depthIsOne ] : [ depthIsOne, lowestDepth ];

	return [ minus( w, x ), plus( w, x ), plus( w, y ), minus( w, y ), far, near ];

}

/** Scales a plane so that its normal has length 1; one without a direction can't cull. */
export function normalize( x: number, y: number, z: number, constant: number ): PackedPlane {

	const length = Math.sqrt( x * x + y * y + z * z );
	if ( length === 0 ) return [ 0, 0, 0, Infinity ];

	const inverse = 1 / length;
	return [ x * inverse, y * inverse, z * inverse, constant * inverse ];

}

/** Whether no plane has the sphere wholly on its outer side, as in three's `Frustum.intersectsSphere`; touching is inside. */
export function sphereIsInside( planes: readonly PackedPlane[], x: number, y: number, z: number, radius: number ): boolean {

	for ( const plane of planes ) {

		if ( distanceTo( plane, x, y, z ) < - radius ) return false;

	}

	return true;

}

/** An axis-aligned box by its two corners. */
export interface Corners { minX: number; minY: number; minZ: number; maxX: number; maxY: number; maxZ: number }

/**
 * Whether no plane has the box wholly on its outer side, as in three's `Frustum.intersectsBox`: the corner farthest along
 * the normal decides. `tolerance` (world units) moves every plane outwards.
 */
export function boxIsInside( planes: readonly PackedPlane[], box: Corners, tolerance: number ): boolean {

	for ( const plane of planes ) {

		const x = plane[ 0 ] > 0 ? box.maxX : box.minX;
		const y = plane[ 1 ] > 0 ? box.maxY : box.minY;
		const z = plane[ 2 ] > 0 ? box.maxZ : box.minZ;

		if ( distanceTo( plane, x, y, z ) < - tolerance ) return false;

	}

	return true;

}

function distanceTo( plane: PackedPlane, x: number, y: number, z: number ): number {

	return plane[ 0 ] * x + plane[ 1 ] * y + plane[ 2 ] * z + plane[ 3 ];

}
