import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type Node, type StorageBufferNode, type WebGPURenderer } from 'three/webgpu';
import { If, Return, cameraPosition, expression, float, instancedArray, storage, struct, uint, vec2, vec4, workgroupBarrier } from 'three/tsl';
import { ReducePass, ScanError, ScanPass, createMonoid, type MonoidName, type MonoidParameters, type ReduceOptions, type ScanErrorCode, type ScanOptions, type ScanType, type Source } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, takeGpuErrors, tick } from '../support/gpu';
import { SMALL, TILE } from '../support/scanMatrix';
import { refusedBy, wrong } from '../support/refusals';

const says = refusedBy( /^(ScanPass|ReducePass|createMonoid|Monoid '\w+')(: | )/ );

const uints = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( length ).fill( 1 ), 1 );
const floats = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Float32Array( length ).fill( 1 ), 1 );

describe( `what is refused on ${ deviceName }`, () => {

	let renderer: WebGPURenderer, other: WebGPURenderer, withoutSubgroups: WebGPURenderer;
	let touches: string[];

	beforeAll( async () => {

		const gpu = await createRenderer();
		( { renderer } = gpu );
		( { renderer: other } = await createRenderer() );
		( { renderer: withoutSubgroups } = await createRenderer( { noSubgroups: true } ) );
		touches = watch( gpu.device );

		// the self-check of each kernel happens once a device, before the first pass of that kernel is built
		for ( const kernel of [ 'subgroup', 'shared-memory' ] as const ) {

			for ( const monoid of [ 'add', 'max' ] as const ) ( await new ScanPass( uints( 8 ), { ...SMALL, kernel, monoid } ).init( renderer ) ).dispose();

		}

	} );

	afterAll( expectNoGpuErrors );

	/** Runs `act`, which must throw or reject with `code`, by a message that says who, and all of `parts`, with nothing sent to the GPU. */
	async function refuses( act: () => unknown, code: ScanErrorCode, ...parts: ( string | RegExp )[] ): Promise<ScanError> {

		touches.length = 0;
		const error = await says( act, code, ...parts );
		expect( touches, error.message ).toEqual( [] );
		return error;

	}

	const scan = ( input: Source, options?: ScanOptions ) => (): ScanPass => new ScanPass( input, options );
	const start = ( input: Source, options?: ScanOptions, on = renderer ) => (): Promise<ScanPass> => new ScanPass( input, { ...SMALL, ...options } ).init( on );
	const reduce = ( input: Source, options?: ReduceOptions ) => (): Promise<ReducePass> => new ReducePass( input, { ...SMALL, ...options } ).init( renderer );

	describe( 'by the constructor', () => {

		it( 'capacities that are no positive integer', async () => {

			for ( const capacity of [ 0, - 1, 1.5, NaN, Infinity, wrong<number>( '8' ) ] ) {

				await refuses( scan( () => uint( 1 ), { type: 'uint', capacity } ), 'invalid-argument', 'capacity', `got` );
				await refuses( scan( uints( 8 ), { capacity } ), 'invalid-argument', 'capacity', `got` );

			}

			await refuses( scan( new StorageBufferAttribute( new Uint32Array( 0 ), 1 ) ), 'invalid-argument', /got (0|an empty)/ );
			await refuses( scan( uints( 8 ), { capacity: 9 } ), 'invalid-argument', 'capacity', 'got 9', '8' );

		} );

		it( 'counts outside 0 to the capacity', async () => {

			for ( const count of [ - 1, 9, 2.5, NaN, wrong<number>( '3' ), wrong<number>( null ) ] ) await refuses( scan( uints( 8 ), { count } ), 'invalid-argument', 'count', 'got' );
			await refuses( scan( uints( 8 ), { count: 9 } ), 'invalid-argument', '8', 'got 9' );
			await refuses( scan( uints( 8 ), { count: floats( 1 ) } ), 'invalid-argument', 'count' );

		} );

		it( 'closures without a type, or without a capacity', async () => {

			await refuses( scan( () => uint( 1 ), { count: 8 } ), 'invalid-argument', 'type' );
			await refuses( scan( () => uint( 1 ), { type: 'uint' } ), 'invalid-argument', 'capacity' );
			await refuses( scan( () => uint( 1 ), { type: 'uint', count: uints( 1 ) } ), 'invalid-argument', 'capacity' );

		} );

		it( 'inputs that are no buffer of a scan type', async () => {

			const record = struct( { a: 'uint', b: 'float' } );
			const structs = storage as unknown as ( attribute: StorageBufferAttribute, type: object, count: number ) => StorageBufferNode<unknown>;

			await refuses( scan( wrong( undefined ) ), 'invalid-argument', 'got undefined' );
			await refuses( scan( wrong( new Uint32Array( 8 ) ) ), 'invalid-argument', 'got Uint32Array' );
			await refuses( scan( new StorageBufferAttribute( new Uint8Array( 8 ), 1 ) ), 'invalid-argument', /Uint8Array|8-/ );
			await refuses( scan( new StorageBufferAttribute( new Int16Array( 8 ), 1 ) ), 'invalid-argument', /Int16Array|16-/ );
			await refuses( scan( new StorageBufferAttribute( new Float32Array( 64 ), 16 ) ), 'invalid-argument', /16|mat4/ );
			await refuses( scan( wrong( instancedArray( 4, wrong( 'mat4' ) ) ) ), 'invalid-argument', 'mat4' );
			await refuses( scan( structs( new StorageBufferAttribute( new Uint32Array( 8 ), 2 ), record, 4 ) ), 'invalid-argument' );

		} );

		it( 'types that are not the buffer\'s', async () => {

			await refuses( scan( uints( 8 ), { type: 'float' } ), 'invalid-argument', 'float', /uint/i );
			await refuses( scan( floats( 8 ), { type: 'int' } ), 'invalid-argument', 'int', /float/i );
			await refuses( scan( floats( 8 ), { type: 'vec2' } ), 'invalid-argument', 'vec2', /float|1/ );
			await refuses( scan( instancedArray( 8, 'vec2' ), { type: 'vec4' } ), 'invalid-argument', 'vec4', /got (vec)?2/ );
			await refuses( scan( uints( 8 ), { type: wrong<ScanType>( 'bool' ) } ), 'invalid-argument', 'bool' );
			await refuses( scan( uints( 8 ), { type: wrong<ScanType>( 'mat2' ) } ), 'invalid-argument', 'mat2' );

		} );

		it( 'outputs that are too small or of another type', async () => {

			await refuses( scan( uints( 8 ), { output: uints( 7 ) } ), 'invalid-argument', 'output', '8', 'got 7' );
			await refuses( scan( uints( 8 ), { output: floats( 8 ) } ), 'invalid-argument', 'output', 'uint', /float/i );
			await refuses( scan( floats( 8 ), { output: new StorageBufferAttribute( new Float32Array( 16 ), 2 ) } ), 'invalid-argument', 'output', 'float', /vec2|2/ );
			await refuses( scan( uints( 8 ), { output: wrong( new Uint32Array( 8 ) ) } ), 'invalid-argument', 'output', 'got' );

		} );

		it( 'segments that are too short or no flags', async () => {

			await refuses( scan( uints( 8 ), { segments: uints( 7 ) } ), 'invalid-argument', 'segments', '8', 'got 7' );
			await refuses( scan( uints( 8 ), { segments: wrong( true ) } ), 'invalid-argument', 'segments', 'got true' );
			await refuses( () => new ReducePass( uints( 8 ), { segments: uints( 7 ) } ), 'invalid-argument', /^ReducePass/, 'segments', 'got 7' );

		} );

		it( 'monoids that do not fit', async () => {

			const affine = createMonoid( { type: 'vec2', identity: [ 1, 0 ], combine: ( a ) => a, combineReference: ( a ) => a } );

			await refuses( scan( uints( 8 ), { monoid: wrong<MonoidName>( 'sum' ) } ), 'invalid-argument', 'monoid', 'got \'sum\'' );
			await refuses( scan( floats( 8 ), { monoid: 'bitAnd' } ), 'invalid-argument', 'bitAnd', 'float' );
			await refuses( scan( floats( 8 ), { monoid: affine } ), 'invalid-argument', 'vec2', 'float' );
			await refuses( scan( uints( 8 ), { monoid: wrong( { type: 'uint', identity: 0 } ) } ), 'invalid-argument', 'monoid' );

		} );

		it( 'initial values of another length or range', async () => {

			await refuses( scan( uints( 8 ), { initial: [ 1, 2 ] } ), 'invalid-argument', 'initial', 'got' );
			await refuses( scan( uints( 8 ), { initial: - 1 } ), 'invalid-argument', 'initial', 'got' );
			await refuses( scan( uints( 8 ), { initial: 0.5 } ), 'invalid-argument', 'initial', 'got' );
			await refuses( scan( new StorageBufferAttribute( new Float32Array( 8 ), 2 ), { initial: 1 } ), 'invalid-argument', 'initial', 'got 1' );
			await refuses( scan( new StorageBufferAttribute( new Float32Array( 8 ), 2 ), { initial: [ 1 ] } ), 'invalid-argument', 'initial' );
			await refuses( scan( floats( 8 ), { initial: wrong<number>( '1' ) } ), 'invalid-argument', 'initial' );

		} );

		it( 'kinds that do not exist', async () => {

			await refuses( scan( uints( 8 ), { kind: wrong( 'sideways' ) } ), 'invalid-argument', 'kind', 'exclusive', 'got \'sideways\'' );

		} );

	} );

	describe( 'by createMonoid', () => {

		const make = ( parameters: object ) => () => createMonoid( { type: 'vec2', identity: [ 1, 0 ], combine: ( a: Node ) => a, combineReference: ( a: number[] ) => a, ...parameters } as MonoidParameters );

		it( 'identities of the wrong length', async () => {

			await refuses( make( { identity: [ 1, 0, 0 ] } ), 'invalid-argument', /^createMonoid/, 'identity', 'vec2', '2 numbers', 'got' );
			await refuses( make( { identity: 1 } ), 'invalid-argument', 'identity', 'got 1' );
			await refuses( make( { type: 'float' } ), 'invalid-argument', 'identity', 'float' );
			await refuses( make( { identity: [ 1, NaN ] } ), 'invalid-argument', 'identity' );
			await refuses( make( { type: 'uvec2', identity: [ 1, - 1 ] } ), 'invalid-argument', 'identity', '-1' );

		} );

		it( 'unknown types, missing functions, unknown subgroup scans', async () => {

			await refuses( make( { type: 'mat2' } ), 'invalid-argument', 'type', 'mat2' );
			await refuses( make( { combine: undefined } ), 'invalid-argument', /combine\b/, 'got undefined' );
			await refuses( make( { combineReference: 'a + b' } ), 'invalid-argument', 'combineReference', 'got' );
			await refuses( make( { subgroup: 'max' } ), 'invalid-argument', 'subgroup', 'got \'max\'' );

		} );

	} );

	describe( 'by init()', () => {

		it( 'workgroup sizes and items that no device has', async () => {

			for ( const workgroupSize of [ 300, 0, - 64, 48, 1.5, NaN ] ) await refuses( start( uints( 8 ), { workgroupSize } ), 'invalid-argument', 'workgroupSize', 'power of two', `got ${ workgroupSize }` );
			for ( const itemsPerThread of [ 0, - 4, 1.5, 1e6 ] ) await refuses( start( uints( 8 ), { itemsPerThread } ), 'invalid-argument', 'itemsPerThread', `got ${ itemsPerThread }` );
			await refuses( start( uints( 8 ), { workgroupSize: 65536 } ), 'limit-exceeded', 'workgroupSize', 'maxComputeInvocationsPerWorkgroup', 'requiredLimits', '65536' );
			await refuses( start( uints( 8 ), { workgroupSize: 256, caps: { maxComputeInvocationsPerWorkgroup: 128 } } ), 'limit-exceeded', '128', '256', 'requiredLimits' );

		} );

		it( 'kernels that do not exist, or do not exist yet', async () => {

			await refuses( start( uints( 8 ), { kernel: wrong( 'warp' ) } ), 'invalid-argument', 'kernel', 'got \'warp\'' );
			await refuses( start( uints( 8 ), { sharedMemoryScan: wrong( 'sklansky' ) } ), 'invalid-argument', 'sharedMemoryScan', 'got \'sklansky\'' );
			await refuses( start( uints( 8 ), { subgroupScan: wrong( 'fast' ) } ), 'invalid-argument', 'subgroupScan', 'got \'fast\'' );
			await refuses( start( uints( 8 ), { algorithm: wrong( 'magic' ) } ), 'invalid-argument', 'algorithm', 'got \'magic\'' );

		} );

		it( 'forced kernels that the device can not run', async () => {

			await refuses( start( uints( 8 ), { kernel: 'subgroup' }, withoutSubgroups ), 'feature-missing', 'subgroup', 'device' );
			await refuses( start( uints( 8 ), { kernel: 'subgroup', caps: { subgroups: false } } ), 'feature-missing', 'subgroups' );
			await refuses( start( uints( 8 ), { kernel: 'subgroup', subgroupScan: 'native', monoid: 'max' } ), 'feature-missing', 'native' );
			await refuses( start( uints( 8 ), { kernel: 'subgroup', subgroupScan: 'native', segments: uints( 8 ) } ), 'feature-missing', 'native' );

		} );

		it( 'more workgroups than three dimensions hold', async () => {

			const caps = { maxComputeWorkgroupsPerDimension: 2 };
			await refuses( start( uints( 9 * TILE ), { caps } ), 'limit-exceeded', 'maxComputeWorkgroupsPerDimension', '9', '8', '2', 'requiredLimits' );
			await refuses( start( uints( 9 * TILE ), { caps, count: uints( 1 ) } ), 'limit-exceeded', 'maxComputeWorkgroupsPerDimension', 'requiredLimits' );

		} );

		it( 'buffers above the binding limit', async () => {

			await refuses( start( uints( 33_554_433 ) ), 'limit-exceeded', 'maxStorageBufferBindingSize', '134217728', '134217732', 'requiredLimits' );
			await refuses( reduce( uints( 33_554_433 ) ), 'limit-exceeded', /^ReducePass/, 'maxStorageBufferBindingSize', '134217732', 'requiredLimits' );
			await refuses( start( uints( 1024 ), { caps: { maxStorageBufferBindingSize: 4092 } } ), 'limit-exceeded', '4092', '4096', 'maxStorageBufferBindingSize' );
			await refuses( start( uints( 1024 ), { caps: { maxBufferSize: 4092 } } ), 'limit-exceeded', '4092', '4096', 'maxBufferSize' );

		} );

		it( 'more storage buffers than a stage or a closure has', async () => {

			const nodes = Array.from( { length: 9 }, () => storage( uints( 8 ), 'uint', 8 ).toReadOnly() );
			const sumOf = ( count: number ): Source => ( i ) => nodes.slice( 0, count ).map( ( node ) => node.element( i ) as unknown as Node<'uint'> ).reduce( ( a, b ) => a.add( b ) );

			await refuses( start( sumOf( 9 ), { type: 'uint', count: 8 } ), 'limit-exceeded', 'maxStorageBuffersPerShaderStage', '8', 'requiredLimits' );
			await refuses( reduce( sumOf( 9 ), { type: 'uint', count: 8 } ), 'limit-exceeded', 'maxStorageBuffersPerShaderStage', '8', 'requiredLimits' );
			await refuses( start( sumOf( 4 ), { type: 'uint', count: 8, caps: { maxStorageBuffersPerShaderStage: 4 } } ), 'limit-exceeded', 'maxStorageBuffersPerShaderStage', 'requiredLimits' );

			// four are fine with all the pass's own: two dispatches, a GPU count, segments
			const flags = storage( uints( 8 ), 'uint', 8 ).toReadOnly();
			const pass = await start( sumOf( 3 ), { type: 'uint', capacity: 1000, count: new StorageBufferAttribute( new Uint32Array( [ 8 ] ), 1 ), segments: ( i ) => ( flags.element( i ) as unknown as Node<'uint'> ).mul( 0 ) } )();
			pass.compute( renderer );
			expect( await pass.readTotal( renderer ) ).toBe( 24 );
			pass.dispose();

		} );

		it( 'closures of another type', async () => {

			await refuses( start( () => float( 1 ), { type: 'uint', count: 8 } ), 'invalid-argument', 'uint', /got.*float/ );
			await refuses( start( ( i ) => vec2( i.toFloat(), 1 ), { type: 'vec4', count: 8 } ), 'invalid-argument', 'vec4', /got.*vec2/ );
			await refuses( start( () => wrong<Node>( undefined ), { type: 'uint', count: 8 } ), 'invalid-argument', 'got undefined' );
			await refuses( start( uints( 8 ), { segments: () => vec4( 1, 0, 0, 0 ) } ), 'invalid-argument', 'segments', 'vec4' );
			await refuses( reduce( () => float( 1 ), { type: 'uint', count: 8 } ), 'invalid-argument', /^ReducePass/, /got.*float/ );

		} );

		it( 'closures with Return() or a barrier', async () => {

			await refuses( start( ( i ) => {

				If( i.greaterThan( 3 ), () => { Return(); } );
				return i;

			}, { type: 'uint', count: 8 } ), 'invalid-argument', 'Return' );

			await refuses( start( ( i ) => {

				workgroupBarrier();
				return i;

			}, { type: 'uint', count: 8 } ), 'invalid-argument', 'workgroupBarrier' );

			await refuses( start( uints( 8 ), { segments: ( i ) => {

				If( i.greaterThan( 3 ), () => { Return(); } );
				return i;

			} } ), 'invalid-argument', 'Return' );

		} );

		it( 'closures that use a camera', async () => {

			await refuses( start( () => cameraPosition.x, { type: 'float', count: 8 } ), 'invalid-argument', /camera/i, 'uniforms' );
			await refuses( start( uints( 8 ), { segments: () => cameraPosition.x.greaterThan( 0 ).select( uint( 1 ), uint( 0 ) ) } ), 'invalid-argument', /camera/i, 'uniforms' );
			await refuses( reduce( () => cameraPosition.x, { type: 'float', count: 8 } ), 'invalid-argument', /^ReducePass/, /camera/i, 'uniforms' );

		} );

		it( 'operators with Return()', async () => {

			const combine = ( a: Node<'uint'>, b: Node<'uint'> ): Node => {

				If( a.greaterThan( b ), () => { Return(); } );
				return a.add( b );

			};

			for ( const kernel of [ 'subgroup', 'shared-memory' ] as const ) await refuses( start( uints( 8 ), { kernel, monoid: createMonoid( { type: 'uint', identity: 0, combine, combineReference: ( a ) => a } ) } ), 'invalid-argument', 'Return' );

		} );

		it( 'operators of another type', async () => {

			const returning = ( combine: () => Node ) => createMonoid( { type: 'uint', identity: 0, combine, combineReference: ( a ) => a } );

			await refuses( start( uints( 8 ), { monoid: returning( () => float( 1 ) ) } ), 'invalid-argument', 'uint', /got.*float/ );
			await refuses( start( uints( 8 ), { monoid: returning( () => vec2( 1, 2 ) ), kernel: 'shared-memory' } ), 'invalid-argument', 'uint', /got.*vec2/ );
			await refuses( start( uints( 8 ), { monoid: returning( () => wrong<Node>( undefined ) ) } ), 'invalid-argument', 'got undefined' );

		} );

		it( 'before the self-check, on a device that has run nothing yet', async () => {

			const caps = { maxComputeWorkgroupsPerDimension: 2 };
			const monoid = createMonoid( { type: 'uint', identity: 0, combine: () => vec2( 1, 2 ), combineReference: ( a ) => a } );

			const asked: [ Source, ScanOptions, ScanErrorCode ][] = [
				[ uints( 9 * TILE ), { caps }, 'limit-exceeded' ],
				[ uints( 1024 ), { caps: { maxStorageBufferBindingSize: 4092 } }, 'limit-exceeded' ],
				[ uints( 8 ), { workgroupSize: 65536 }, 'limit-exceeded' ],
				[ uints( 8 ), { segments: () => vec4( 1, 0, 0, 0 ) }, 'invalid-argument' ],
				[ () => float( 1 ), { type: 'uint', count: 8 }, 'invalid-argument' ],
				[ uints( 8 ), { monoid }, 'invalid-argument' ],
			];

			const fresh = await createRenderer();
			const before = touches;
			touches = watch( fresh.device );

			for ( const kernel of [ 'auto', 'shared-memory' ] as const ) {

				for ( const [ input, options, code ] of asked ) await refuses( start( input, { ...options, kernel }, fresh.renderer ), code );

			}

			touches = before;

		} );

		it( 'what no compiler takes, with its message', async () => {

			for ( const kernel of [ 'subgroup', 'shared-memory', 'auto' ] as const ) {

				const pass = new ScanPass( () => expression( 'no_such_function()', 'uint' ), { type: 'uint', count: 8, kernel, ...SMALL } );
				await expect( pass.init( renderer ) ).rejects.toMatchObject( { code: 'shader-error', message: expect.stringMatching( /^ScanPass[\s\S]*no_such_function/ ) as string } );
				expect( () => pass.compute( renderer ) ).toThrow( ScanError );
				pass.dispose();

			}

			await tick();
			takeGpuErrors();

		} );

		it( 'the renderer stays usable', async () => {

			const pass = await start( uints( 1000 ) )();
			pass.compute( renderer );
			expect( await pass.read( renderer ) ).toEqual( Uint32Array.from( { length: 1000 }, ( _, i ) => i ) );
			pass.dispose();

		} );

	} );

	describe( 'by renderers', () => {

		it( 'that have no WebGPU', async () => {

			const webgl = Object.create( renderer, { backend: { value: { isWebGLBackend: true } }, initialized: { value: true } } ) as WebGPURenderer;
			await refuses( start( uints( 8 ), {}, webgl ), 'webgpu-required', 'WebGPU' );

		} );

		it( 'that are not initialised', async () => {

			const { WebGPURenderer } = await import( 'three/webgpu' );
			const { createCanvas } = await import( '../support/gpu' );
			await refuses( start( uints( 8 ), {}, new WebGPURenderer( { canvas: createCanvas() } ) ), 'not-initialized', 'init' );

		} );

		it( 'that are none', async () => {

			await refuses( start( uints( 8 ), {}, wrong( null ) ), 'invalid-argument', 'WebGPURenderer', 'got null' );

		} );

		it( 'that are not the pass\'s', async () => {

			const pass = await start( uints( 8 ) )();
			pass.compute( renderer );
			await refuses( () => pass.compute( other ), 'invalid-argument', 'renderer' );
			await refuses( () => pass.read( other ), 'invalid-argument', 'renderer' );
			await refuses( () => pass.readTotal( other ), 'invalid-argument', 'renderer' );
			await refuses( () => pass.init( other ), 'invalid-argument', 'renderer' );
			expect( await pass.readTotal( renderer ) ).toBe( 8 );
			pass.dispose();

		} );

	} );

	describe( 'out of order', () => {

		it( 'runs and reads before init()', async () => {

			const pass = new ScanPass( uints( 8 ) );
			expect( pass.nodes ).toEqual( [] );
			await refuses( () => pass.compute( renderer ), 'not-initialized', 'init' );
			await refuses( () => pass.read( renderer ), 'not-initialized', 'init' );
			await refuses( () => pass.readTotal( renderer ), 'not-initialized', 'init' );

			const sum = new ReducePass( uints( 8 ) );
			await refuses( () => sum.compute( renderer ), 'not-initialized', /^ReducePass/ );
			await refuses( () => sum.readTotal( renderer ), 'not-initialized', /^ReducePass/ );

		} );

		it( 'runs and reads after dispose(), until a new init()', async () => {

			const pass = await start( uints( 8 ) )();
			pass.compute( renderer );
			pass.dispose();
			pass.dispose();
			await refuses( () => pass.compute( renderer ), 'disposed' );
			await refuses( () => pass.read( renderer ), 'disposed' );
			await refuses( () => pass.readTotal( renderer ), 'disposed' );

			await pass.init( renderer );
			pass.compute( renderer );
			expect( await pass.readTotal( renderer ) ).toBe( 8 );
			pass.dispose();

		} );

		it( 'counts above the capacity, and numbers for buffers', async () => {

			const pass = await start( uints( 8 ) )();
			for ( const count of [ 9, - 1, 0.5, NaN ] ) await refuses( () => { pass.count = count; }, 'invalid-argument', 'count', '8', `got ${ count }` );
			await refuses( () => { pass.count = uints( 1 ); }, 'invalid-argument', 'count' );
			expect( pass.count ).toBe( 8 );
			pass.compute( renderer );
			expect( await pass.readTotal( renderer ) ).toBe( 8 );
			pass.dispose();

			const fed = await start( uints( 8 ), { count: uints( 1 ) } )();
			await refuses( () => { fed.count = 3; }, 'invalid-argument', 'count', 'got 3' );
			fed.compute( renderer );
			expect( await fed.readTotal( renderer ) ).toBe( 1 );
			fed.dispose();

		} );

	} );

} );

/** Names of the calls that made something on the device or sent something to it, from now on. */
function watch( device: GPUDevice ): string[] {

	const calls: string[] = [];

	for ( const name of [ 'createBuffer', 'createTexture', 'createShaderModule', 'createComputePipeline', 'createComputePipelineAsync', 'createBindGroup' ] as const ) {

		const create = device[ name ].bind( device ) as ( descriptor: object ) => never;
		device[ name ] = ( descriptor: object ) => {

			calls.push( name );
			return create( descriptor );

		};

	}

	const submit = device.queue.submit.bind( device.queue );
	device.queue.submit = ( buffers ) => {

		calls.push( 'submit' );
		return submit( buffers );

	};

	return calls;

}
