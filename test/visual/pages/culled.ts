/**
 * One scene seen in the ways of `?cases=`, each drawn twice: by a CulledInstancedMesh that culls, and by the same one that
 * draws all its instances. The pictures must be equal in every byte.
 */
import { RenderTarget, WebGPURenderer, type Camera, type Scene } from 'three/webgpu';
import type { CulledInstancedMesh } from 'three-scan';
import { makeStage, type Stage } from './stage';
import { VIEWS, type View, type ViewName } from './views';

const WIDTH = 320;
const HEIGHT = 200;

export interface CaseReport {

	name: ViewName;
	/** At each level of detail, in the last camera. */
	levels: number[];
	total: number;
	/** Bytes in which culled and unculled differ. */
	wrongBytes: number;
	/** Bytes that the instances, their shadows and reflections change in the picture at all. */
	drawnBytes: number;

}

async function main(): Promise<CaseReport[]> {

	const names = new URLSearchParams( location.search ).get( 'cases' )!.split( ',' ) as ViewName[];
	const renderer = new WebGPURenderer( { reversedDepthBuffer: names.includes( 'reversed depth' ) } );
	renderer.shadowMap.enabled = true;
	await renderer.init();
	renderer.setSize( WIDTH, HEIGHT );
	document.body.append( renderer.domElement );

	const stage = makeStage();
	await stage.instances.init( renderer );
	const reports: CaseReport[] = [];

	for ( const name of names ) {

		const view: View = VIEWS[ name ]( stage, WIDTH / HEIGHT );
		reports.push( { name, ...await compare( renderer, stage, view ) } );
		await frame();
		renderer.render( stage.scene, view.camera );
		view.leave?.();

	}
	return reports;

}

async function compare( renderer: WebGPURenderer, { scene, instances }: Stage, { camera, whole }: View ): Promise<Omit<CaseReport, 'name'>> {

	const target = new RenderTarget( WIDTH, HEIGHT );
	const draw = async ( culling: CulledInstancedMesh[ 'culling' ] ): Promise<Uint8Array> => {

		instances.culling = culling;
		await frame(); // shadows are drawn once a frame
		return picture( renderer, scene, camera, target );

	};

	// it looked elsewhere before: nothing of that may be left
	camera.rotateY( 2 );
	await draw( 'on' );
	camera.rotateY( - 2 );

	const culled = await draw( 'on' );
	const levels = await instances.readVisibleCounts( renderer, camera );
	whole?.();
	const all = await draw( 'off' );
	instances.culling = 'on';

	instances.visible = false;
	await frame();
	const none = await picture( renderer, scene, camera, target );
	instances.visible = true;

	target.dispose();
	return { levels, total: instances.count, wrongBytes: differences( culled, all ), drawnBytes: differences( all, none ) };

}

async function picture( renderer: WebGPURenderer, scene: Scene, camera: Camera, target: RenderTarget ): Promise<Uint8Array> {

	renderer.setRenderTarget( target );
	renderer.render( scene, camera );
	renderer.setRenderTarget( null );
	return new Uint8Array( ( await renderer.readRenderTargetPixelsAsync( target, 0, 0, WIDTH, HEIGHT ) ).buffer );

}

async function frame(): Promise<void> {

	for ( let i = 0; i < 2; i ++ ) await new Promise( requestAnimationFrame );

}

function differences( one: Uint8Array, other: Uint8Array ): number {

	return one.reduce( ( sum, byte, i ) => sum + Number( byte !== other[ i ] ), Math.abs( one.length - other.length ) );

}

Object.assign( window, { ready: main() } );
