import { ArrayCamera, OrthographicCamera, PerspectiveCamera, Vector3, Vector4, WebGPUCoordinateSystem, type Camera, type CoordinateSystem, type WebGPURenderer } from 'three/webgpu';
import type { PartitionPass } from 'three-scan';
import { referenceLod, type ReferenceBounds, type ReferenceVisibilityOptions } from 'three-scan/reference';
import type { Random } from './scanMatrix';

export interface Depth { coordinateSystem?: CoordinateSystem; reversed?: boolean }

/** Brings a camera's matrices up to date, for WebGPU's depth if not told otherwise, as a renderer would. */
export function ready<T extends PerspectiveCamera | OrthographicCamera>( camera: T, { coordinateSystem = WebGPUCoordinateSystem, reversed = false }: Depth = {} ): T {

	camera.coordinateSystem = coordinateSystem;
	Object.assign( camera, { _reversedDepth: reversed } );
	camera.updateProjectionMatrix();
	camera.updateMatrixWorld();
	return camera;

}

/** The same with a projection of its own: left, right, top and bottom at distance 1. */
export function readyAsymmetric( camera: PerspectiveCamera, [ left, right, top, bottom ]: readonly number[], depth?: Depth ): PerspectiveCamera {

	ready( camera, depth );
	const { near, far, coordinateSystem, reversedDepth } = camera;
	camera.projectionMatrix.makePerspective( left * near, right * near, top * near, bottom * near, near, far, coordinateSystem, reversedDepth );
	camera.projectionMatrixInverse.copy( camera.projectionMatrix ).invert();
	return camera;

}

export const CAMERA_KINDS = [ 'perspective', 'orthographic', 'view offset', 'asymmetric', 'eyes' ] as const;
export type CameraKind = typeof CAMERA_KINDS[ number ];

/** Where a random camera is, what it looks at, and the world units that its picture is made of. */
export interface Stance { position: Vector3; target: Vector3; unit: number; reversed: boolean }

export function randomCamera( kind: CameraKind, random: Random, stance: Stance ): Camera {

	return kind === 'eyes' ? randomEyes( random, stance ) : randomEye( kind, random, stance );

}

function randomEye( kind: Exclude<CameraKind, 'eyes'>, random: Random, { position, target, unit, reversed }: Stance ): PerspectiveCamera | OrthographicCamera {

	const near = unit * 10 ** random.between( - 3, - 0.5 );
	const far = unit * random.between( 1, 6 );
	const side = (): number => unit * random.between( 0.3, 2 );

	const camera = kind === 'orthographic'
		? new OrthographicCamera( - side(), side(), side(), - side(), near, far )
		: new PerspectiveCamera( random.between( 20, 110 ), random.between( 0.5, 2.5 ), near, far );

	camera.position.copy( position );
	camera.lookAt( target );
	camera.rotateZ( random.between( - 3, 3 ) );

	if ( kind === 'view offset' ) camera.setViewOffset( 640, 480, random.between( - 200, 500 ), random.between( - 200, 400 ), random.between( 100, 640 ), random.between( 100, 480 ) );
	if ( kind !== 'asymmetric' ) return ready( camera, { reversed } );

	const centre = random.between( - 0.5, 0.5 );
	const sides = [ centre - random.between( 0.1, 1.5 ), centre + random.between( 0.1, 1.5 ), random.between( 0.1, 1.5 ), - random.between( - 0.05, 1.5 ) ];
	return readyAsymmetric( camera as PerspectiveCamera, sides, { reversed } );

}

/** Two to four eyes that look apart, half of the time each into its own part of the picture. */
function randomEyes( random: Random, stance: Stance ): ArrayCamera {

	const hasViewports = random.below( 2 ) === 0;

	const eyes = Array.from( { length: random.integer( 2, 4 ) }, () => {

		const away = (): Vector3 => new Vector3( random.between( - 1, 1 ), random.between( - 1, 1 ), random.between( - 1, 1 ) ).multiplyScalar( stance.unit );
		const eye = randomEye( random.pick( [ 'perspective', 'view offset', 'asymmetric' ] ), random, { ...stance, position: away().add( stance.position ), target: away().add( stance.target ) } );
		if ( hasViewports ) Object.assign( eye, { viewport: new Vector4( 0, 0, random.integer( 100, 800 ), random.integer( 100, 800 ) ) } );
		return eye as PerspectiveCamera;

	} );

	return new ArrayCamera( eyes );

}

/** The bucket of each index, of a pass that discards nothing. */
export async function readBuckets( renderer: WebGPURenderer, pass: PartitionPass ): Promise<Uint8Array> {

	const [ indices, offsets ] = await Promise.all( [ pass.readIndices( renderer ), pass.readOffsets( renderer ) ] );
	const buckets = new Uint8Array( indices.length );
	for ( let bucket = 0; bucket < offsets.length - 1; bucket ++ ) for ( let k = offsets[ bucket ]; k < offsets[ bucket + 1 ]; k ++ ) buckets[ indices[ k ] ] = bucket;
	return buckets;

}

/** Whether f32 may put a single bound into `level`: it can miss a plane or a distance by `tolerance` world units. */
export function mayBe( level: number, bound: ReferenceBounds, options: ReferenceVisibilityOptions, tolerance: number ): boolean {

	const lod = ( more: ReferenceVisibilityOptions ): number => referenceLod( bound, { ...options, ...more } )[ 0 ];
	const invisible = ( options.lodDistances?.length ?? 0 ) + 1;
	const atMost = lod( { tolerance } ), atLeast = lod( { tolerance: - tolerance } );

	if ( level === invisible || atMost === invisible ) return level === invisible && atLeast === invisible;
	return level >= atMost && level <= lod( { tolerance: - tolerance, enabled: false } );

}
