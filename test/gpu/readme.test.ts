import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import * as THREE from 'three/webgpu';
import * as TSL from 'three/tsl';
import * as threeScan from 'three-scan';
import { referenceVisibility } from 'three-scan/reference';
import { CAN_DRAW } from '../support/drawing';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

const blocks = [ ...readFileSync( 'README.md', 'utf8' ).matchAll( /```js\n([\s\S]*?)```/g ) ].map( match => match[ 1 ] );
const modules: Record<string, unknown> = { 'three/webgpu': THREE, 'three/tsl': TSL, 'three-scan': threeScan };

/** Runs a block of the README as it stands, its imports served from here, and returns what it declares. */
async function run( code: string, given: Record<string, unknown>, results: string[] ): Promise<Record<string, unknown>> {

	const body = code
		.replace( /^import \* as (\w+) from '([^']+)';$/gm, 'const $1 = modules[ \'$2\' ];' )
		.replace( /^import (\{[^}]+\}) from '([^']+)';$/gm, 'const $1 = modules[ \'$2\' ];' );

	const AsyncFunction = ( async () => undefined ).constructor as new ( ...text: string[] ) => ( ...values: unknown[] ) => Promise<Record<string, unknown>>;
	return new AsyncFunction( 'modules', ...Object.keys( given ), `${ body }\nreturn { ${ results.join( ', ' ) } };` )( modules, ...Object.values( given ) );

}

describe( `README on ${ deviceName }`, () => {

	afterAll( expectNoGpuErrors );

	it.skipIf( ! CAN_DRAW )( 'has a quick start of at most 20 lines, which draws half of the points', async () => {

		expect( blocks[ 0 ].trim().split( '\n' ).length ).toBeLessThanOrEqual( 20 );

		const { renderer } = await createRenderer();
		const scene = new THREE.Scene();
		const camera = new THREE.PerspectiveCamera( 50, 1, 0.1, 100 );
		camera.position.z = 20;
		renderer.setRenderTarget( new THREE.RenderTarget( 32, 32 ) );

		// fewer points than shown: a software device draws them
		const { survivors, draws } = await run( blocks[ 0 ].replace( '1_000_000', '20_000' ), { renderer, scene, camera }, [ 'survivors', 'draws' ] ) as { survivors: threeScan.CompactPass; draws: threeScan.IndirectDraws };

		const count = await survivors.readSurvivorCount( renderer );
		expect( count ).toBeGreaterThan( 9_500 );
		expect( count ).toBeLessThan( 10_500 );
		expect( await draws.readCounts( renderer ) ).toEqual( [ count ] );
		expect( new Set( await survivors.readIndices( renderer ) ).size ).toBe( count );

	} );

	it.skipIf( ! CAN_DRAW )( 'shows instances that cull themselves', async () => {

		const { renderer } = await createRenderer();
		const scene = new THREE.Scene();
		const camera = new THREE.PerspectiveCamera( 50, 1, 0.1, 1000 );
		renderer.setRenderTarget( new THREE.RenderTarget( 32, 32 ) );

		// a tree a metre, from 10 in front of the camera to 990 behind it
		const matrices = Array.from( { length: 1000 }, ( _, i ) => new THREE.Matrix4().makeTranslation( 0, 0, i - 10 ) );
		const [ fine, coarse ] = [ 16, 4 ].map( ( segments ) => new THREE.SphereGeometry( 0.1, segments, segments ) );
		const given = { renderer, scene, fine, coarse, matrices, material: new THREE.MeshNormalNodeMaterial() };
		const { trees } = await run( blocks[ 1 ].replace( '1_000_000', '1_000' ), given, [ 'trees' ] ) as { trees: threeScan.CulledInstancedMesh };

		renderer.render( scene, camera );
		expect( await trees.readVisibleCounts( renderer ) ).toEqual( [ 11, 0 ] );

		camera.position.z = - 45;
		camera.rotation.y = Math.PI;
		renderer.render( scene, camera );
		// 5 trees up to 40 metres away, the rest up to 500
		expect( await trees.readVisibleCounts( renderer ) ).toEqual( [ 5, 461 ] );

	} );

	it( 'shows visibility by hand', async () => {

		const { renderer } = await createRenderer();
		const camera = new THREE.PerspectiveCamera( 50, 1, 0.1, 100 );
		const { spheres, visible } = await run( blocks[ 2 ], { renderer, camera, n: 2000 }, [ 'spheres', 'visible' ] ) as { spheres: { value: THREE.StorageBufferAttribute }; visible: threeScan.CompactPass };
		const expected = referenceVisibility( { spheres: spheres.value.array }, { camera, maxDistance: 50 } ).reduce( ( sum, isVisible ) => sum + isVisible );

		expect( expected ).toBeGreaterThan( 20 );
		expect( Math.abs( await visible.readSurvivorCount( renderer ) - expected ) ).toBeLessThanOrEqual( 1 ); // f32 at an edge

	} );

	it( 'shows an operator that scans in order', async () => {

		const { renderer } = await createRenderer();
		const maps = new THREE.StorageBufferAttribute( new Float32Array( [ 2, 1, 3, 0, 0.5, 4 ] ), 2 );
		const { scan } = await run( blocks[ 3 ], { maps }, [ 'scan' ] ) as { scan: threeScan.ScanPass };

		await scan.init( renderer );
		scan.compute( renderer );

		// x → 2x + 1, then 3x, then x / 2 + 4
		expect( [ ...await scan.read( renderer ) ] ).toEqual( [ 2, 1, 6, 3, 3, 5.5 ] );

	} );

} );
