import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { ReducePass, ScanError, ScanPass, type ScanOptions, type Source } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, tick } from '../support/gpu';
import { SMALL } from '../support/scanMatrix';
import { countCreations, type Creations } from '../support/creations';

const ones = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( length ).fill( 1 ), 1 );

describe( `the life of a pass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	let counts: Creations;

	beforeAll( async () => {

		const gpu = await createRenderer();
		( { renderer } = gpu );
		counts = countCreations( gpu.device );

	} );

	afterEach( () => { vi.restoreAllMocks(); } );
	afterAll( expectNoGpuErrors );

	const make = async ( input: Source = ones( 1000 ), options: ScanOptions = {}, on = renderer ): Promise<ScanPass> => new ScanPass( input, { ...SMALL, ...options } ).init( on );

	describe( 'what it creates', () => {

		it( 'is gone after dispose(), 200 times', async () => {

			const input = ones( 1000 ), output = ones( 1000 ), segments = ones( 1000 ), howMany = ones( 1 );

			// three uploads the user's own buffers on first use, and keeps what they are bound with
			const warm = await make( input, { output } );
			warm.compute( renderer );
			const fed = await make( input, { output, segments, count: howMany } );
			fed.compute( renderer );
			warm.dispose();
			fed.dispose();
			const atRest = counts.live();

			const kept = await make( input );
			const before = counts.live();

			for ( let i = 0; i < 200; i ++ ) {

				const pass = i % 4 === 3 ? await make( input, { output, segments, count: howMany } ) : await make( input );
				pass.compute( renderer );
				if ( i % 20 === 0 ) await pass.readTotal( renderer );
				pass.dispose();

			}

			expect( counts.live() ).toBe( before );
			kept.dispose();
			expect( counts.live() ).toBe( atRest );

		} );

		it( 'is only what the renderer reads by, once each kernel was checked', async () => {

			const input = ones( 1000 );
			const { renderer: fresh, device } = await createRenderer();
			const counts = countCreations( device );

			const run = async ( kernel: 'subgroup' | 'shared-memory' ): Promise<void> => {

				const pass = await make( input, { kernel }, fresh );
				pass.compute( fresh );
				await pass.read( fresh );
				await pass.readTotal( fresh );
				pass.dispose();

			};

			const start = counts.live();
			await run( 'subgroup' );
			const staging = counts.staging();
			expect( staging ).toBeLessThanOrEqual( 3 );
			expect( counts.live() - start ).toBe( staging + 1 );

			await run( 'shared-memory' );
			expect( counts.staging() ).toBe( staging );
			expect( counts.live() - start ).toBe( staging + 1 );

		} );

		it( 'leaves borrowed buffers as they are', async () => {

			const input = ones( 1000 ), output = new StorageBufferAttribute( new Uint32Array( 1000 ), 1 );
			const pass = await make( input, { output } );
			pass.compute( renderer );
			pass.dispose();
			expect( new Uint32Array( await renderer.getArrayBufferAsync( output ) ) ).toEqual( Uint32Array.from( { length: 1000 }, ( _, i ) => i ) );
			expect( new Uint32Array( await renderer.getArrayBufferAsync( input ) ) ).toEqual( new Uint32Array( 1000 ).fill( 1 ) );

		} );

		it( 'is nothing more for any later frame', async () => {

			const scan = await make( ones( 2000 ), { segments: ones( 2000 ) } );
			const sum = await new ReducePass( ones( 2000 ), SMALL ).init( renderer );
			const frame = [ ...scan.nodes, ...sum.nodes ];
			renderer.compute( frame );
			scan.compute( renderer );
			const before = { ...counts.made };

			for ( let i = 0; i < 100; i ++ ) {

				scan.count = 20 * i;
				sum.count = 2000 - 20 * i;
				renderer.compute( frame );
				scan.compute( renderer );
				sum.compute( renderer );

			}

			expect( counts.made ).toEqual( before );
			expect( await sum.readTotal( renderer ) ).toBe( 20 );
			scan.dispose();
			sum.dispose();

		} );

		it( 'is no pipeline when the count changes', async () => {

			const pass = await make( ones( 10_000 ) );
			pass.compute( renderer );
			const { pipelines, modules } = counts.made;
			for ( const n of [ 100, 10_000, 0, 1, 257 ] ) {

				pass.count = n;
				pass.compute( renderer );
				expect( await pass.readTotal( renderer ) ).toBe( n );

			}

			expect( counts.made ).toMatchObject( { pipelines, modules } );
			pass.dispose();

		} );

	} );

	describe( 'init()', () => {

		it( 'does its work once, whoever calls it how often', async () => {

			const pass = new ScanPass( ones( 1000 ), SMALL );
			const results = await Promise.all( [ pass.init( renderer ), pass.init( renderer ) ] );
			expect( results ).toEqual( [ pass, pass ] );
			const before = { ...counts.made }, nodes = [ ...pass.nodes ];

			await pass.init( renderer );
			expect( counts.made ).toEqual( before );
			expect( pass.nodes ).toEqual( nodes );
			pass.dispose();

		} );

		it( 'of several passes at once', async () => {

			const passes = Array.from( { length: 6 }, ( _, i ) => new ScanPass( ones( 300 + i ), { ...SMALL, kernel: i % 2 === 0 ? 'subgroup' : 'shared-memory' } ) );
			await Promise.all( passes.map( ( pass ) => pass.init( renderer ) ) );
			for ( const pass of passes ) pass.compute( renderer );
			expect( await Promise.all( passes.map( ( pass ) => pass.readTotal( renderer ) ) ) ).toEqual( [ 300, 301, 302, 303, 304, 305 ] );
			for ( const pass of passes ) pass.dispose();

		} );

		it( 'names the nodes after the pass', async () => {

			const pass = await make(), named = await make( ones( 8 ), { name: 'Spread' } );
			for ( const node of pass.nodes ) expect( node.name ).toMatch( /^ScanPass/ );
			for ( const node of named.nodes ) expect( node.name ).toMatch( /^Spread/ );
			pass.dispose();
			named.dispose();

		} );

		it( 'brings a disposed pass back, on another renderer too', async () => {

			const pass = await make();
			pass.compute( renderer );
			pass.dispose();

			const { renderer: other } = await createRenderer();
			await pass.init( other );
			pass.count = 10;
			pass.compute( other );
			expect( await pass.read( other ) ).toEqual( Uint32Array.from( { length: 10 }, ( _, i ) => i ) );
			pass.dispose();

		} );

		it( 'that is overtaken by dispose() rejects or is undone', async () => {

			const pass = new ScanPass( ones( 1000 ), SMALL );
			const started = pass.init( renderer ).then( () => 'ready', ( error: unknown ) => ( error as ScanError ).code );
			pass.dispose();
			expect( await started ).toBe( 'disposed' );
			expect( () => pass.compute( renderer ) ).toThrow( ScanError );

		} );

	} );

	describe( 'dispose()', () => {

		it( 'right after compute(), in one tick', async () => {

			const output = new StorageBufferAttribute( new Uint32Array( 1000 ), 1 );
			const pass = await make( ones( 1000 ), { output } );
			pass.compute( renderer );
			pass.dispose();
			expect( new Uint32Array( await renderer.getArrayBufferAsync( output ) )[ 999 ] ).toBe( 999 );

		} );

		it( 'after the renderer\'s', async () => {

			const { renderer: brief } = await createRenderer();
			const pass = await make( ones( 1000 ), {}, brief );
			pass.compute( brief );
			await brief.dispose();
			pass.dispose();
			pass.dispose();

		} );

		it( 'before init(), and twice', () => {

			const pass = new ScanPass( ones( 8 ) );
			pass.dispose();
			pass.dispose();
			expect( () => pass.compute( renderer ) ).toThrow( expect.objectContaining( { code: 'disposed' } ) as Error );

		} );

		it( 'rejects the reads it finds pending', async () => {

			const pass = await make();
			pass.compute( renderer );
			const reads = [ pass.read( renderer ), pass.readTotal( renderer ), pass.read( renderer ), pass.read( renderer ) ];
			const results = Promise.allSettled( reads );
			pass.dispose();

			for ( const result of await results ) expect( result ).toMatchObject( { status: 'rejected', reason: { name: 'ScanError', code: 'disposed' } } );

		} );

	} );

	describe( 'reads', () => {

		it( 'give totals of the frame they were asked in, unawaited', async () => {

			const pass = await make( ones( 2000 ) );
			const totals: Promise<number | number[]>[] = [];

			for ( let i = 0; i < 100; i ++ ) {

				pass.count = 7 * i;
				pass.compute( renderer );
				totals.push( pass.readTotal( renderer ) );

			}

			expect( await Promise.all( totals ) ).toEqual( Array.from( { length: 100 }, ( _, i ) => 7 * i ) );
			pass.dispose();

		} );

		it( 'give arrays of the call for two, and of later for a third', async () => {

			const input = ones( 600 );
			const pass = await make( input );
			const arrays: Promise<ArrayLike<number>>[] = [];

			for ( let i = 1; i <= 4; i ++ ) {

				input.array.fill( i );
				input.needsUpdate = true;
				pass.compute( renderer );
				arrays.push( pass.read( renderer ) );

			}

			const steps = ( await Promise.all( arrays ) ).map( ( values ) => {

				// whatever frame it is of, it is of one frame
				for ( let i = 0; i < 600; i ++ ) expect( values[ i ] ).toBe( values[ 1 ] * i );
				return values[ 1 ];

			} );

			expect( steps.slice( 0, 2 ) ).toEqual( [ 1, 2 ] );
			expect( steps[ 2 ] ).toBeGreaterThanOrEqual( 3 );
			expect( steps[ 3 ] ).toBe( 4 );
			pass.dispose();

		} );

		it( 'need few buffers, 1,000 of them', async () => {

			const pass = await make();
			pass.compute( renderer );
			const before = counts.made.buffers;
			let most = 0;

			for ( let i = 0; i < 500; i ++ ) {

				const [ values, total ] = await Promise.all( [ pass.read( renderer ), pass.readTotal( renderer ) ] );
				if ( values[ 999 ] !== 999 || total !== 1000 ) throw new Error( `Read ${ i } gave ${ values[ 999 ] } and ${ String( total ) }.` );
				most = Math.max( most, counts.made.buffers - before );

			}

			expect( most ).toBeLessThanOrEqual( 3 );

			// a burst may grow the ring for totals, once; arrays have two buffers whatever happens
			await Promise.all( Array.from( { length: 20 }, () => pass.readTotal( renderer ) ) );
			await Promise.all( Array.from( { length: 20 }, () => pass.read( renderer ) ) );
			const grown = counts.made.buffers;
			await Promise.all( Array.from( { length: 20 }, () => pass.readTotal( renderer ) ) );
			await Promise.all( Array.from( { length: 20 }, () => pass.read( renderer ) ) );
			expect( counts.made.buffers ).toBe( grown );
			expect( grown - before ).toBeLessThanOrEqual( 22 );
			pass.dispose();

		}, 120_000 );

		it( 'take the count at the call', async () => {

			const pass = await make();
			pass.count = 10;
			pass.compute( renderer );
			const ten = pass.read( renderer );
			pass.count = 20;
			pass.compute( renderer );
			expect( await ten ).toHaveLength( 10 );
			expect( await pass.read( renderer ) ).toHaveLength( 20 );
			pass.dispose();

		} );

	} );

	describe( 'a lost device', () => {

		it( 'rejects pending reads, and keeps later calls quiet or plain', async () => {

			const { renderer, device } = await createRenderer();
			const pass = await make( ones( 1000 ), {}, renderer );
			pass.compute( renderer );
			const pending = Promise.allSettled( [ pass.read( renderer ), pass.readTotal( renderer ) ] );
			device.destroy();
			await device.lost;

			for ( const result of await pending ) {

				// what had arrived by then may be given
				if ( result.status === 'rejected' ) expect( result.reason ).toMatchObject( { name: 'ScanError', code: 'device-lost' } );

			}

			await tick();

			try {

				pass.compute( renderer );

			} catch ( error ) {

				expect( error ).toMatchObject( { name: 'ScanError', code: 'device-lost' } );

			}

			await expect( pass.read( renderer ) ).rejects.toMatchObject( { name: 'ScanError', code: 'device-lost' } );
			await expect( pass.readTotal( renderer ) ).rejects.toMatchObject( { name: 'ScanError', code: 'device-lost' } );
			await expect( new ScanPass( ones( 8 ) ).init( renderer ) ).rejects.toMatchObject( { name: 'ScanError', code: 'device-lost' } );

			pass.dispose();
			const { renderer: fresh } = await createRenderer();
			await pass.init( fresh );
			pass.compute( fresh );
			expect( await pass.readTotal( fresh ) ).toBe( 1000 );
			pass.dispose();

		} );

	} );

} );
