import { afterEach, describe, expect, it } from 'vitest';
import { StorageBufferAttribute } from 'three/webgpu';
import { Fn, instanceIndex, storage, subgroupSize, uint } from 'three/tsl';
import { createRenderer, deviceName, expectNoGpuErrors, readUint32, takeGpuErrors, tick } from '../support/gpu';
import { createGuardedOutput, expectGuardsIntact } from '../support/guard';

const SUBGROUP_WIDTHS: Record<string, number> = { 'swiftshader': 4, 'lavapipe-4': 4, 'lavapipe-8': 8, 'lavapipe-16': 16 };

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

	it( 'has the subgroup width that its name says', async () => {

		const { renderer, device } = await createRenderer();
		expect( device.features.has( 'subgroups' ) ).toBe( true );

		const output = new StorageBufferAttribute( new Uint32Array( 64 ), 1 );
		const target = storage( output, 'uint', 64 );

		renderer.compute( Fn( () => {

			target.element( instanceIndex ).assign( subgroupSize );

		} )().computeKernel( [ 64 ] ), 1 );

		const [ width ] = await readUint32( renderer, output );
		console.log( `${ deviceName }: subgroup width ${ width }` );
		expect( width ).toBe( SUBGROUP_WIDTHS[ deviceName ] ?? width );

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
