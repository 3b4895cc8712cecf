import { afterEach, describe, expect, it } from 'vitest';
import { StorageBufferAttribute } from 'three/webgpu';
import { Fn, instanceIndex, storage, subgroupSize, uint } from 'three/tsl';
import { createRenderer, deviceName, expectNoGpuErrors, readUint32, takeGpuErrors, tick } from '../support/gpu';
import { createGuardedOutput, expectGuardsIntact } from '../support/guard';

const EXPECTED: Record<string, { driver: RegExp, subgroupWidth: number }> = {
	'swiftshader': { driver: /swiftshader/i, subgroupWidth: 4 },
	'lavapipe-4': { driver: /llvmpipe/i, subgroupWidth: 4 },
	'lavapipe-8': { driver: /llvmpipe/i, subgroupWidth: 8 },
	'lavapipe-16': { driver: /llvmpipe/i, subgroupWidth: 16 },
};

describe( `the device under test: ${ deviceName }`, () => {

	afterEach( expectNoGpuErrors );

	it( 'runs a TSL kernel and writes nothing past the range', async () => {

		const { renderer } = await createRenderer();
		const count = 1000;
		const output = createGuardedOutput( 'uint', count );
		const target = storage( output, 'uint', count );

		renderer.compute( Fn( () => {

			target.element( instanceIndex ).assign( instanceIndex.mul( instanceIndex ).add( uint( 7 ) ) );

		} )().compute( count ) );

		const words = await readUint32( renderer, output );
		expect( [ ...words.subarray( 0, count ) ] ).toEqual( Array.from( { length: count }, ( _, i ) => i * i + 7 ) );
		await expectGuardsIntact( renderer, output, count );

	} );

	it( 'is the driver that its name says, with its subgroup width', async () => {

		const { renderer, device, adapter } = await createRenderer();
		expect( device.features.has( 'subgroups' ) ).toBe( true );

		const output = new StorageBufferAttribute( new Uint32Array( 64 ), 1 );
		const target = storage( output, 'uint', 64 );

		renderer.compute( Fn( () => {

			target.element( instanceIndex ).assign( subgroupSize );

		} )().computeKernel( [ 64 ] ), 1 );

		const [ width ] = await readUint32( renderer, output );
		const { vendor, architecture, device: model, description } = adapter.info;
		const driver = [ vendor, architecture, model, description ].join( ' ' );
		console.log( `${ deviceName }: ${ driver }, subgroup width ${ width }` );

		const expected = EXPECTED[ deviceName ] ?? { driver: /./, subgroupWidth: width };
		expect( driver ).toMatch( expected.driver );
		expect( width ).toBe( expected.subgroupWidth );

	} );

	it( 'can be had without the subgroups feature', async () => {

		const { renderer, device } = await createRenderer( { noSubgroups: true } );
		expect( device.features.has( 'subgroups' ) ).toBe( false );
		expect( renderer.hasFeature( 'subgroups' ) ).toBe( false );

	} );

	it( 'reports errors that nobody asked for', async () => {

		const { device } = await createRenderer();
		device.createBuffer( { size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE } );
		await tick();

		expect( takeGpuErrors() ).toHaveLength( 1 );

	} );

} );
