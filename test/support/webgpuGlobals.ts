import { create, globals } from 'webgpu';

/**
 * Puts Dawn's WebGPU in the global scope, before three is loaded: three looks at these names while its modules run.
 *
 * What Dawn hands out must never be collected, else the process crashes at random: `held` keeps it.
 */
interface HeldScope {
	threeScanHeld?: object[];
}

const scope = globalThis as HeldScope;

export const held: object[] = ( scope.threeScanHeld ??= [] );

if ( held.length === 0 ) {

	const gpu = create( [ 'enable-dawn-features=allow_unsafe_apis' ] );
	held.push( gpu );

	// Dawn polls the device in a loop of setImmediate: at full speed that takes a core from the software drivers
	Object.assign( globalThis, { setImmediate: ( callback: ( ...args: unknown[] ) => void, ...args: unknown[] ) => setTimeout( callback, 1, ...args ) } );

	Object.assign( globalThis, globals );
	Object.defineProperty( globalThis, 'navigator', { value: { gpu, userAgent: 'node', language: 'en' }, configurable: true } );

	Object.assign( globalThis, {
		self: globalThis,
		requestAnimationFrame: ( callback: FrameRequestCallback ) => setTimeout( () => callback( performance.now() ), 16 ),
		cancelAnimationFrame: ( id: ReturnType<typeof setTimeout> ) => clearTimeout( id ),
	} );

}
