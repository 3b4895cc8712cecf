import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrayCamera, OrthographicCamera, PerspectiveCamera, StorageBufferAttribute, Vector2, WebGPUCoordinateSystem, type Camera, type WebGPURenderer } from 'three/webgpu';
import { PartitionPass, VisibilityTest } from 'three-scan';
import { referenceLod } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

const COUNT = 2000;
const LOD_DISTANCES = [ 8, 20, 45 ];
const LEVELS = LOD_DISTANCES.length + 1;
const SIZE = new Vector2( 640, 480 );

/** A small generator: the same scenes on every machine. */
function random( seed: number ): () => number {

	let state = seed >>> 0;
	return () => ( state = ( Math.imul( state, 1664525 ) + 1013904223 ) >>> 0 ) / 2 ** 32;

}

function ready<T extends Camera>( camera: T, reversed = false ): T {

	camera.coordinateSystem = WebGPUCoordinateSystem;
	if ( reversed ) Object.assign( camera, { _reversedDepth: true } );
	( camera as unknown as PerspectiveCamera ).updateProjectionMatrix();
	camera.updateMatrixWorld();
	return camera;

}

function cameras( next: () => number ): Record<string, Camera> {

	const place = <T extends Camera>( camera: T ): T => {

		camera.position.set( next() * 20 - 10, next() * 20 - 10, next() * 20 - 10 );
		camera.rotation.set( next() * 6, next() * 6, next() * 6 );
		return camera;

	};

	const offCentre = place( new PerspectiveCamera( 60, 1.5, 0.5, 60 ) );
	offCentre.setViewOffset( 640, 480, 400, 10, 200, 300 );

	// two eyes that look apart: what only the second sees stays
	const eyes = [ 0, 1 ].map( () => ready( place( new PerspectiveCamera( 40, 1, 0.5, 50 ) ) ) );

	return {
		perspective: ready( place( new PerspectiveCamera( 50, 4 / 3, 1, 70 ) ) ),
		reversed: ready( place( new PerspectiveCamera( 50, 4 / 3, 1, 70 ) ), true ),
		orthographic: ready( place( new OrthographicCamera( - 15, 9, 8, - 12, 1, 60 ) ) ),
		'off-centre': ready( offCentre ),
		eyes: new ArrayCamera( eyes )
	};

}

describe( `VisibilityTest on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	it( 'puts spheres into the levels that the reference says, for every kind of camera', async () => {

		const spheres = new Float32Array( COUNT * 4 );
		const attribute = new StorageBufferAttribute( spheres, 4 );
		const limits = { maxDistance: 55, minPixels: 4, lodDistances: LOD_DISTANCES };
		const test = new VisibilityTest( { spheres: attribute, ...limits } );
		const pass = await new PartitionPass( COUNT, LEVELS + 1, test.lodOf, { workgroupSize: 64 } ).init( renderer );

		let visible = 0;
		let doubtful = 0;

		for ( let seed = 1; seed <= 12; seed ++ ) {

			const next = random( seed );
			spheres.forEach( ( _, k ) => { spheres[ k ] = k % 4 === 3 ? next() * 2 : next() * 120 - 60; } );
			attribute.needsUpdate = true;

			for ( const [ kind, camera ] of Object.entries( cameras( next ) ) ) {

				test.update( camera, SIZE );
				pass.compute( renderer );

				const [ indices, offsets ] = await Promise.all( [ pass.readIndices( renderer ), pass.readOffsets( renderer ) ] );
				const got = new Uint8Array( COUNT );
				for ( let level = 0; level <= LEVELS; level ++ ) for ( let k = offsets[ level ]; k < offsets[ level + 1 ]; k ++ ) got[ indices[ k ] ] = level;

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
		const pass = await new PartitionPass( 2, 2, test.lodOf, { workgroupSize: 64, kernel: 'shared-memory' } ).init( renderer );

		pass.compute( renderer );
		expect( [ ...await pass.readIndices( renderer ) ] ).toEqual( [ 1, 0 ] );
		pass.dispose();

	} );

	it( 'refuses bounds and limits that make no sense', () => {

		const spheres = new StorageBufferAttribute( new Float32Array( 8 ), 4 );
		expect( () => new VisibilityTest( {} ) ).toThrow( /either spheres or boxes.*got neither/ );
		expect( () => new VisibilityTest( { spheres, lodDistances: [ 3, 2 ] } ) ).toThrow( /lodDistances must ascend.*got \[3, 2\]/ );
		expect( () => new VisibilityTest( { spheres, hysteresis: 1 } ) ).toThrow( /hysteresis.*got 1/ );
		expect( () => new VisibilityTest( { spheres, occlusion: {} } ) ).toThrow( /occlusion is not there yet/ );
		expect( () => new VisibilityTest( { spheres, minPixels: 3 } ).update( new PerspectiveCamera() ) ).toThrow( /minPixels needs the size/ );

	} );

} );
