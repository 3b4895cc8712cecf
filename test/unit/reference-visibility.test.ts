import fc from 'fast-check';
import { ArrayCamera, Box3, type Camera, Frustum, Matrix4, OrthographicCamera, PerspectiveCamera, Plane, Sphere, Vector2, Vector3, Vector4, WebGLCoordinateSystem, WebGPUCoordinateSystem } from 'three/webgpu';
import { describe, expect, it } from 'vitest';
import { ScanError } from '../../src/errors';
import { referenceLod, referenceVisibility, type ReferenceVisibilityOptions } from '../../src/reference';

const seed = Number( process.env.THREE_SCAN_SEED ?? Date.now() % 2 ** 31 );
const check = <T>( arbitrary: fc.Arbitrary<T>, body: ( value: T ) => void ) => fc.assert( fc.property( arbitrary, body ), { seed, numRuns: 200 } );

interface Depth { coordinateSystem: typeof WebGPUCoordinateSystem | typeof WebGLCoordinateSystem; reversed: boolean }

const webGPU: Depth = { coordinateSystem: WebGPUCoordinateSystem, reversed: false };
const webGL: Depth = { coordinateSystem: WebGLCoordinateSystem, reversed: false };
const reversed: Depth = { coordinateSystem: WebGPUCoordinateSystem, reversed: true };

/** Gives the camera the depth range a renderer would give it. */
function ready<C extends PerspectiveCamera | OrthographicCamera>( camera: C, depth = webGPU ): C {

	camera.coordinateSystem = depth.coordinateSystem;
	( camera as unknown as { _reversedDepth: boolean } )._reversedDepth = depth.reversed;
	camera.updateProjectionMatrix();
	camera.updateMatrixWorld();
	return camera;

}

/** Looks down −z: 90° wide and high, near 1, far 100. */
const cameraAt = ( x = 0, depth = webGPU ) => {

	const camera = new PerspectiveCamera( 90, 1, 1, 100 );
	camera.position.x = x;
	return ready( camera, depth );

};

const spheresVisible = ( spheres: number[], options: ReferenceVisibilityOptions ) => Array.from( referenceVisibility( { spheres }, options ) );
const spheresLod = ( spheres: number[], options: ReferenceVisibilityOptions ) => Array.from( referenceLod( { spheres }, options ) );
const ahead = ( distance: number, radius = 0 ) => [ 0, 0, - distance, radius ];

function frustumOf( camera: Camera ): Frustum {

	const matrix = new Matrix4().multiplyMatrices( camera.projectionMatrix, camera.matrixWorldInverse );
	return new Frustum().setFromProjectionMatrix( matrix, camera.coordinateSystem, camera.reversedDepth );

}

describe( 'the frustum', () => {

	it.each( [ webGPU, webGL, reversed ] )( 'has its near plane at 1 and its far plane at 100 (%j)', depth => {

		const spheres = [ ahead( 0.7, 0.1 ), ahead( 0.95, 0.1 ), ahead( 1, 0.1 ), ahead( 99, 0.5 ), ahead( 100.4, 0.5 ), ahead( 101, 0.5 ), ahead( - 5, 1 ) ].flat();
		expect( spheresVisible( spheres, { camera: cameraAt( 0, depth ) } ) ).toEqual( [ 0, 1, 1, 1, 1, 0, 0 ] );

	} );

	it( 'has sides', () => {

		// The right side is the plane x = −z: a sphere at (12, 0, −10) is 2 / √2 away from it.
		expect( spheresVisible( [ 12, 0, - 10, 1.4, 12, 0, - 10, 1.42, - 12, 0, - 10, 1.4, 0, 12, - 10, 1.4, 0, - 12, - 10, 1.42 ], { camera: cameraAt() } ) ).toEqual( [ 0, 1, 0, 0, 1 ] );

	} );

	it( 'keeps what touches it', () => expect( spheresVisible( ahead( 0.5, 0.5 ), { planes: [ new Plane( new Vector3( 0, 0, - 1 ), - 1 ) ] } ) ).toEqual( [ 1 ] ) );

	it( 'takes any planes, of any length', () => {

		const planes = [ new Plane( new Vector3( 2, 0, 0 ), - 4 ), { normal: { x: 0, y: 1, z: 0 }, constant: 0 } ];
		expect( spheresVisible( [ 1, 0, 0, 0.9, 1, 0, 0, 1.1, 3, - 2, 0, 1, 3, 5, 0, 0 ], { planes } ) ).toEqual( [ 0, 1, 0, 1 ] );

	} );

	it( 'keeps boxes far along a plane\'s normal, and reads corners at either stride', () => {

		const planes = [ new Plane( new Vector3( 1, 0, 0 ), - 1000 ) ];
		const boxes = { min: [ 900, 0, 0, 900, 0, 0 ], max: [ 1001, 1, 1, 999, 1, 1 ] };
		const padded = { min: [ 900, 0, 0, NaN, 900, 0, 0, NaN ], max: [ 1001, 1, 1, NaN, 999, 1, 1, NaN ] };

		expect( Array.from( referenceVisibility( { boxes }, { planes } ) ) ).toEqual( [ 1, 0 ] );
		expect( Array.from( referenceVisibility( { boxes: padded, stride: 4 }, { planes } ) ) ).toEqual( [ 1, 0 ] );

	} );

	it( 'keeps everything on the inner side of a far plane at infinity', () => {

		const camera = cameraAt();
		camera.projectionMatrix.elements[ 10 ] = - 1;
		camera.projectionMatrix.elements[ 14 ] = - 1;
		expect( spheresVisible( [ ...ahead( 1e9, 1 ), ...ahead( 0.5, 0.1 ) ], { camera } ) ).toEqual( [ 1, 0 ] );

	} );

	it( 'unites the eyes of an array camera', () => {

		const eyes = [ cameraAt( - 20 ), cameraAt( 20 ) ];
		const spheres = [ - 28, 0, - 10, 1, 28, 0, - 10, 1, 0, 0, - 10, 1 ];
		expect( spheresVisible( spheres, { camera: eyes[ 0 ] } ) ).toEqual( [ 1, 0, 0 ] );
		expect( spheresVisible( spheres, { camera: new ArrayCamera( eyes ) } ) ).toEqual( [ 1, 1, 0 ] );

	} );

	it( 'takes an array camera without eyes for a camera', () => {

		expect( spheresVisible( ahead( 5, 1 ), { camera: ready( new ArrayCamera() ) } ) ).toEqual( [ 1 ] );

	} );

	it( 'keeps bounds without bounds', () => {

		const boxes = { min: [ - Infinity, - Infinity, - Infinity ], max: [ Infinity, Infinity, Infinity ] };
		const options = { camera: cameraAt(), maxDistance: 10, minPixels: 5, size: new Vector2( 100, 100 ) };
		expect( Array.from( referenceVisibility( { boxes }, options ) ) ).toEqual( [ 1 ] );

	} );

	const position = fc.double( { min: - 60, max: 60, noNaN: true } );
	const point = fc.tuple( position, position, position );
	const depth = fc.constantFrom( webGPU, webGL, reversed );
	const view = fc.tuple( point, point, depth, fc.boolean() ).map( ( [ from, to, depth, isOrthographic ] ) => {

		const camera = isOrthographic ? new OrthographicCamera( - 20, 30, 10, - 10, 0.5, 80 ) : new PerspectiveCamera( 50, 1.6, 0.5, 80 );
		camera.position.fromArray( from );
		camera.lookAt( new Vector3().fromArray( to ) );
		return ready( camera, depth );

	} );

	it( `answers as three's Frustum does (seed ${ seed })`, () => {

		const radius = fc.double( { min: 0, max: 30, noNaN: true } );

		check( fc.tuple( view, fc.array( fc.tuple( point, radius ), { minLength: 1 } ) ), ( [ camera, items ] ) => {

			const frustum = frustumOf( camera );
			const spheres = items.map( ( [ center, radius ] ) => new Sphere( new Vector3( ...center ), radius ) );
			const boxes = items.map( ( [ center, size ] ) => new Box3().setFromCenterAndSize( new Vector3( ...center ), new Vector3( size, size / 2, size * 2 ) ) );

			expect( spheresVisible( items.flatMap( ( [ center, radius ] ) => [ ...center, radius ] ), { camera } ) )
				.toEqual( spheres.map( sphere => Number( frustum.intersectsSphere( sphere ) ) ) );

			const corners = { min: boxes.flatMap( box => box.min.toArray() ), max: boxes.flatMap( box => box.max.toArray() ) };
			expect( Array.from( referenceVisibility( { boxes: corners }, { camera } ) ) ).toEqual( boxes.map( box => Number( frustum.intersectsBox( box ) ) ) );

		} );

	} );

	it( `sees a point exactly where it lands in the picture (seed ${ seed })`, () => {

		check( fc.tuple( view, point ), ( [ camera, center ] ) => {

			const { x, y, z } = new Vector3( ...center ).project( camera );
			const nearest = camera.coordinateSystem === WebGLCoordinateSystem ? - 1 : 0;
			const margin = Math.min( 1 - Math.abs( x ), 1 - Math.abs( y ), 1 - z, z - nearest );
			const isBehind = new Vector3( ...center ).applyMatrix4( camera.matrixWorldInverse ).z > 0;
			if ( Math.abs( margin ) < 1e-9 ) return;

			expect( spheresVisible( [ ...center, 0 ], { camera } ) ).toEqual( [ margin > 0 && ! isBehind ? 1 : 0 ] );

		} );

	} );

} );

describe( 'the range', () => {

	it( 'ends at maxDistance, measured to the centre', () => {

		const camera = cameraAt( 3 );
		expect( spheresVisible( [ 3, 0, - 10, 1, 3, 0, - 10.1, 1, 9, 0, - 8, 0, 9, 0, - 8.1, 0 ], { camera, maxDistance: 10 } ) ).toEqual( [ 1, 0, 1, 0 ] );

	} );

	it( 'starts distances of explicit planes at position', () => {

		expect( spheresVisible( [ 0, 0, 4, 0, 0, 0, 6, 0 ], { planes: [], position: { x: 0, y: 0, z: 10 }, maxDistance: 5 } ) ).toEqual( [ 0, 1 ] );

	} );

	it( 'ends where the projected diameter falls below minPixels', () => {

		// 90°, 200 pixels high: 100 pixels are one unit at depth 1, so a sphere of radius 1 at depth 20 measures 10.
		const options = { camera: cameraAt(), size: new Vector2( 200, 200 ), minPixels: 10 };
		expect( spheresVisible( [ ...ahead( 19.9, 1 ), ...ahead( 20.1, 1 ), ...ahead( 1, 2 ), ...ahead( 5, 0 ) ], options ) ).toEqual( [ 1, 0, 1, 0 ] );

		// The sphere around a box of 2 × 2 × 2 has a radius of √3.
		const boxes = { min: [ - 1, - 1, - 35.6, - 1, - 1, - 35.7 ], max: [ 1, 1, - 33.6, 1, 1, - 33.7 ] };
		expect( Array.from( referenceVisibility( { boxes }, options ) ) ).toEqual( [ 1, 0 ] );

	} );

	it( 'measures the same pixels everywhere before an orthographic camera', () => {

		const camera = ready( new OrthographicCamera( - 10, 10, 5, - 5, 1, 100 ) );
		const options = { camera, size: new Vector2( 400, 200 ), minPixels: 10 };
		expect( spheresVisible( [ ...ahead( 2, 0.26 ), ...ahead( 90, 0.26 ), ...ahead( 2, 0.24 ), ...ahead( 90, 0.24 ) ], options ) ).toEqual( [ 1, 1, 0, 0 ] );

	} );

	it( 'prefers an eye\'s own viewport to size', () => {

		const camera = Object.assign( cameraAt(), { viewport: new Vector4( 0, 0, 100, 100 ) } );
		const options = { size: new Vector2( 200, 200 ), minPixels: 10 };
		expect( spheresVisible( ahead( 15, 1 ), { camera: cameraAt(), ...options } ) ).toEqual( [ 1 ] );
		expect( spheresVisible( ahead( 15, 1 ), { camera, ...options } ) ).toEqual( [ 0 ] );

	} );

	it( 'must be met in the eye that sees the bound', () => {

		// The first eye is near but looks away from it, the second one sees it from 50 away.
		const passedBy = cameraAt();
		passedBy.position.z = - 60;
		const camera = new ArrayCamera( [ ready( passedBy ), cameraAt() ] );
		expect( spheresVisible( ahead( 50 ), { camera, maxDistance: 60 } ) ).toEqual( [ 1 ] );
		expect( spheresVisible( ahead( 50 ), { camera, maxDistance: 40 } ) ).toEqual( [ 0 ] );

	} );

	it( 'keeps everything when not enabled', () => {

		const options = { camera: cameraAt(), maxDistance: 1, lodDistances: [ 5 ], enabled: false };
		expect( spheresVisible( [ ...ahead( - 4, 0 ), ...ahead( 500, 0 ) ], options ) ).toEqual( [ 1, 1 ] );
		expect( spheresLod( [ ...ahead( - 4, 0 ), ...ahead( 500, 0 ) ], options ) ).toEqual( [ 0, 1 ] );

	} );

	it( 'takes only count bounds', () => expect( spheresVisible( [ ...ahead( 5 ), ...ahead( 6 ) ], { camera: cameraAt(), count: 1 } ) ).toEqual( [ 1 ] ) );

	it( 'widens and narrows by tolerance', () => {

		const options = { camera: cameraAt(), maxDistance: 50 };
		const spheres = [ ...ahead( 50.05, 0 ), ...ahead( 49.95, 0 ), ...ahead( 0.45, 0.5 ), ...ahead( 0.55, 0.5 ), ...ahead( 20, 1 ) ];
		expect( spheresVisible( spheres, options ) ).toEqual( [ 0, 1, 0, 1, 1 ] );
		expect( spheresVisible( spheres, { ...options, tolerance: 0.1 } ) ).toEqual( [ 1, 1, 1, 1, 1 ] );
		expect( spheresVisible( spheres, { ...options, tolerance: - 0.1 } ) ).toEqual( [ 0, 0, 0, 0, 1 ] );

	} );

} );

describe( 'levels of detail', () => {

	it( 'begin at their distances, and end past the last one when invisible', () => {

		const spheres = [ ahead( 5 ), ahead( 10 ), ahead( 19.9 ), ahead( 20 ), ahead( 60 ), ahead( - 5 ) ].flat();
		expect( spheresLod( spheres, { camera: cameraAt(), lodDistances: [ 10, 20 ], maxDistance: 50 } ) ).toEqual( [ 0, 1, 1, 2, 3, 3 ] );
		expect( spheresLod( spheres, { camera: cameraAt() } ) ).toEqual( [ 0, 0, 0, 0, 0, 1 ] );

	} );

	it( 'follow the nearest eye', () => {

		const camera = new ArrayCamera( [ cameraAt( - 20 ), cameraAt( 0 ) ] );
		expect( spheresLod( ahead( 12 ), { camera, lodDistances: [ 10, 20 ] } ) ).toEqual( [ 1 ] );

	} );

	it( 'come back only within the hysteresis', () => {

		const history = new Uint8Array( 1 );
		const options = { camera: cameraAt(), lodDistances: [ 10, 20 ], hysteresis: 0.1, history };
		const levels = [ 9.5, 10, 9.5, 8.9, 9.5, 25, 18.5, 17.9, 9.1, 8.9 ].map( distance => spheresLod( ahead( distance ), options )[ 0 ] );
		expect( levels ).toEqual( [ 0, 1, 1, 0, 0, 2, 2, 1, 1, 0 ] );

	} );

	it( 'hold for the range too', () => {

		const history = new Uint8Array( 1 );
		const options = { camera: cameraAt(), maxDistance: 50, hysteresis: 0.1, history };
		const visible = [ 49, 50, 50.1, 49, 45.1, 44.9, 49 ].map( distance => spheresVisible( ahead( distance ), options )[ 0 ] );
		expect( visible ).toEqual( [ 1, 1, 0, 0, 0, 1, 1 ] );

		const pixels = { camera: cameraAt(), size: new Vector2( 200, 200 ), minPixels: 10, hysteresis: 0.1, history: new Uint8Array( 1 ) };
		const visiblePixels = [ 19, 20.1, 19, 18.1, 17.9, 19 ].map( distance => spheresVisible( ahead( distance, 1 ), pixels )[ 0 ] );
		expect( visiblePixels ).toEqual( [ 1, 0, 0, 0, 1, 1 ] );

	} );

	it( 'keep no history of the frustum', () => {

		const history = new Uint8Array( 1 );
		const options = { camera: cameraAt(), maxDistance: 50, lodDistances: [ 10 ], hysteresis: 0.5, history };
		expect( [ 9, - 9, 9 ].map( distance => spheresLod( ahead( distance ), options )[ 0 ] ) ).toEqual( [ 0, 2, 0 ] );

	} );

	it( `answer the same when asked twice in a frame (seed ${ seed })`, () => {

		const distance = fc.double( { min: 0, max: 60, noNaN: true } );
		const camera = new ArrayCamera( [ cameraAt( - 20 ), cameraAt( 20 ) ] );
		const path = fc.array( fc.tuple( distance, distance ), { maxLength: 20 } );

		check( fc.tuple( path, fc.double( { min: 0, max: 0.9, noNaN: true } ) ), ( [ path, hysteresis ] ) => {

			const options = { camera, size: new Vector2( 200, 200 ), minPixels: 4, maxDistance: 40, lodDistances: [ 10, 15, 30 ], hysteresis, history: new Uint8Array( 1 ) };

			for ( const [ x, z ] of path ) {

				const first = spheresLod( [ x, 0, - z, 1 ], options );
				const state = options.history.slice();
				expect( spheresVisible( [ x, 0, - z, 1 ], options ) ).toEqual( [ first[ 0 ] === 4 ? 0 : 1 ] );
				expect( spheresLod( [ x, 0, - z, 1 ], options ) ).toEqual( first );
				expect( options.history ).toEqual( state );

			}

		} );

	} );

} );

describe( 'refusals', () => {

	const camera = cameraAt();

	it.each<[ string, () => unknown ]>( [
		[ 'no bounds', () => referenceVisibility( {}, { camera } ) ],
		[ 'both kinds of bounds', () => referenceVisibility( { spheres: [], boxes: { min: [], max: [] } }, { camera } ) ],
		[ 'spheres of three numbers', () => referenceVisibility( { spheres: [ 1, 2, 3 ] }, { camera } ) ],
		[ 'unequal corners', () => referenceVisibility( { boxes: { min: [ 1, 2, 3 ], max: [] } }, { camera } ) ],
		[ 'a stride of 5', () => referenceVisibility( { boxes: { min: [], max: [] }, stride: 5 as 4 }, { camera } ) ],
		[ 'no view', () => referenceVisibility( { spheres: [] }, {} ) ],
		[ 'a camera and planes', () => referenceVisibility( { spheres: [] }, { camera, planes: [] } ) ],
		[ 'distances without a position', () => referenceVisibility( { spheres: [] }, { planes: [], maxDistance: 1 } ) ],
		[ 'pixels without a size', () => referenceVisibility( { spheres: [] }, { camera, minPixels: 1 } ) ],
		[ 'pixels of planes', () => referenceVisibility( { spheres: [] }, { planes: [], minPixels: 1, size: { x: 1, y: 1 } } ) ],
		[ 'a negative distance', () => referenceVisibility( { spheres: [] }, { camera, maxDistance: - 1 } ) ],
		[ 'a NaN distance', () => referenceVisibility( { spheres: [] }, { camera, maxDistance: NaN } ) ],
		[ 'descending levels', () => referenceVisibility( { spheres: [] }, { camera, lodDistances: [ 20, 10 ] } ) ],
		[ 'a hysteresis of 1', () => referenceVisibility( { spheres: [] }, { camera, hysteresis: 1 } ) ],
		[ 'a short history', () => referenceVisibility( { spheres: ahead( 1 ) }, { camera, history: new Uint8Array( 0 ) } ) ],
		[ 'a count beyond the bounds', () => referenceVisibility( { spheres: ahead( 1 ) }, { camera, count: 2 } ) ]
	] )( 'meet %s', ( _, call ) => {

		expect( call ).toThrow( ScanError );
		expect( call ).toThrow( /^referenceVisibility: .+ \(got .+\)\. .+\.$/ );

	} );

} );
