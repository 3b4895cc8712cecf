import { WebGPURenderer } from 'three/webgpu';
import { GpuTimer } from './GpuTimer';
import { Ledger } from './Ledger';
import { WarmClock } from './WarmClock';

/** A renderer on its own device, and what measures it. */
export interface Context {

	renderer: WebGPURenderer;
	device: GPUDevice;
	adapter: GPUAdapter;
	ledger: Ledger;
	timer: GpuTimer;
	/** Errors that the GPU reported since they were last taken. */
	takeErrors(): Promise<string[]>;

}

const FEATURES: GPUFeatureName[] = [ 'core-features-and-limits', 'subgroups', 'timestamp-query' ];

const LIMITS = [
	'maxBufferSize', 'maxStorageBufferBindingSize', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX',
	'maxComputeWorkgroupStorageSize',
] as const;

export interface ContextOptions {

	/** Batches a measurement. */
	runs: number;
	/** Milliseconds of work before each measurement. Default: 50, none on a CPU. */
	warmUp?: number;

}

export async function createContext( { runs, warmUp }: ContextOptions ): Promise<Context> {

	const adapter = await navigator.gpu.requestAdapter( { powerPreference: 'high-performance' } );
	if ( adapter === null ) throw new Error( 'bench: no WebGPU adapter. Is a Vulkan driver installed? VK_DRIVER_FILES may name one.' );
	if ( ! adapter.features.has( 'timestamp-query' ) ) throw new Error( 'bench: the adapter has no timestamp queries.' );

	const device = await adapter.requestDevice( {
		requiredFeatures: FEATURES.filter( ( feature ) => adapter.features.has( feature ) ),
		requiredLimits: Object.fromEntries( LIMITS.map( ( limit ) => [ limit, adapter.limits[ limit ] ] ) ),
	} );

	const ledger = new Ledger( device );
	const renderer = new WebGPURenderer( { canvas: createCanvas(), device } );
	Object.assign( globalThis, { threeScanBench: { adapter, device, renderer } } ); // once collected, Dawn's objects crash the process
	await renderer.init();

	const errors: string[] = [];

	// three hands over an object, its type declarations say string
	renderer.onError = ( info: unknown ) => {

		errors.push( ( info as { message?: string } ).message ?? String( info ) );

	};

	const clock = await WarmClock.create( device );
	const timer = new GpuTimer( device, clock, runs, warmUp ?? ( adapter.info.isFallbackAdapter ? 0 : 50 ) );

	return {
		renderer, device, adapter, ledger, timer,
		async takeErrors() {

			await device.queue.onSubmittedWorkDone();
			await new Promise( ( resolve ) => setTimeout( resolve, 1 ) ); // errors arrive between tasks
			return errors.splice( 0 );

		},
	};

}

/** Enough of a canvas for a renderer that never draws. */
function createCanvas(): HTMLCanvasElement {

	return { style: {}, addEventListener() {}, removeEventListener() {}, setAttribute() {} } as unknown as HTMLCanvasElement;

}
