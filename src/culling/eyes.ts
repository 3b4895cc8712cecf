import { Frustum, Matrix4, Vector4, type ArrayCamera, type Camera, type Vector2 } from 'three/webgpu';
import { uint, uniform, uniformArray, type Expr, type UniformExpr } from '../builder/tsl';
import { invalidArgument } from '../errors';

/** Eyes that a test can unite: two of a headset, more of a cave. */
export const MAX_EYES = 8;

const matrix = new Matrix4();
const frustum = new Frustum();

/** One point of view. Its viewport, if it has one, is its part of the picture. */
type Eye = Camera & { viewport?: { width: number; height: number } };

/** The eyes to be united: those of an array camera that has any, or the camera itself. */
export function eyesOf( camera: Camera | ArrayCamera ): readonly Eye[] {

	const { isArrayCamera = false, cameras = [] } = camera as Partial<ArrayCamera>;
	return isArrayCamera && cameras.length > 0 ? cameras : [ camera ];

}

/**
 * A camera, or the eyes of an array camera, as uniforms: six planes an eye, where it is, and how it projects. The planes are those
 * of three's `Frustum.setFromProjectionMatrix`, for either coordinate system and depth.
 */
export class EyeUniforms {

	/** Six planes an eye. */
	readonly planes: Expr;
	/** Per eye: its position, and its focal length in pixels (0 without a picture's size). */
	readonly positions: Expr;
	/** Per eye: the last row of the view-projection matrix. */
	readonly rows: Expr;
	readonly count: UniformExpr<number>;

	private readonly planeValues = Array.from( { length: 6 * MAX_EYES }, () => new Vector4( 0, 0, 0, 1 ) );
	private readonly positionValues = Array.from( { length: MAX_EYES }, () => new Vector4() );
	private readonly rowValues = Array.from( { length: MAX_EYES }, () => new Vector4( 0, 0, 0, 1 ) );

	constructor() {

		this.planes = uniformArray( this.planeValues, 'vec4' );
		this.positions = uniformArray( this.positionValues, 'vec4' );
		this.rows = uniformArray( this.rowValues, 'vec4' );
		this.count = uniform( 1, 'uint' );

	}

	/** Takes the cameras' matrices as they are. An eye's own viewport replaces `size`. Distances start at `viewer`, or at each eye. */
	set( who: string, camera: Camera | ArrayCamera, size: Vector2 | undefined, viewer?: Camera ): void {

		const eyes = eyesOf( camera );
		if ( eyes.length > MAX_EYES ) throw invalidArgument( `${ who }: an ArrayCamera may have at most ${ MAX_EYES } cameras (got ${ eyes.length }). Share them out among several tests.` );

		this.count.value = eyes.length;

		eyes.forEach( ( eye, e ) => {

			matrix.multiplyMatrices( eye.projectionMatrix, eye.matrixWorldInverse );
			const { elements } = matrix;
			frustum.setFromProjectionMatrix( matrix, eye.coordinateSystem, eye.reversedDepth );

			frustum.planes.forEach( ( { normal, constant }, p ) => {

				// a plane at infinity has no direction: it keeps everything
				const finite = Number.isFinite( normal.x ) && Number.isFinite( constant );
				const plane = this.planeValues[ e * 6 + p ];
				if ( finite ) plane.set( normal.x, normal.y, normal.z, constant );
				else plane.set( 0, 0, 0, 1 );

			} );

			const { width, height } = eye.viewport ?? { width: size?.x ?? 0, height: size?.y ?? 0 };
			const projection = eye.projectionMatrix.elements;
			const focalLength = Math.max( Math.abs( projection[ 0 ] ) * width, Math.abs( projection[ 5 ] ) * height ) / 2;
			const world = ( viewer ?? eye ).matrixWorld.elements;

			this.positionValues[ e ].set( world[ 12 ], world[ 13 ], world[ 14 ], focalLength );
			this.rowValues[ e ].set( elements[ 3 ], elements[ 7 ], elements[ 11 ], elements[ 15 ] );

		} );

	}

	/** Index of an eye's first plane. */
	firstPlane( eye: Expr ): Expr {

		return eye.mul( uint( 6 ) );

	}

}
