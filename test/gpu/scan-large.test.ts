import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceName, expectNoGpuErrors, createRenderer } from '../support/gpu';
import { TAKES_ALL, VARIANTS } from '../support/scanMatrix';
import { checkFloatScan, checkLargeScan } from '../support/largeScans';
import type { WebGPURenderer } from 'three/webgpu';

// one more width beside the narrow device, which takes every kernel
const kernels = TAKES_ALL || deviceName === 'lavapipe-8' ? VARIANTS : [];

describe( `large scans on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	it.each( kernels )( 'of 4,194,305 elements, kernel $name', async ( { options } ) => { await checkLargeScan( renderer, 4_194_305, options ); } );

	it( 'of 100,000 floats give the same bits ten times, near those of f64', async () => {

		const { wrong, error } = await checkFloatScan( renderer, 100_000, 10 );
		expect( wrong ).toBe( 0 );
		expect( error ).toBeLessThan( 1e-5 );

	} );

} );
