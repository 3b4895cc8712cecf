import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, Vector2, Vector3, type ArrayCamera, type Camera, type WebGPURenderer } from 'three/webgpu';
import { PartitionPass, VisibilityTest, type VisibilityOptions } from 'three-scan';
import { referenceLod, type ReferenceBounds } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { Random, SEED } from '../support/scanMatrix';
import { CAMERA_KINDS, mayBe, randomCamera, readBuckets } from '../support/visibility';

const TAKES_ALL = deviceName === 'swiftshader';
const SCENES = TAKES_ALL ? 1000 : 200;
const BOUNDS = 512;

/** What f32 may miss a plane or a distance by, in parts of the largest coordinate. */
const PRECISION = 1e-5;

/** Each has a shader of its own: one device takes them all, the others those with both limits or none. */
const STRUCTURES = ( [ 'spheres', 'boxes' ] as const ).flatMap( shape => [ 0, 1, 2, 3, 4 ].flatMap( distances => [
	{ shape, distances, hasPixels: false, hasRange: false },
	{ shape, distances, hasPixels: false, hasRange: true },
	{ shape, distances, hasPixels: true, hasRange: false },
	{ shape, distances, hasPixels: true, hasRange: true },
] ) ).filter( ( { hasPixels, hasRange } ) => TAKES_ALL || hasPixels === hasRange );

const SCENES_EACH = SCENES / STRUCTURES.length;

type Structure = typeof STRUCTURES[ number ];
type Limits = Pick<VisibilityOptions, 'maxDistance' | 'minPixels' | 'lodDistances'>;

function nameOf( { shape, distances, hasPixels, hasRange }: Structure ): string {

	return `${ shape }, ${ distances } distances${ hasPixels ? ', minPixels' : '' }${ hasRange ? ', maxDistance' : '' }`;

}

/** Limits about `unit` in size, so that scenes of that size have bounds on either side of each. */
function randomLimits( { distances, hasPixels, hasRange }: Structure, unit: number, random: Random ): Limits {

	const lodDistances = Array.from( { length: distances }, ( _, k ) => unit * 0.5 * ( k + random.between( 0.6, 1.4 ) ) );

	return {
		lodDistances,
		...( hasPixels && { minPixels: random.between( 2, 40 ) } ),
		...( hasRange && { maxDistance: ( lodDistances.at( - 1 ) ?? unit ) * random.between( 1.2, 2 ) } ),
	};

}

interface TestBounds {

	readonly source: Pick<VisibilityOptions, 'spheres' | 'boxes'>;
	readonly reference: ReferenceBounds;
	one( index: number ): ReferenceBounds;
	/** Boxes take half their extents, spheres the first of them. */
	set( index: number, centre: Vector3, halves: Vector3 ): void;
	upload(): void;

}

function createBounds( shape: Structure[ 'shape' ] ): TestBounds {

	const [ a, b ] = [ 0, 1 ].map( () => new Float32Array( BOUNDS * 4 ).fill( NaN ) ); // the corners' w is nobody's
	const attributes = [ a, b ].map( array => new StorageBufferAttribute( array, 4 ) );
	const upload = (): void => attributes.forEach( attribute => { attribute.needsUpdate = true; } );
	const part = ( array: Float32Array, index: number ): Float32Array => array.subarray( index * 4, index * 4 + 4 );

	if ( shape === 'spheres' ) return {
		source: { spheres: attributes[ 0 ] },
		reference: { spheres: a },
		one: index => ( { spheres: part( a, index ) } ),
		set: ( index, { x, y, z }, halves ) => a.set( [ x, y, z, halves.x ], index * 4 ),
		upload,
	};

	return {
		source: { boxes: { min: attributes[ 0 ], max: attributes[ 1 ] } },
		reference: { boxes: { min: a, max: b }, stride: 4 },
		one: index => ( { boxes: { min: part( a, index ), max: part( b, index ) }, stride: 4 } ),
		set: ( index, centre, halves ) => {

			a.set( centre.clone().sub( halves ).toArray(), index * 4 );
			b.set( centre.clone().add( halves ).toArray(), index * 4 );

		},
		upload,
	};

}

/** Fills `bounds` about `middle`, and says where to look from. */
function randomScene( bounds: TestBounds, unit: number, random: Random ): { position: Vector3; target: Vector3 } {

	const within = ( extent: number ): Vector3 => new Vector3( random.between( - 1, 1 ), random.between( - 1, 1 ), random.between( - 1, 1 ) ).multiplyScalar( extent );

	const extent = unit * random.between( 1, 4 );
	const middle = random.below( 5 ) === 0 ? within( unit * 10 ** random.between( 1, 3 ) ) : new Vector3();
	const position = within( extent / 2 ).add( middle );
	const target = within( extent / 2 ).add( middle );

	for ( let i = 0; i < BOUNDS; i ++ ) {

		const kind = random.below( 20 );
		const size = unit * 10 ** ( kind === 0 ? random.between( 1, 4 ) : random.between( - 4, 0 ) );
		const half = (): number => random.below( 10 ) === 0 ? 0 : size * random.between( 0.1, 1 );
		const centre = within( extent ).add( middle );

		if ( kind === 1 ) centre.copy( position ).add( within( size / 10 ) ); // mostly around the eye
		if ( kind === 2 ) centre.multiplyScalar( 10 ** random.between( 1, 4 ) );

		bounds.set( i, centre, new Vector3( half(), half(), half() ) );

	}

	return { position, target };

}

/** The largest number that goes into the test of one bound. */
function scaleOf( bound: ReferenceBounds, camera: Camera ): number {

	const { spheres, boxes } = bound;
	const eyes = ( camera as ArrayCamera ).isArrayCamera === true ? ( camera as ArrayCamera ).cameras : [ camera ];
	const numbers = boxes === undefined ? Array.from( spheres! ) : [ boxes.min, boxes.max ].flatMap( corner => Array.from( corner ).slice( 0, 3 ) );
	return Math.max( ...[ ...numbers, ...eyes.flatMap( eye => eye.matrixWorld.elements.slice( 12, 15 ) ) ].map( Math.abs ) );

}

describe( `VisibilityTest in ${ SCENES } scenes on ${ deviceName }, seed ${ SEED }`, () => {

	const started = performance.now();
	let renderer: WebGPURenderer;
	let answers = 0, visible = 0, excused = 0, mixedScenes = 0;
	const levelsSeen = STRUCTURES.map( () => new Set<number>() );
	const visibleTo = new Map<string, number>();

	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );

	afterAll( async () => {

		console.log( `${ deviceName }: ${ answers } answers, ${ visible } visible, ${ excused } within f32's error, ${ mixedScenes } mixed scenes, seed ${ SEED }, ${ ( ( performance.now() - started ) / 1000 ).toFixed( 0 ) } s` );
		await expectNoGpuErrors();

	} );

	it.each( STRUCTURES.map( ( structure, index ) => ( { name: nameOf( structure ), structure, index } ) ) )( '$name', async ( { structure, index } ) => {

		const setting = new Random( ~ SEED - index );
		const unit = 10 ** setting.between( - 2, 3 );
		const limits = randomLimits( structure, unit, setting );
		const invisible = structure.distances + 1;

		const bounds = createBounds( structure.shape );
		const test = new VisibilityTest( { ...bounds.source, ...limits } );
		const pass = await new PartitionPass( BOUNDS, invisible + 1, test.lodOf, { workgroupSize: 64 } ).init( renderer );

		for ( let scene = 0; scene < SCENES_EACH; scene ++ ) {

			const seed = SEED + index * SCENES_EACH + scene | 0;
			const random = new Random( seed );
			const kind = CAMERA_KINDS[ scene % CAMERA_KINDS.length ];

			const stance = randomScene( bounds, unit, random );
			const camera = randomCamera( kind, random, { ...stance, unit, reversed: random.below( 2 ) === 0 } );
			const options = { camera, size: new Vector2( random.integer( 200, 2000 ), random.integer( 200, 2000 ) ), ...limits };

			bounds.upload();
			test.update( camera, options.size );
			pass.compute( renderer );

			const got = await readBuckets( renderer, pass );
			const expected = referenceLod( bounds.reference, options );
			expect( got.length ).toBe( BOUNDS );

			got.forEach( ( level, i ) => {

				levelsSeen[ index ].add( level );
				if ( level === expected[ i ] ) return;

				const bound = bounds.one( i );
				expect( mayBe( level, bound, options, PRECISION * scaleOf( bound, camera ) ), `scene seed ${ seed }, ${ kind }, bound ${ i }: level ${ level }, expected ${ expected[ i ] }` ).toBe( true );
				excused ++;

			} );

			const visibleHere = got.filter( level => level !== invisible ).length;
			answers += BOUNDS;
			visible += visibleHere;
			visibleTo.set( kind, ( visibleTo.get( kind ) ?? 0 ) + visibleHere );
			if ( visibleHere > 10 && visibleHere < BOUNDS - 10 ) mixedScenes ++;

		}

		pass.dispose();

	} );

	it( 'are worth asking about, and nearly all answers are certain', () => {

		expect( answers ).toBe( SCENES * BOUNDS );
		expect( visible / answers ).toBeGreaterThan( 0.05 );
		expect( visible / answers ).toBeLessThan( 0.8 );
		expect( mixedScenes / SCENES ).toBeGreaterThan( 0.75 );
		expect( excused / answers ).toBeLessThan( 1e-4 );
		for ( const kind of CAMERA_KINDS ) expect( visibleTo.get( kind ), kind ).toBeGreaterThan( SCENES );
		STRUCTURES.forEach( ( { distances }, index ) => expect( levelsSeen[ index ].size, nameOf( STRUCTURES[ index ] ) ).toBe( distances + 2 ) );

	} );

} );
