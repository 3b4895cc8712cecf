import { held } from './webgpuGlobals';
import { WebGPURenderer, type BufferAttribute } from 'three/webgpu';

type RendererParameters = NonNullable<ConstructorParameters<typeof WebGPURenderer>[ 0 ]>;

export interface RendererOptions {
	/** A device without the `subgroups` feature, whatever the adapter has. */
	noSubgroups?: boolean;
	/** Asked for in addition to `subgroups`; the adapter must have them. */
	features?: GPUFeatureName[];
	limits?: Record<string, GPUSize64>;
	/** Passed on to the renderer. */
	parameters?: Omit<RendererParameters, 'canvas' | 'device'>;
}

export interface GpuError {
	type: string;
	message: string;
}

export interface TestGpu {
	renderer: WebGPURenderer;
	device: GPUDevice;
	adapter: GPUAdapter;
}

/** Name of the device under test, as in scripts/drivers.mjs. */
export const deviceName = process.env.THREE_SCAN_DEVICE ?? 'default';

/** What depends neither on the subgroup's width nor on the driver is seen on one device. */
export const ONCE = deviceName === 'swiftshader' || deviceName === 'default';

/** Every uncaptured error of every renderer of this file, oldest first. */
export const gpuErrors: GpuError[] = [];

/** Asserts that nothing went wrong unnoticed, and forgets what did. Waits for the devices to report. */
export async function expectNoGpuErrors(): Promise<void> {

	await tick();

	const errors = takeGpuErrors();
	if ( errors.length > 0 ) throw new Error( `${ errors.length } GPU errors:\n${ errors.map( ( error ) => `${ error.type }: ${ error.message }` ).join( '\n' ) }` );

}

/** The errors so far, for tests that provoke them. */
export function takeGpuErrors(): GpuError[] {

	return gpuErrors.splice( 0 );

}

export async function requestAdapter(): Promise<GPUAdapter> {

	const adapter = await navigator.gpu.requestAdapter();
	if ( adapter === null ) throw new Error( `No WebGPU adapter on '${ deviceName }'. Set one up: node scripts/drivers.mjs` );

	held.push( adapter );
	return adapter;

}

/** An initialised renderer on a device of its own: `subgroups` if the adapter has it, default limits. */
export async function createRenderer( options: RendererOptions = {} ): Promise<TestGpu> {

	const adapter = await requestAdapter();

	const wanted: GPUFeatureName[] = [ 'core-features-and-limits' ];
	if ( options.noSubgroups !== true ) wanted.push( 'subgroups' );

	const device = await adapter.requestDevice( {
		requiredFeatures: [ ...wanted.filter( ( feature ) => adapter.features.has( feature ) ), ...( options.features ?? [] ) ],
		requiredLimits: options.limits ?? {},
	} );

	const renderer = new WebGPURenderer( { ...options.parameters, canvas: createCanvas(), device } );
	held.push( device, renderer );

	await renderer.init();

	// three hands over an object, its type declarations say string
	renderer.onError = ( info: unknown ) => {

		const { type = 'Error', message = String( info ) } = info as Partial<GpuError>;
		gpuErrors.push( { type, message } );

	};

	return { renderer, device, adapter };

}

/** Enough of a canvas for a renderer that draws to render targets only. */
export function createCanvas( width = 64, height = 64 ): HTMLCanvasElement {

	const context = {
		configure: () => {},
		unconfigure: () => {},
		getCurrentTexture: () => {

			throw new Error( 'This canvas cannot be drawn to: set a render target.' );

		},
	};

	const canvas = {
		width,
		height,
		style: {},
		addEventListener: () => {},
		removeEventListener: () => {},
		setAttribute: () => {},
		getContext: () => context,
	};

	return canvas as unknown as HTMLCanvasElement;

}

export async function readUint32( renderer: WebGPURenderer, attribute: BufferAttribute ): Promise<Uint32Array> {

	return new Uint32Array( await renderer.getArrayBufferAsync( attribute ) );

}

export async function readInt32( renderer: WebGPURenderer, attribute: BufferAttribute ): Promise<Int32Array> {

	return new Int32Array( await renderer.getArrayBufferAsync( attribute ) );

}

export async function readFloat32( renderer: WebGPURenderer, attribute: BufferAttribute ): Promise<Float32Array> {

	return new Float32Array( await renderer.getArrayBufferAsync( attribute ) );

}

/** Lets the event loop turn: device errors, mapped buffers, and three's frame id arrive between tasks. */
export function tick( milliseconds = 20 ): Promise<void> {

	return new Promise( ( resolve ) => setTimeout( resolve, milliseconds ) );

}
