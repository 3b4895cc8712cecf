import { invalidArgument } from '../errors';
import { multiplyMatrices, normalize, planesFromMatrix, type PackedPlane } from './frustum';

interface MatrixLike { readonly elements: ArrayLike<number> }

/** What the twins need of one camera; any three camera fits. Matrices must be up to date (`camera.updateMatrixWorld()`). */
export interface ReferenceEye {

	readonly projectionMatrix: MatrixLike;
	readonly matrixWorldInverse: MatrixLike;
	/** Where the eye is: elements 12 to 14. */
	readonly matrixWorld: MatrixLike;
	/** three's `WebGLCoordinateSystem` (2000) or `WebGPUCoordinateSystem` (2001), the default. */
	readonly coordinateSystem?: number;
	/** Depth 1 at the near plane and 0 at the far plane. Default false. */
	readonly reversedDepth?: boolean;
	/** The eye's part of the picture, in the same pixels as `size`, which it replaces. */
	readonly viewport?: { readonly width: number; readonly height: number };

}

/** A camera, or an array camera, whose sub-cameras count in its place when it has any. */
export interface ReferenceCamera extends ReferenceEye {

	readonly isArrayCamera?: boolean;
	readonly cameras?: readonly ReferenceEye[];

}

/** A plane of three's form: the inside is where normal · p + constant ≥ 0. The normal may have any length. */
export interface ReferencePlane {

	readonly normal: { readonly x: number; readonly y: number; readonly z: number };
	readonly constant: number;

}

/** From where one looks: cameras, or planes. */
export interface ViewOptions {

	/** Exactly one of `camera` and `planes` is given. */
	camera?: ReferenceCamera;
	/** Any number of planes in place of a camera's six; all of them must be satisfied. */
	planes?: readonly ReferencePlane[];
	/** With `planes`: where distances start, world space. Required there for `maxDistance` and `lodDistances`. */
	position?: { readonly x: number; readonly y: number; readonly z: number };
	/** Width x and height y of the picture in pixels (a Vector2 fits); `minPixels` needs it, unless the eyes have viewports. */
	size?: { readonly x: number; readonly y: number };

}

/** One point of view, ready for tests. */
export interface Eye {

	readonly planes: readonly PackedPlane[];
	readonly position: readonly number[] | undefined;
	/** The projected diameter in pixels; undefined when there is no projection or no size. */
	readonly diameter: ( ( x: number, y: number, z: number, radius: number ) => number ) | undefined;

}

/** The eyes to be united: one, or those of an array camera. */
export function eyesOf( view: ViewOptions, who: string ): Eye[] {

	const { camera, planes, position, size } = view;

	if ( camera !== undefined && planes === undefined ) {

		const { isArrayCamera = false, cameras = [] } = camera;
		return ( isArrayCamera && cameras.length > 0 ? cameras : [ camera ] ).map( eye => createEye( eye, size ) );

	}

	if ( planes !== undefined && camera === undefined ) {

		const packed = planes.map( ( { normal, constant } ) => normalize( normal.x, normal.y, normal.z, constant ) );
		return [ { planes: packed, position: position && [ position.x, position.y, position.z ], diameter: undefined } ];

	}

	throw invalidArgument( `${ who }: the view must be either a camera or planes (got ${ camera === undefined ? 'neither' : 'both' }). Pass one of them.` );

}

function createEye( camera: ReferenceEye, size: ViewOptions[ 'size' ] ): Eye {

	const { projectionMatrix, matrixWorldInverse, matrixWorld, coordinateSystem = 2001, reversedDepth = false, viewport } = camera;

	const matrix = multiplyMatrices( projectionMatrix.elements, matrixWorldInverse.elements );
	const [ width, height ] = viewport ? [ viewport.width, viewport.height ] : [ size?.x, size?.y ];
	const hasSize = width !== undefined && height !== undefined;

	return {
		planes: planesFromMatrix( matrix, coordinateSystem, reversedDepth ),
		position: Array.from( matrixWorld.elements ).slice( 12, 15 ),
		diameter: hasSize ? projectedDiameter( matrix, projectionMatrix.elements, width, height ) : undefined
	};

}

/**
 * The diameter of a sphere on screen, in pixels: 2 · radius · focal length / w, where w is the clip-space w of the
 * centre (its depth before a perspective camera, 1 before an orthographic one) and the focal length is half the picture times
 * the projection's scale, of width and height the larger one. Infinite as soon as the sphere reaches w = 0.
 */
function projectedDiameter( matrix: ArrayLike<number>, projection: ArrayLike<number>, width: number, height: number ): Eye[ 'diameter' ] {

	const focalLength = Math.max( Math.abs( projection[ 0 ] ) * width, Math.abs( projection[ 5 ] ) * height ) / 2;
	const [ wx, wy, wz, w0 ] = [ matrix[ 3 ], matrix[ 7 ], matrix[ 11 ], matrix[ 15 ] ];
	const wPerUnit = Math.sqrt( wx * wx + wy * wy + wz * wz );

	return ( x, y, z, radius ) => {

		const w = wx * x + wy * y + wz * z + w0;
		return w - radius * wPerUnit > 0 ? 2 * radius * focalLength / w : Infinity;

	};

}
