import { create, globals } from 'webgpu';

/** Puts Dawn's WebGPU in the global scope, where it is never collected, which would crash the process. */
export function installGlobals(): void {

	const gpu = create( [ 'enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization' ] );

	Object.assign( globalThis, globals );
	Object.defineProperty( globalThis, 'navigator', { value: { gpu, userAgent: 'node', language: 'en' }, configurable: true } );

	Object.assign( globalThis, {
		self: globalThis,
		requestAnimationFrame: ( callback: FrameRequestCallback ) => setTimeout( () => callback( performance.now() ), 16 ),
		cancelAnimationFrame: ( id: ReturnType<typeof setTimeout> ) => clearTimeout( id ),
	} );

}
