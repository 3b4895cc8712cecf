/** What both pages need besides their subject: address parameters, size, and one clear sentence when there is nothing to draw. */
import type { PerspectiveCamera, WebGPURenderer } from 'three/webgpu';

/** What the page drew, for tests and `npm run demo`. */
export interface Report {
	visible: number;
	total: number;
	policy: Readonly<Record<string, unknown>>;
	adapter: string;
	/** Drawn at each level of detail, where there are some and somebody counts. */
	levels?: number[] | null;
	[detail: string]: unknown;
}

export interface Adapter {
	name: string;
	kind: 'desktop' | 'modest' | 'software';
}

declare global {
	interface Window {
		/** Resolves once the first frame is drawn; with `?test` it is the only one. */
		ready: Promise<void>;
		report?: Report;
		/** With `?test`, draws another of the culling example's poses. */
		pose?: ( which: number ) => Promise<Report>;
	}
}

const TEST_WIDTH = 480;
const TEST_HEIGHT = 300;
const NO_WEBGPU = 'This page needs WebGPU, which this browser does not offer. Try a current Chrome, Edge, Safari or Firefox.';

const parameters = new URLSearchParams( location.search );
export const isTest = parameters.has( 'test' );

export function parameter( name: string, fallback: number ): number {

	const value = Number.parseFloat( parameters.get( name ) ?? '' );
	return Number.isFinite( value ) ? value : fallback;

}

export function choice<T extends string>( name: string, values: readonly T[], fallback: T ): T {

	const value = parameters.get( name );
	return values.find( ( known ) => known === value ) ?? fallback;

}

/** Runs the page; what it rejects with becomes the sentence on screen, e.g. the message of a `ScanError`. */
export function start( main: ( adapter: Adapter ) => Promise<void> ): void {

	window.ready = findAdapter().then( main );
	window.ready.catch( ( error: unknown ) => {

		const message = error instanceof Error ? error.message : String( error );
		if ( message !== NO_WEBGPU ) console.error( error );
		document.body.replaceChildren( Object.assign( document.createElement( 'p' ), { className: 'message', textContent: message } ) );

	} );

}

async function findAdapter(): Promise<Adapter> {

	const adapter = await navigator.gpu?.requestAdapter();
	if ( !adapter ) throw new Error( NO_WEBGPU );
	const { vendor, architecture, description } = adapter.info;
	const name = [ vendor, architecture, description ].filter( ( word ) => word !== '' ).join( ' ' ) || 'unnamed adapter';
	const isModest = matchMedia( '(pointer: coarse)' ).matches || /intel|arm|qualcomm|img-tec|samsung/i.test( name );
	return { name, kind: /swiftshader|llvmpipe|basic render/i.test( name ) ? 'software' : isModest ? 'modest' : 'desktop' };

}

/** Puts the canvas on the page and keeps it, and the camera, at the window's size; with `?test` the size is fixed. */
export function fit( renderer: WebGPURenderer, camera: PerspectiveCamera ): void {

	camera.coordinateSystem = renderer.coordinateSystem; // before its first render, too
	const resize = (): void => {

		const width = isTest ? parameter( 'width', TEST_WIDTH ) : innerWidth;
		const height = isTest ? parameter( 'height', TEST_HEIGHT ) : innerHeight;
		renderer.setPixelRatio( isTest ? 1 : Math.min( devicePixelRatio, 2 ) );
		renderer.setSize( width, height );
		camera.aspect = width / height;
		camera.updateProjectionMatrix();

	};
	resize();
	if ( !isTest ) addEventListener( 'resize', resize );
	document.body.append( renderer.domElement );

}

/** Resolves once the browser shows what has been drawn. */
export async function shown(): Promise<void> {

	for ( let frame = 0; frame < 2; frame++ ) await new Promise( requestAnimationFrame );

}
