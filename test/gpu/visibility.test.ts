import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrayCamera, Frustum, Matrix4, OrthographicCamera, PerspectiveCamera, StorageBufferAttribute, Vector2, Vector3, Vector4, WebGLCoordinateSystem, WebGPUCoordinateSystem, type Camera, type WebGPURenderer } from 'three/webgpu';
import { storage, vec4 } from 'three/tsl';
import { CompactPass, PartitionPass, VisibilityTest, type ScanErrorCode, type VisibilityOptions } from 'three-scan';
import { referenceCompact, referenceLod, referenceVisibility } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { Random } from '../support/scanMatrix';
import { readBuckets, ready, readyAsymmetric, type Depth } from '../support/visibility';
import { refusedBy } from '../support/refusals';

const COUNT = 2000;
const LOD_DISTANCES = [ 8, 20, 45 ];
const LEVELS = LOD_DISTANCES.length + 1;
const SIZE = new Vector2( 640, 480 );

/** Radii up to 2, in a cube of 120. */
function fillSpheres( spheres: Float32Array, random: Random ): void {

	spheres.forEach( ( _, k ) => { spheres[ k ] = k % 4 === 3 ? random.between( 0, 2 ) : random.between( - 60, 60 ); } );

}

/** Lower and upper corners in a cube of 60, `stride` numbers each; a fourth is NaN. */
function randomBoxes( count: number, stride: 3 | 4, random: Random ): { min: Float32Array; max: Float32Array } {

	const min = new Float32Array( count * stride ).fill( NaN ), max = min.slice();

	for ( let i = 0; i < count; i ++ ) for ( let axis = 0; axis < 3; axis ++ ) {

		const at = i * stride + axis;
		min[ at ] = random.between( - 30, 30 );
		max[ at ] = min[ at ] + random.between( 0, 3 );

	}

	return { min, max };

}

const attributeOf = ( values: ArrayLike<number>, itemSize = 4 ): StorageBufferAttribute => new StorageBufferAttribute( new Float32Array( values ), itemSize );

/** What TypeScript would refuse, as JavaScript users may write it. */
const wrong = <T>( value: unknown ): T => value as T;

function cameras( random: Random ): Record<string, Camera> {

	const place = <T extends Camera>( camera: T ): T => {

		camera.position.set( random.between( - 10, 10 ), random.between( - 10, 10 ), random.between( - 10, 10 ) );
		camera.rotation.set( random.between( 0, 6 ), random.between( 0, 6 ), random.between( 0, 6 ) );
		return camera;

	};

	const offCentre = place( new PerspectiveCamera( 60, 1.5, 0.5, 60 ) );
	offCentre.setViewOffset( 640, 480, 400, 10, 200, 300 );

	// two eyes that look apart: what only the second sees stays
	const eyes = [ 0, 1 ].map( () => ready( place( new PerspectiveCamera( 40, 1, 0.5, 50 ) ) ) );

	return {
		perspective: ready( place( new PerspectiveCamera( 50, 4 / 3, 1, 70 ) ) ),
		reversed: ready( place( new PerspectiveCamera( 50, 4 / 3, 1, 70 ) ), { reversed: true } ),
		orthographic: ready( place( new OrthographicCamera( - 15, 9, 8, - 12, 1, 60 ) ) ),
		'off-centre': ready( offCentre ),
		eyes: new ArrayCamera( eyes )
	};

}

/** By a message that says who, what, what was got, and what to do. */
const refuses = refusedBy( /^VisibilityTest(\.update)?: .+(e\.g\. .+ \(got .+\)\.|\(got .+\)\. [A-Z].+)$/ );

async function expectRefusal( act: () => unknown, message: RegExp, code: ScanErrorCode = 'invalid-argument' ): Promise<void> {

	await refuses( act, code, message );

}

describe( `VisibilityTest on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	const split = ( count: number, test: VisibilityTest, levels = 1 ): Promise<PartitionPass> =>
		new PartitionPass( count, levels + 1, test.lodOf, { workgroupSize: 64 } ).init( renderer );

	const levelsOf = ( pass: PartitionPass ): Promise<Uint8Array> => {

		pass.compute( renderer );
		return readBuckets( renderer, pass );

	};

	it( 'puts spheres into the levels that the reference says, for every kind of camera', async () => {

		const spheres = new Float32Array( COUNT * 4 );
		const attribute = new StorageBufferAttribute( spheres, 4 );
		const limits = { maxDistance: 55, minPixels: 4, lodDistances: LOD_DISTANCES };
		const test = new VisibilityTest( { spheres: attribute, ...limits } );
		const pass = await split( COUNT, test, LEVELS );

		let visible = 0;
		let doubtful = 0;

		for ( let seed = 1; seed <= 12; seed ++ ) {

			const random = new Random( seed );
			fillSpheres( spheres, random );
			attribute.needsUpdate = true;

			for ( const [ kind, camera ] of Object.entries( cameras( random ) ) ) {

				test.update( camera, SIZE );
				const got = await levelsOf( pass );

				// within f32's error of a plane or a distance either answer is right
				const [ low, high ] = [ - 1e-4, 1e-4 ].map( tolerance => referenceLod( { spheres }, { camera, size: SIZE, ...limits, tolerance } ) );

				got.forEach( ( level, i ) => {

					if ( level < LEVELS ) visible ++;
					if ( low[ i ] !== high[ i ] ) doubtful ++;
					expect( [ low[ i ], high[ i ] ], `seed ${ seed }, ${ kind }, sphere ${ i }` ).toContain( level );

				} );

			}

		}

		// the scenes are worth asking about, and nearly all answers are certain
		expect( visible ).toBeGreaterThan( 2000 );
		expect( doubtful ).toBeLessThan( visible / 100 );
		pass.dispose();

	} );

	it( 'keeps WebGPU\'s near plane at depth 0', async () => {

		// near = 1: a sphere of radius 0.1 at z = −0.7 goes, at z = −1 stays
		const camera = ready( new PerspectiveCamera( 60, 1, 1, 100 ) );
		const spheres = new StorageBufferAttribute( new Float32Array( [ 0, 0, - 0.7, 0.1, 0, 0, - 1, 0.1 ] ), 4 );
		const test = new VisibilityTest( { spheres } ).update( camera );
		const pass = await split( 2, test );

		expect( [ ...await levelsOf( pass ) ] ).toEqual( [ 1, 0 ] );
		pass.dispose();

	} );

	it( 'keeps what reaches into sight from however far, where no distance is the limit', async () => {

		const camera = ready( new PerspectiveCamera( 60, 1, 1, 100 ) );
		const spheres = new Float32Array( [ 1e30, 0, 0, 1e30, - 1e30, 0, 0, 1e29, 0, 0, - 50, Infinity ] );
		const test = new VisibilityTest( { spheres: attributeOf( spheres ) } ).update( camera );
		const pass = await split( 3, test );

		expect( [ ...referenceLod( { spheres }, { camera } ) ] ).toEqual( [ 0, 1, 0 ] );
		expect( [ ...await levelsOf( pass ) ] ).toEqual( [ 0, 1, 0 ] );
		pass.dispose();

	} );

	it( 'sees the same 1,000 spheres under WebGPU\'s, WebGL\'s and reversed depth', async () => {

		const spheres = new Float32Array( 4000 );
		fillSpheres( spheres, new Random( 29 ) );
		const test = new VisibilityTest( { spheres: attributeOf( spheres ) } );
		const pass = await split( 1000, test );

		const seenWith = async ( depth: Depth ): Promise<Uint8Array> => {

			test.update( ready( new PerspectiveCamera( 90, 1.6, 8, 40 ), depth ) );
			return levelsOf( pass );

		};

		const seen = await seenWith( {} );
		expect( seen ).toEqual( referenceLod( { spheres }, { camera: ready( new PerspectiveCamera( 90, 1.6, 8, 40 ) ) } ) );
		expect( seen.filter( level => level === 0 ).length ).toBeGreaterThan( 50 );
		expect( await seenWith( { reversed: true } ) ).toEqual( seen );
		expect( await seenWith( { coordinateSystem: WebGLCoordinateSystem } ) ).toEqual( seen );
		// reversed depth goes from 1 to 0 here too
		expect( await seenWith( { coordinateSystem: WebGLCoordinateSystem, reversed: true } ) ).toEqual( seen );
		pass.dispose();

	} );

	it( 'keeps boxes far from the origin along the normal of a plane, and no others', async () => {

		const corners = [ new Float32Array( 8 ), new Float32Array( 8 ) ];
		const [ min, max ] = corners.map( corner => new StorageBufferAttribute( corner, 4 ) );
		const test = new VisibilityTest( { boxes: { min, max } } );
		const pass = await split( 2, test );

		// the middle of each face of the frustum, in the order of three's planes: right, left, bottom, top, far, near
		const faces = [ [ 1, 0, 0.5 ], [ - 1, 0, 0.5 ], [ 0, - 1, 0.5 ], [ 0, 1, 0.5 ], [ 0, 0, 1 ], [ 0, 0, 0 ] ];

		for ( const [ k, face ] of faces.entries() ) for ( const side of [ - 1, 1 ] ) {

			const camera = new PerspectiveCamera( 70, 1.3, 5, 50 );
			camera.rotation.set( 0.3, 0.8, - 0.2 );
			ready( camera );

			const frustum = new Frustum().setFromProjectionMatrix( new Matrix4().multiplyMatrices( camera.projectionMatrix, camera.matrixWorldInverse ), WebGPUCoordinateSystem );
			const { normal } = frustum.planes[ k ];
			camera.position.addScaledVector( normal, side * 20_000 );
			ready( camera );

			// a box of side 2 reaches as far along the normal as the sum of its parts
			const reach = Math.abs( normal.x ) + Math.abs( normal.y ) + Math.abs( normal.z );
			const middle = new Vector3( ...face ).unproject( camera );

			[ reach - 0.1, reach + 0.1 ].forEach( ( outside, i ) => {

				const centre = middle.clone().addScaledVector( normal, - outside );
				corners[ 0 ].set( centre.clone().subScalar( 1 ).toArray(), i * 4 );
				corners[ 1 ].set( centre.clone().addScalar( 1 ).toArray(), i * 4 );

			} );

			min.needsUpdate = max.needsUpdate = true;
			test.update( camera );
			expect( [ ...await levelsOf( pass ) ], `face ${ face.join( ', ' ) }, side ${ side }` ).toEqual( [ 0, 1 ] );

		}

		pass.dispose();

	} );

	it( 'keeps what only one of two asymmetric eyes sees', async () => {

		// 4 units apart, both looking down −z, each far to the other's side: x from −6 to −1 and from 1 to 6 at z = −2
		const eyes = [ [ - 2, - 2, 0.5 ], [ 2, - 0.5, 2 ] ].map( ( [ x, left, right ] ) => {

			const eye = new PerspectiveCamera( 50, 1, 0.1, 100 );
			eye.position.x = x;
			return readyAsymmetric( eye, [ left, right, 1, - 1 ] );

		} );

		const test = new VisibilityTest( { spheres: attributeOf( [ - 4, 0, - 2, 0.1, 4, 0, - 2, 0.1, 0, 0, - 2, 0.1, 0, 0, - 20, 0.1, 0, 0, 2, 0.1 ] ) } );
		const pass = await split( 5, test );
		const seenBy = async ( camera: Camera ): Promise<number[]> => [ ...await levelsOf( ( test.update( camera ), pass ) ) ];

		expect( await seenBy( eyes[ 0 ] ) ).toEqual( [ 0, 1, 1, 0, 1 ] );
		expect( await seenBy( eyes[ 1 ] ) ).toEqual( [ 1, 0, 1, 0, 1 ] );
		expect( await seenBy( new ArrayCamera( eyes ) ) ).toEqual( [ 0, 0, 1, 0, 1 ] );
		expect( await seenBy( new ArrayCamera( [ eyes[ 1 ], eyes[ 0 ] ] ) ) ).toEqual( [ 0, 0, 1, 0, 1 ] );
		pass.dispose();

	} );

	it( 'measures minPixels in the viewport of each eye', async () => {

		const spheres = new Float32Array( 4000 );
		fillSpheres( spheres, new Random( 31 ) );

		const eyes = [ [ 0.6, 400, 300 ], [ - 0.6, 80, 1200 ], [ 2.5, 60, 40 ] ].map( ( [ turn, width, height ] ) => {

			const eye = new PerspectiveCamera( 55, width / height, 0.5, 80 );
			eye.rotation.y = turn;
			return Object.assign( ready( eye ), { viewport: new Vector4( 0, 0, width, height ) } );

		} );

		const limits = { minPixels: 12 };
		const test = new VisibilityTest( { spheres: attributeOf( spheres ), ...limits } );
		const pass = await split( 1000, test );
		const seen: number[] = [];

		for ( const camera of [ new ArrayCamera( eyes ), ...eyes ] ) {

			test.update( camera );
			const got = await levelsOf( pass );
			expect( got ).toEqual( referenceLod( { spheres }, { camera, ...limits } ) );
			seen.push( got.filter( level => level === 0 ).length );

		}

		const [ together, ...alone ] = seen;
		expect( together ).toBeGreaterThan( Math.max( ...alone ) );
		expect( Math.min( ...alone ) ).toBeGreaterThan( 0 );
		pass.dispose();

	} );

	it( 'takes boxes at a stride of 16 bytes whatever w holds, packed corners, vec3 nodes and closures', async () => {

		const count = 500;
		const padded = randomBoxes( count, 4, new Random( 33 ) ), packed = randomBoxes( count, 3, new Random( 33 ) );
		const camera = ready( new PerspectiveCamera( 60, 1.5, 1, 40 ) );
		const limits = { lodDistances: [ 12 ] };
		const expected = referenceLod( { boxes: packed }, { camera, ...limits } );
		expect( new Set( expected ).size ).toBe( 3 );

		const nodes = [ padded.min, padded.max ].map( corners => storage( attributeOf( corners ), 'vec3', count ) );

		const forms: Record<string, VisibilityOptions[ 'boxes' ]> = {
			'itemSize 4': { min: attributeOf( padded.min ), max: attributeOf( padded.max ) },
			'itemSize 3': { min: attributeOf( packed.min, 3 ), max: attributeOf( packed.max, 3 ) },
			'vec3 nodes': { min: nodes[ 0 ], max: nodes[ 1 ] },
			closures: { min: i => nodes[ 0 ].element( i ), max: i => vec4( nodes[ 1 ].element( i ), 7 ) },
		};

		for ( const [ form, boxes ] of Object.entries( forms ) ) {

			const pass = await split( count, new VisibilityTest( { boxes, ...limits } ).update( camera ), 2 );
			expect( await levelsOf( pass ), form ).toEqual( expected );
			pass.dispose();

		}

	} );

	it( 'holds on to levels and range while the camera moves, until reset()', async () => {

		const spheres = new Float32Array( 4000 );
		fillSpheres( spheres, new Random( 34 ) );
		const limits = { lodDistances: [ 15, 30 ], maxDistance: 50, minPixels: 4, hysteresis: 0.2 };
		const test = new VisibilityTest( { spheres: attributeOf( spheres ), ...limits } );
		const pass = await split( 1000, test, 3 );

		const camera = new PerspectiveCamera( 80, 1.3, 0.5, 90 );
		// f32's error may settle in the history: the two enclose it
		const near = { tolerance: 1e-4, history: new Uint8Array( 1000 ) }, far = { tolerance: - 1e-4, history: new Uint8Array( 1000 ) };
		let held = 0, doubtful = 0;

		const check = async ( when: string ): Promise<void> => {

			ready( camera );
			test.update( camera, SIZE );
			const got = await levelsOf( pass );
			const options = { camera, size: SIZE, ...limits };
			const [ atMost, atLeast ] = [ near, far ].map( more => referenceLod( { spheres }, { ...options, ...more } ) );
			const fresh = referenceLod( { spheres }, options );

			got.forEach( ( level, i ) => {

				if ( level !== atMost[ i ] && level !== atLeast[ i ] ) expect.fail( `${ when }, sphere ${ i }: level ${ level }, expected ${ atMost[ i ] } or ${ atLeast[ i ] }` );
				if ( atMost[ i ] !== atLeast[ i ] ) doubtful ++;
				if ( level !== fresh[ i ] ) held ++;

			} );

			expect( await levelsOf( pass ), `${ when }, again` ).toEqual( got );

		};

		for ( let step = 0; step < 30; step ++ ) {

			camera.position.set( 10 * Math.sin( step / 7 ), 3 * Math.cos( step / 5 ), 12 * Math.sin( step / 3 ) );
			camera.rotation.y = 0.4 * Math.sin( step / 9 );
			await check( `step ${ step }` );

		}

		expect( held ).toBeGreaterThan( 100 );
		expect( doubtful ).toBeLessThan( 10 );

		for ( const { history } of [ near, far ] ) history.fill( 0 );
		held = 0;
		test.reset();
		await check( 'after reset' );
		expect( held ).toBe( 0 );
		pass.dispose();

	} );

	it( 'lets everything through when it is not enabled, at levels by distance', async () => {

		const spheres = new Float32Array( 800 );
		fillSpheres( spheres, new Random( 36 ) );
		spheres.set( [ 0, 0, 3, 1 ] ); // close behind the camera
		const options = { maxDistance: 55, minPixels: 4, lodDistances: LOD_DISTANCES, enabled: false };
		const camera = ready( new PerspectiveCamera( 50, 1, 1, 50 ) );
		const pass = await split( 200, new VisibilityTest( { spheres: attributeOf( spheres ), ...options } ).update( camera, SIZE ), LEVELS );

		const got = await levelsOf( pass );
		expect( got ).toEqual( referenceLod( { spheres }, { camera, size: SIZE, ...options } ) );
		expect( [ ...new Set( got ) ].sort() ).toEqual( [ 0, 1, 2, 3 ] );
		pass.dispose();

	} );

	it( 'is and-ed with the user\'s own predicate', async () => {

		const spheres = new Float32Array( 4000 );
		fillSpheres( spheres, new Random( 37 ) );
		const camera = ready( new PerspectiveCamera( 70, 1.5, 1, 80 ) );
		const isMine = ( i: number ): boolean => i % 3 === 1;
		const test = new VisibilityTest( { spheres: attributeOf( spheres ) } ).update( camera );
		const pass = await new CompactPass( 1000, i => test.isVisible( i ).and( i.mod( 3 ).equal( 1 ) ), { workgroupSize: 64 } ).init( renderer );

		const seen = referenceVisibility( { spheres }, { camera } );
		const expected = referenceCompact( 1000, i => seen[ i ] === 1 && isMine( i ) );
		pass.compute( renderer );
		expect( await pass.readIndices( renderer ) ).toEqual( expected );
		expect( expected.length ).toBeGreaterThan( 20 );
		pass.dispose();

	} );

	it( 'takes eight eyes and refuses more', async () => {

		const eyes = Array.from( { length: 9 }, ( _, k ) => {

			const eye = new PerspectiveCamera( 30, 1, 0.1, 100 );
			eye.rotation.y = k * Math.PI / 4.5;
			return ready( eye );

		} );

		// one sphere before each eye
		const spheres = eyes.flatMap( eye => [ ...eye.getWorldDirection( new Vector3() ).multiplyScalar( 10 ).toArray(), 0.5 ] );
		const test = new VisibilityTest( { spheres: attributeOf( spheres ) } ).update( new ArrayCamera( eyes.slice( 0, 8 ) ) );
		const pass = await split( 9, test );

		expect( [ ...await levelsOf( pass ) ] ).toEqual( [ 0, 0, 0, 0, 0, 0, 0, 0, 1 ] );
		await expectRefusal( () => test.update( new ArrayCamera( eyes ) ), /8 .*got 9/ );
		pass.dispose();

	} );

	describe( 'refuses at construction', () => {

		const spheres = attributeOf( new Float32Array( 8 ) );
		const corners = attributeOf( new Float32Array( 8 ) );

		it.each<[ string, VisibilityOptions, RegExp ]>( [
			[ 'no bounds', {}, /either spheres or boxes.*got neither/ ],
			[ 'both kinds of bounds', { spheres, boxes: { min: corners, max: corners } }, /either spheres or boxes.*got both/ ],
			[ 'spheres that are no source', { spheres: wrong( {} ) }, /spheres.*got Object/ ],
			[ 'a plain array', { spheres: wrong( new Float32Array( 8 ) ) }, /spheres.*got Float32Array/ ],
			[ 'unsigned spheres', { spheres: new StorageBufferAttribute( new Uint32Array( 8 ), 4 ) }, /spheres.*vec4.*got (uvec4|Uint32Array)/ ],
			[ 'unsigned corners', { boxes: { min: corners, max: new StorageBufferAttribute( new Uint32Array( 8 ), 4 ) } }, /boxes\.max.*got (uvec4|Uint32Array)/ ],
			[ 'spheres of three numbers', { spheres: attributeOf( new Float32Array( 9 ), 3 ) }, /spheres.*vec4.*got vec3/ ],
			[ 'a sphere node of three numbers', { spheres: storage( corners, 'vec3', 2 ) }, /spheres.*vec4.*got vec3/ ],
			[ 'corners of two numbers', { boxes: { min: attributeOf( new Float32Array( 8 ), 2 ), max: corners } }, /boxes\.min.*vec3.*got vec2/ ],
			[ 'boxes without their upper corners', { boxes: wrong( { min: corners } ) }, /boxes\.max.*got undefined/ ],
			[ 'boxes without their lower corners', { boxes: wrong( { max: corners } ) }, /boxes\.min.*got undefined/ ],
			[ 'more lower than upper corners', { boxes: { min: attributeOf( new Float32Array( 12 ) ), max: corners } }, /as many.*got 3 and 2/ ],
			[ 'a maxDistance of NaN', { spheres, maxDistance: NaN }, /maxDistance.*got NaN/ ],
			[ 'a negative maxDistance', { spheres, maxDistance: - 1 }, /maxDistance.*got -1/ ],
			[ 'minPixels of NaN', { spheres, minPixels: NaN }, /minPixels.*got NaN/ ],
			[ 'endless minPixels', { spheres, minPixels: Infinity }, /minPixels.*got Infinity/ ],
			[ 'lodDistances with NaN', { spheres, lodDistances: [ 1, NaN ] }, /lodDistances.*got \[1, NaN\]/ ],
			[ 'lodDistances that descend', { spheres, lodDistances: [ 3, 2 ] }, /lodDistances must ascend.*got \[3, 2\]/ ],
			[ 'a hysteresis of NaN', { spheres, hysteresis: NaN }, /hysteresis.*got NaN/ ],
			[ 'a hysteresis of 1', { spheres, hysteresis: 1 }, /hysteresis.*got 1/ ],
			[ 'hysteresis over a closure of unknown length', { spheres: () => vec4( 0 ), hysteresis: 0.1 }, /number of bounds.*got undefined.*capacity/ ],
			[ 'hysteresis of half a bound', { spheres: () => vec4( 0 ), hysteresis: 0.1, capacity: 0.5 }, /number of bounds.*got 0.5.*capacity/ ],
		] )( '%s', ( _, options, message ) => expectRefusal( () => new VisibilityTest( options ), message ) );

		it( 'occlusion', () => expectRefusal( () => new VisibilityTest( { spheres, occlusion: {} } ), /occlusion is not there yet/, 'feature-missing' ) );

	} );

	it( 'refuses cameras for minPixels without a size', async () => {

		const test = new VisibilityTest( { spheres: attributeOf( new Float32Array( 8 ) ), minPixels: 3 } );
		const withViewport = Object.assign( new PerspectiveCamera(), { viewport: new Vector4( 0, 0, 8, 8 ) } );

		for ( const camera of [ new PerspectiveCamera(), new ArrayCamera(), new ArrayCamera( [ withViewport, new PerspectiveCamera() ] ) ] ) {

			await expectRefusal( () => test.update( camera ), /minPixels needs the size/ );
			test.update( camera, SIZE );

		}

		test.update( new ArrayCamera( [ withViewport ] ) );

	} );

} );
