import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { ScanPass, type PassOptions } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { checkFloatScan, checkLargeScan } from '../support/largeScans';
import { Random, SMALL, SUBGROUP_WIDTH, TILE, VARIANTS, countWrongRuns } from '../support/scanMatrix';

describe( `long runs of ScanPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	const started = performance.now();
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );

	afterAll( async () => {

		console.log( `${ deviceName }: long runs in ${ ( ( performance.now() - started ) / 1000 ).toFixed( 0 ) } s, data seeds 3, 4 and 5` );
		await expectNoGpuErrors();

	} );

	/** Elements that were ever wrong in so many runs. */
	async function repeat( count: number, runs: number, options: PassOptions, dispatches: number ): Promise<number> {

		const random = new Random( 5 );
		const values = Uint32Array.from( { length: count }, () => random.word() );
		let sum = 0;
		const expected = values.map( ( value ) => [ sum, sum += value ][ 0 ] );

		const pass = await new ScanPass( new StorageBufferAttribute( values, 1 ), options ).init( renderer );
		expect( pass.policy.dispatches ).toBe( dispatches );
		const wrong = await countWrongRuns( renderer, pass, expected, runs );
		pass.dispose();
		return wrong;

	}

	describe.each( VARIANTS )( 'kernel $name', ( { options } ) => {

		it.each( [ 4_194_305, 16_777_217 ] )( 'scans %i elements', async ( count ) => { await checkLargeScan( renderer, count, options ); } );

		it( 'gives the same 1,000 times over one tile, with 256 threads or one subgroup in a workgroup', async () => {

			for ( const workgroupSize of [ 256, SUBGROUP_WIDTH ] ) expect( await repeat( 4 * workgroupSize, 1000, { ...options, workgroupSize, itemsPerThread: 4 }, 1 ) ).toBe( 0 );

		} );

		it( 'gives the same 500 times over several tiles', async () => {

			expect( await repeat( 7 * TILE + 3, 500, { ...SMALL, ...options }, 2 ) ).toBe( 0 );

		} );

		it( 'gives the same 50 times over so many tiles that one workgroup loops over their totals', async () => {

			expect( await repeat( 16_385 * 16, 50, { ...options, workgroupSize: 16, itemsPerThread: 1 }, 3 ) ).toBe( 0 );

		} );

		it( 'scans 1,000,000 floats to the same bits 100 times, near those of f64', async () => {

			const { wrong, error } = await checkFloatScan( renderer, 1_000_000, 100, options );
			expect( wrong ).toBe( 0 );
			expect( error ).toBeLessThan( 1e-5 );

		} );

	} );

} );
