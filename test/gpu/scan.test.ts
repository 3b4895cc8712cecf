import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { ScanPass, ReducePass } from 'three-scan';
import { referenceScan } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

const KERNELS = [ 'subgroup', 'shared-memory' ] as const;

describe( `ScanPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( KERNELS )( 'kernel %s', kernel => {

		it.each( [ 'exclusive', 'inclusive' ] as const )( 'scans ones, %s', async kind => {

			for ( const n of [ 1, 3, 255, 257, 4096, 4097, 30000 ] ) {

				const values = new Uint32Array( n ).map( ( _, i ) => ( i * 7 ) % 13 );
				const pass = new ScanPass( new StorageBufferAttribute( values, 1 ), { kernel, kind } );
				await pass.init( renderer );
				pass.compute( renderer );
				const expected = referenceScan( values, { kind } );
				expect( await pass.read( renderer ), `n ${ n }` ).toEqual( expected.output );
				expect( await pass.readTotal( renderer ) ).toBe( expected.total );
				pass.dispose();

			}

		} );

		it( 'reduces', async () => {

			const values = new Float32Array( 10000 ).map( ( _, i ) => Math.sin( i ) );
			const pass = new ReducePass( new StorageBufferAttribute( values, 1 ), { kernel, monoid: 'min' } );
			await pass.init( renderer );
			pass.compute( renderer );
			expect( await pass.readTotal( renderer ) ).toBe( Math.min( ...values ) );
			pass.dispose();

		} );

	} );

} );
