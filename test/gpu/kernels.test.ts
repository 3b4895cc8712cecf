import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StorageBufferAttribute, type ComputeNode, type Node, type WebGPURenderer } from 'three/webgpu';
import { expression } from 'three/tsl';
import { ScanPass, type PassOptions } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, takeGpuErrors, tick, type TestGpu } from '../support/gpu';
import { SMALL, SUBGROUP_WIDTH, ScanRig, TAKES_ALL, TILE, ownOperator, readyMade, tileEdges, variant } from '../support/scanMatrix';

const COUNT = 3 * TILE + 7;

describe( `choosing the kernel on ${ deviceName }`, () => {

	afterAll( expectNoGpuErrors );

	/** Runs a scan of ones, which must be right. */
	async function scanOnes( renderer: WebGPURenderer, options: PassOptions = {} ): Promise<ScanPass> {

		const pass = new ScanPass( new StorageBufferAttribute( new Uint32Array( COUNT ).fill( 1 ), 1 ), { ...SMALL, ...options } );
		await pass.init( renderer );
		pass.compute( renderer );
		expect( await pass.read( renderer ) ).toEqual( Uint32Array.from( { length: COUNT }, ( _, i ) => i ) );
		expect( await pass.readTotal( renderer ) ).toBe( COUNT );
		return pass;

	}

	/** The text that a pass runs. */
	function shadersOf( renderer: WebGPURenderer, pass: ScanPass ): string[] {

		const nodes = ( renderer as unknown as { _nodes: { getForCompute( node: ComputeNode ): { computeShader: string } } } )._nodes;
		return pass.nodes.map( ( node ) => nodes.getForCompute( node ).computeShader );

	}

	describe( 'a sound device', () => {

		let renderer: WebGPURenderer, device: GPUDevice;
		beforeAll( async () => { ( { renderer, device } = await createRenderer() ); } );

		it( 'takes subgroups where the device has them, and says so', async () => {

			const pass = await scanOnes( renderer );
			expect( pass.policy ).toMatchObject( { kernel: 'subgroup', subgroupScan: 'native', algorithm: 'reduce-then-scan' } );
			expect( pass.policy.reason ).toMatch( /subgroups/ );
			expect( shadersOf( renderer, pass ).join() ).toMatch( /subgroup(Exclusive|Inclusive)Add/ );
			pass.dispose();

		} );

		it( 'takes shuffles for operators without a native scan', async () => {

			const pass = await scanOnes( renderer, { subgroupScan: 'shuffle' } );
			expect( pass.policy ).toMatchObject( { kernel: 'subgroup', subgroupScan: 'shuffle' } );
			expect( shadersOf( renderer, pass ).join() ).not.toMatch( /subgroup(Exclusive|Inclusive)Add/ );
			pass.dispose();

			const max = new ScanPass( new StorageBufferAttribute( new Uint32Array( 8 ), 1 ), { ...SMALL, monoid: 'max' } );
			await max.init( renderer );
			expect( max.policy ).toMatchObject( { kernel: 'subgroup', subgroupScan: 'shuffle' } );
			max.dispose();

		} );

		it.each( [ [ 0, 0 ], [ 32, 32 ], [ 8, 32 ], [ 128, 128 ] ] )( 'believes no reported widths: %i to %i', async ( subgroupMinSize, subgroupMaxSize ) => {

			for ( const options of [ {}, { subgroupScan: 'shuffle' }, { workgroupSize: SUBGROUP_WIDTH } ] as const ) {

				const pass = await scanOnes( renderer, { kernel: 'subgroup', caps: { subgroupMinSize, subgroupMaxSize }, ...options } );
				pass.dispose();

			}

		} );

		it( 'draws tickets where subgroup_id is missing', async () => {

			const pass = await scanOnes( renderer, { caps: { subgroupId: false } } );
			expect( pass.policy.kernel ).toBe( 'subgroup' );
			expect( shadersOf( renderer, pass ).join() ).not.toMatch( /subgroup_id|subgroup_index/ );
			pass.dispose();

			// operators that do not commute show an order that tickets got wrong
			const rig = await ScanRig.create( renderer, { variant: variant( 'subgroup ticket' ), operator: ownOperator( 'vec4' ), capacity: 8 * TILE } );
			for ( const count of tileEdges( TILE ) ) await rig.check( count );
			rig.dispose();

		} );

		if ( TAKES_ALL ) it( 'takes shared memory on request, by either scan', async () => {

			for ( const sharedMemoryScan of [ 'hillis-steele', 'blelloch' ] as const ) {

				const pass = await scanOnes( renderer, { kernel: 'shared-memory', sharedMemoryScan } );
				expect( pass.policy ).toMatchObject( { kernel: 'shared-memory', sharedMemoryScan } );
				expect( pass.policy.reason ).toMatch( /forced/ );
				expect( shadersOf( renderer, pass ).join() ).not.toMatch( /subgroup\w+\(/ );
				pass.dispose();

			}

		} );

		it( 'checks each kernel once', async () => {

			const compile = vi.spyOn( device, 'createComputePipelineAsync' ), compileNow = vi.spyOn( device, 'createComputePipeline' );
			const submit = vi.spyOn( device.queue, 'submit' );

			const pass = new ScanPass( new StorageBufferAttribute( new Uint32Array( COUNT ), 1 ), SMALL );
			await pass.init( renderer );

			expect( compile.mock.calls.length + compileNow.mock.calls.length ).toBe( pass.nodes.length );
			expect( submit ).not.toHaveBeenCalled();
			vi.restoreAllMocks();
			pass.dispose();

		} );

		it( 'rejects single-pass, which does not exist yet', async () => {

			const pass = new ScanPass( new StorageBufferAttribute( new Uint32Array( 8 ), 1 ), { algorithm: 'single-pass' } );
			await expect( pass.init( renderer ) ).rejects.toMatchObject( { code: 'feature-missing' } );

		} );

	} );

	describe( 'a device without subgroups', () => {

		let renderer: WebGPURenderer;
		beforeAll( async () => { ( { renderer } = await createRenderer( { noSubgroups: true } ) ); } );

		it( 'takes shared memory, and says why', async () => {

			const pass = await scanOnes( renderer );
			expect( pass.policy.kernel ).toBe( 'shared-memory' );
			expect( pass.policy.reason ).toMatch( /subgroups/ );
			pass.dispose();

			if ( ! TAKES_ALL ) return;
			const rig = await ScanRig.create( renderer, { variant: variant( 'hillis-steele' ), operator: readyMade( 'uint', 'add' )!, capacity: 8 * TILE } );
			for ( const count of [ 0, 1, TILE + 1, 8 * TILE ] ) await rig.check( count );
			rig.dispose();

		} );

		it( 'does not fall back from a forced kernel', async () => {

			const pass = new ScanPass( new StorageBufferAttribute( new Uint32Array( 8 ), 1 ), { kernel: 'subgroup' } );
			await expect( pass.init( renderer ) ).rejects.toMatchObject( { name: 'ScanError', code: 'feature-missing' } );
			expect( pass.nodes ).toEqual( [] );

		} );

	} );

	describe( 'a device that computes wrong', () => {

		/** Turns each prefix sum of a subgroup into its total. */
		const wrongSums = ( code: string ): string => code.replace( /subgroup(Exclusive|Inclusive)Add\(/g, 'subgroupAdd(' );

		it( 'is caught, and shared memory takes over with one warning', async () => {

			const { renderer } = await faultyRenderer( wrongSums );
			const warn = vi.spyOn( console, 'warn' ).mockImplementation( () => {} );

			const first = await scanOnes( renderer );
			expect( first.policy.kernel ).toBe( 'shared-memory' );
			expect( first.policy.reason ).toMatch( /self-check/i );
			const second = await scanOnes( renderer );
			expect( second.policy.kernel ).toBe( 'shared-memory' );
			expect( second.policy.reason ).toMatch( /self-check/i );

			expect( warn.mock.calls.map( ( call ) => String( call[ 0 ] ) ) ).toEqual( [ expect.stringMatching( /three-scan|ScanPass/ ) ] );
			vi.restoreAllMocks();

		} );

		it( 'rejects the kernel if it was forced', async () => {

			const { renderer } = await faultyRenderer( wrongSums );
			const pass = new ScanPass( new StorageBufferAttribute( new Uint32Array( COUNT ), 1 ), { ...SMALL, kernel: 'subgroup' } );
			await expect( pass.init( renderer ) ).rejects.toMatchObject( { code: 'self-check-failed', message: expect.stringMatching( /^ScanPass/ ) as string } );
			expect( () => pass.compute( renderer ) ).toThrow( expect.objectContaining( { code: 'not-initialized' } ) as Error );

		} );

		it( 'is caught by operators that take shuffles, too', async () => {

			const { renderer } = await faultyRenderer( ( code ) => code.replace( /subgroupShuffleUp\(\s*([^,]+),[^)]*\)/g, '( $1 )' ) );
			vi.spyOn( console, 'warn' ).mockImplementation( () => {} );

			const pass = await scanOnes( renderer, { subgroupScan: 'shuffle' } );
			expect( pass.policy.kernel ).toBe( 'shared-memory' );
			expect( pass.policy.reason ).toMatch( /self-check/i );
			vi.restoreAllMocks();

		} );

		it( 'has no kernel left if shared memory is wrong, too', async () => {

			const { renderer } = await faultyRenderer( ( code ) => code.replace( /\+/g, '-' ) );
			vi.spyOn( console, 'warn' ).mockImplementation( () => {} );
			vi.spyOn( console, 'error' ).mockImplementation( () => {} );

			const pass = new ScanPass( new StorageBufferAttribute( new Uint32Array( COUNT ), 1 ), { ...SMALL, kernel: 'shared-memory' } );
			await expect( pass.init( renderer ) ).rejects.toMatchObject( { code: 'self-check-failed' } );
			await tick();
			takeGpuErrors();
			vi.restoreAllMocks();

		} );

	} );

	describe( 'a shader that does not compile', () => {

		it( 'falls back from a kernel picked, and rejects one forced', async () => {

			const { renderer } = await faultyRenderer( ( code ) => code.replace( /subgroup(Exclusive|Inclusive)Add\(/g, 'subgroupNoSuchScan(' ) );
			const warn = vi.spyOn( console, 'warn' ).mockImplementation( () => {} );
			vi.spyOn( console, 'error' ).mockImplementation( () => {} );

			const forced = new ScanPass( new StorageBufferAttribute( new Uint32Array( COUNT ), 1 ), { ...SMALL, kernel: 'subgroup' } );
			await expect( forced.init( renderer ) ).rejects.toMatchObject( { code: 'shader-error', message: expect.stringMatching( /subgroupNoSuchScan/ ) as string } );

			const pass = await scanOnes( renderer );
			expect( pass.policy.kernel ).toBe( 'shared-memory' );
			expect( pass.policy.reason ).toMatch( /self-check|compile|shader/i );
			expect( warn.mock.calls.length ).toBe( 1 );

			await tick();
			takeGpuErrors();
			vi.restoreAllMocks();

		} );

		it( 'in every kernel, rejects whatever was picked, and leaves the renderer usable', async () => {

			const { renderer } = await createRenderer();
			vi.spyOn( console, 'error' ).mockImplementation( () => {} );
			vi.spyOn( console, 'warn' ).mockImplementation( () => {} );

			for ( const kernel of [ 'auto', 'subgroup', 'shared-memory' ] as const ) {

				const pass = new ScanPass( ( i ) => ( expression( 'no_such_function()', 'uint' ) as unknown as Node<'uint'> ).add( i ), { ...SMALL, kernel, type: 'uint', count: 8 } );
				await expect( pass.init( renderer ), kernel ).rejects.toMatchObject( { code: 'shader-error', message: expect.stringMatching( /no_such_function/ ) as string } );
				expect( pass.nodes ).toEqual( [] );
				expect( () => pass.policy, 'nothing is reported for a kernel that never ran' ).toThrow();

			}

			await tick();
			takeGpuErrors();
			vi.restoreAllMocks();
			( await scanOnes( renderer ) ).dispose();

		} );

	} );

} );

/** A renderer whose device is given other shaders than it was asked to run: a driver with a fault. */
async function faultyRenderer( change: ( code: string ) => string ): Promise<TestGpu> {

	const gpu = await createRenderer();
	const create = gpu.device.createShaderModule.bind( gpu.device );
	gpu.device.createShaderModule = ( descriptor ) => create( { ...descriptor, code: change( descriptor.code ) } );
	return gpu;

}
