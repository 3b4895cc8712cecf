import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StorageBufferAttribute, type ComputeNode, type Node, type WebGPURenderer } from 'three/webgpu';
import { Fn, instanceIndex, storage, uint, workgroupArray } from 'three/tsl';
import { CompactPass, IndirectDispatch, PartitionPass, ReducePass, ScanPass, type ComputePass, type MonoidName, type PassOptions, type Source } from 'three-scan';
import { linearWorkgroupId, subgroupScan, upperBound, workgroupReduce, workgroupScan, workgroupUniformLoad, type WorkgroupScanOptions } from 'three-scan/tsl';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { IS_LONG, SMALL, TAKES_ALL, TILE, VARIANTS, optionsFor, ownOperator, readyMade } from '../support/scanMatrix';
import { lintWgsl } from '../support/wgslLint';

describe( 'the lint', () => {

	const kernel = ( body: string, head = '' ): string => `${ head }\n@compute @workgroup_size( 64 ) fn main( @builtin( local_invocation_index ) t : u32, @builtin( subgroup_size ) size : u32 ) { ${ body } }`;

	it.each( [
		[ 'a pointer to storage', kernel( '', 'fn f( a : ptr<storage, array<u32>, read_write> ) {}' ), /f: a parameter points to storage/ ],
		[ 'a pointer to workgroup memory', kernel( '', 'fn f( n : u32, a : ptr< workgroup, array< u32, 4 > > ) -> u32 { return n; }' ), /f: a parameter points to workgroup/ ],
		[ 'nine storage buffers', Array.from( { length: 9 }, ( _, i ) => `@group( 0 ) @binding( ${ i } ) var<storage, read> b${ i } : array<u32>;` ).join( '\n' ), /9 storage buffers/ ],
		[ 'a barrier under a branch', kernel( 'if ( t < 3u ) { workgroupBarrier(); }' ), /main: workgroupBarrier under .*if \( \( t < 3u \) \)/ ],
		[ 'a barrier in an else', kernel( 'if ( t < 3u ) { } else { storageBarrier(); }' ), /storageBarrier under/ ],
		[ 'a barrier after else if', kernel( 'if ( size == 4u ) { } else if ( t == 1u ) { } else { workgroupBarrier(); }' ), /workgroupBarrier under/ ],
		[ 'a barrier deep inside', kernel( 'if ( t < 3u ) { for ( var i = 0u; i < 4u; i++ ) { if ( i == 2u ) { workgroupBarrier(); } } }' ), /workgroupBarrier under/ ],
		[ 'a barrier in a loop from the thread\'s index', kernel( 'for ( var i = t; i < 64u; i += 64u ) { workgroupBarrier(); }' ), /workgroupBarrier under.*loop/ ],
		[ 'a barrier in a loop to a variable', kernel( 'var n = t; for ( var i = 0u; i < n; i++ ) { workgroupBarrier(); }' ), /workgroupBarrier under.*loop/ ],
		[ 'a barrier in a loop whose counter is written', kernel( 'for ( var i = 0u; i < 8u; i++ ) { workgroupBarrier(); i += t; }' ), /workgroupBarrier under.*loop/ ],
		[ 'a barrier in a while', kernel( 'var n = t; while ( n > 0u ) { workgroupBarrier(); n--; }' ), /workgroupBarrier under.*loop/ ],
		[ 'a barrier in a switch', kernel( 'switch ( t ) { case 0u: { workgroupBarrier(); } default: { } }' ), /workgroupBarrier under.*switch/ ],
		[ 'a barrier called under a branch', kernel( 'if ( t == 0u ) { g(); }', 'fn g() { f(); } fn f() { workgroupBarrier(); }' ), /main: g under/ ],
		[ 'a uniform load under a branch', kernel( 'if ( t == 0u ) { let x = workgroupUniformLoad( &m ); }' ), /workgroupUniformLoad under/ ],
		[ 'a return before a barrier', kernel( 'if ( t == 0u ) { return; } workgroupBarrier();' ), /a return before a barrier/ ],
		[ 'a break from a loop with a barrier', kernel( 'loop { if ( t == 1u ) { break; } workgroupBarrier(); }' ), /a break under/ ],
		[ 'a continue in a loop with a barrier', kernel( 'for ( var i = 0u; i < 4u; i++ ) { if ( t == i ) { continue; } workgroupBarrier(); }' ), /a continue under/ ],
	] )( 'flags %s', ( _, code, message ) => {

		expect( lintWgsl( code ) ).toEqual( [ expect.stringMatching( message ) ] );

	} );

	it.each( [
		[ 'barriers at top level, after branches without one', kernel( 'if ( t < 3u ) { m[ t ] = 1u; } workgroupBarrier(); { workgroupBarrier(); }' ) ],
		[ 'loops over constants and their counters', kernel( 'for ( var i : u32 = 1u; i < 64u; i <<= 1u ) { workgroupBarrier(); if ( t < i ) { m[ t ] += m[ i ]; } workgroupBarrier(); for ( var j = i; j > 0u; j >>= 1u ) { workgroupBarrier(); } }' ) ],
		[ 'branches by the subgroup size', kernel( 'if ( 64u % size == 0u ) { workgroupBarrier(); } else { workgroupBarrier(); }' ) ],
		[ 'returns behind all barriers, and in other functions', kernel( 'workgroupBarrier(); if ( t > 0u ) { return; } m[ 0 ] = f();', 'fn f() -> u32 { return 1u; }' ) ],
		[ 'breaks from loops without barriers', kernel( 'loop { if ( t == 1u ) { break; } } workgroupBarrier();' ) ],
		[ 'barriers in comments', kernel( '/* if ( t == 0u ) { workgroupBarrier(); } */ if ( t == 0u ) { // workgroupBarrier();\n }' ) ],
		[ 'pointers to function memory', kernel( '', 'fn f( a : ptr<function, u32> ) {}' ) ],
		[ 'eight storage buffers', Array.from( { length: 8 }, ( _, i ) => `@group( 0 ) @binding( ${ i } ) var<storage, read> b${ i } : array<u32>;` ).join( '\n' ) ],
	] )( 'lets pass %s', ( _, code ) => {

		expect( lintWgsl( code ) ).toEqual( [] );

	} );

} );

// the text does not depend on the subgroup width
if ( TAKES_ALL ) describe( `generated WGSL on ${ deviceName }`, () => {

	let renderer: WebGPURenderer, withoutSubgroups: WebGPURenderer;
	let shaders: Map<string, string>;

	/** Everything that the devices compile, self-checks included, by its text. */
	function record( device: GPUDevice ): void {

		const create = device.createShaderModule.bind( device );

		device.createShaderModule = ( descriptor ) => {

			shaders.set( descriptor.code, descriptor.label ?? '' );
			return create( descriptor );

		};

	}

	beforeAll( async () => {

		shaders = new Map();
		const sound = await createRenderer(), plain = await createRenderer( { noSubgroups: true } );
		renderer = sound.renderer;
		withoutSubgroups = plain.renderer;
		record( sound.device );
		record( plain.device );

	} );

	afterAll( expectNoGpuErrors );

	/** Has the kernel that `options` picks checked, which really runs it. */
	async function selfCheck( options: PassOptions, on = renderer ): Promise<void> {

		const compactOptions = { ...options, itemsPerThread: undefined };
		const passes: ComputePass[] = [ new ScanPass( uints( 8 ), options ), new CompactPass( 8, ( i ) => i.equal( 0 ), compactOptions ) ];
		if ( options.subgroupScan !== 'native' ) passes.push( new ScanPass( uints( 8 ), { ...options, monoid: 'max' } ) );
		for ( const pass of passes ) ( await pass.init( on ) ).dispose();

	}

	/** Readies passes whose kernel was checked, and lints all that was compiled for them. None runs, so that they can do with any pipeline. */
	async function check( passes: ComputePass[], on = renderer, look: ( pass: ComputePass ) => void = () => {} ): Promise<void> {

		const { device } = ( on as unknown as { backend: { device: GPUDevice } } ).backend;
		const module = device.createShaderModule( { code: '@compute @workgroup_size( 1 ) fn main() {}' } );
		const pipeline = device.createComputePipeline( { layout: 'auto', compute: { module } } );
		vi.spyOn( device, 'createComputePipelineAsync' ).mockResolvedValue( pipeline );
		vi.spyOn( device, 'createComputePipeline' ).mockReturnValue( pipeline );
		const submit = vi.spyOn( device.queue, 'submit' );

		try {

			for ( const pass of passes ) await pass.init( on );
			expect( submit ).not.toHaveBeenCalled();

		} finally {

			vi.restoreAllMocks();

		}

		const texts = new Set( passes.flatMap( ( pass ) => pass.nodes.map( ( node ) => shaderOf( on, node ) ) ) );
		lintAll( texts );

		for ( const pass of passes ) {

			look( pass );
			pass.dispose();

		}

	}

	/** Lints what was recorded, which must be at least `texts`. */
	function lintAll( texts: Set<string> ): void {

		for ( const text of texts ) expect( shaders.has( text ) ).toBe( true );
		for ( const [ text, label ] of shaders ) expect( lintWgsl( text ), `${ label }\n${ text }` ).toEqual( [] );

	}

	function shaderOf( on: WebGPURenderer, node: ComputeNode ): string {

		return ( on as unknown as { _nodes: { getForCompute( node: ComputeNode ): { computeShader: string } } } )._nodes.getForCompute( node ).computeShader;

	}

	const uints = ( length: number ): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( length ), 1 );

	describe.each( VARIANTS )( 'kernel $name', ( kernel ) => {

		const { nativeOnly } = kernel;
		const operator = nativeOnly ? readyMade( 'ivec2', 'mul' )! : ownOperator( 'vec4' );
		const options = optionsFor( { variant: kernel, operator } );

		it.each( [ [ 1, TILE, {} ], [ 2, 3 * TILE, {} ], [ 3, 16_385 * SMALL.workgroupSize, { itemsPerThread: 1 } ] ] as const )( 'of a scan in %i dispatches', async ( dispatches, capacity, policy ) => {

			const more = { ...options, ...policy };
			const segments: ( Source | undefined )[] = nativeOnly ? [ undefined ] : [ undefined, uints( capacity ), ( i ) => i.mod( uint( 7 ) ) ];
			const values: Source = () => uint( 3 );

			const passes = segments.flatMap( ( flags ) => [
				new ScanPass( uints( capacity ), { ...more, segments: flags } ),
				new ScanPass( uints( capacity ), { ...more, segments: flags, reverse: true, initial: 3, kind: 'inclusive', count: uints( 1 ) } ),
				new ScanPass( values, { ...more, type: 'uint', capacity, segments: flags, count: uints( 1 ) } ),
				new ReducePass( values, { ...more, type: 'uint', capacity, segments: flags, reverse: true } ),
			] ).filter( ( _, i ) => IS_LONG || ( i + dispatches ) % 2 === 0 );

			shaders.clear();
			await selfCheck( more );
			await check( passes, renderer, ( pass ) => {

				// segments by a closure take one more
				if ( pass instanceof ScanPass ) expect( [ dispatches, dispatches + 1 ] ).toContain( pass.policy.dispatches );

			} );

		} );

		it( 'of own operators over vectors', async () => {

			shaders.clear();
			await selfCheck( options );
			const { type, monoid } = operator;
			const input = new StorageBufferAttribute( type === 'vec4' ? new Float32Array( 12 * TILE ) : new Int32Array( 6 * TILE ), type === 'vec4' ? 4 : 2 );
			const segments = nativeOnly ? undefined : uints( 3 * TILE );
			await check( [ new ScanPass( input, { ...options, type, monoid, segments } ), new ReducePass( input, { ...options, type, monoid, reverse: true, segments } ) ] );

		} );

		it( 'of compactions and partitions', async () => {

			const index = { ...options, itemsPerThread: undefined };
			shaders.clear();
			await selfCheck( options );
			const n = 5000;
			const payloads = [ { from: uints( n ) }, { from: new StorageBufferAttribute( new Float32Array( 4 * n ), 4 ) } ];

			await check( [
				new CompactPass( n, ( i ) => i.mod( uint( 3 ) ).equal( 0 ), index ),
				new CompactPass( n, ( i ) => i.mod( uint( 3 ) ).equal( 0 ), { ...index, count: uints( 1 ), gather: payloads } ),
				new CompactPass( 16_385 * SMALL.workgroupSize * 32, ( i ) => i.equal( 0 ), { ...index, indices: uints( 8 ) } ),
				...( IS_LONG ? [ 2, 7, 256, 300 ] : [ 7, 300 ] ).map( ( buckets ) => new PartitionPass( n, buckets, ( i ) => i.mod( uint( buckets ) ), buckets === 7 ? { ...index, count: uints( 1 ), gather: payloads } : index ) ),
			] );

		} );

	} );

	if ( IS_LONG ) it( 'of the default policy, on a device without subgroups', async () => {

		shaders.clear();
		await selfCheck( {}, withoutSubgroups );
		await check( [ new ScanPass( uints( 10_000 ) ), new ReducePass( uints( 10_000 ) ), new CompactPass( 10_000, ( i ) => i.equal( 0 ) ), new PartitionPass( 10_000, 5, ( i ) => i.mod( uint( 5 ) ) ) ], withoutSubgroups );

	} );

	it( 'of indirect dispatches', async () => {

		shaders.clear();
		await check( [ new IndirectDispatch( uints( 1 ), 64 ) ] );

	} );

	it.each( [ 'native', 'shuffle', 'hillis-steele', 'blelloch' ] as const )( 'of the functions for people\'s own kernels, %s', ( scan ) => {

		const choice: WorkgroupScanOptions = scan === 'native' || scan === 'shuffle' ? { kernel: 'subgroup', subgroupScan: scan } : { kernel: 'shared-memory', sharedMemoryScan: scan };

		for ( const workgroupSize of [ 36, 256 ] ) {

			const data = storage( uints( 1024 ), 'uint', 1024 );
			const memory = workgroupArray( 'uint', 1 ) as unknown as { element( index: Node<'uint'> ): Node<'uint'> };

			const node = Fn( () => {

				const own = data.element( instanceIndex );
				const value = own.toVar() as unknown as Node<'uint'>;
				const { prefix, total } = workgroupScan( value, { ...choice, kind: 'inclusive' } ) as { prefix: Node<'uint'>; total: Node<'uint'> };
				const reduced = [ 'mul', ...( scan === 'native' ? [] : [ 'max' ] ) ].map( ( monoid ) => workgroupReduce( value, { ...choice, monoid: monoid as MonoidName } ) as Node<'uint'> );
				const parts = [ total, ...reduced, workgroupUniformLoad( memory.element( uint( 0 ) ) ), linearWorkgroupId(), upperBound( ( i ) => i.mul( uint( 3 ) ), 100, prefix ) ];
				if ( choice.kernel === 'subgroup' ) parts.push( subgroupScan( value, { monoid: 'add', method: choice.subgroupScan } ) as Node<'uint'> );
				own.assign( parts.reduce( ( sum, part ) => sum.add( part ), prefix ) );

			} )().computeKernel( [ workgroupSize ] );

			shaders.clear();
			renderer.compute( Object.assign( node, { dispatchSize: [ 1, 1, 1 ] } ) );
			expect( shaders.size ).toBe( 1 );
			lintAll( new Set( [ shaderOf( renderer, node ) ] ) );
			node.dispose();

		}

	} );

} );
