import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type ComputeNode, type WebGPURenderer } from 'three/webgpu';
import { instancedArray, uint, vec2, vec3 } from 'three/tsl';
import { ScanPass, createMonoid, type ScanOptions, type Source } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { assertGuardWords, createGuardedAttribute, createGuardedOutput } from '../support/guard';
import { Random, SMALL, SUBGROUP_WIDTH, ScanRig, TAKES_ALL, TILE, VARIANTS_HERE, countWrongRuns, ownOperator, readyMade, tileEdges, variant } from '../support/scanMatrix';

describe( `ScanPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	/** One run of a new pass. */
	async function scan( input: Source, options: ScanOptions = {} ): Promise<{ output: number[]; total: number | number[] }> {

		const pass = new ScanPass( input, { ...SMALL, ...options } );
		await pass.init( renderer );
		pass.compute( renderer );
		const result = { output: Array.from( await pass.read( renderer ) ), total: await pass.readTotal( renderer ) };
		pass.dispose();
		return result;

	}

	const uints = ( ...values: number[] ): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( values ), 1 );
	const ints = ( ...values: number[] ): StorageBufferAttribute => new StorageBufferAttribute( new Int32Array( values ), 1 );
	const floats = ( ...values: number[] ): StorageBufferAttribute => new StorageBufferAttribute( new Float32Array( values ), 1 );

	if ( TAKES_ALL ) describe( 'computed by hand', () => {

		it( 'is an exclusive sum by default', async () => {

			expect( await scan( uints( 3, 1, 7, 0, 4, 1, 6, 3 ) ) ).toEqual( { output: [ 0, 3, 4, 11, 11, 15, 16, 22 ], total: 25 } );

		} );

		it( 'starts at the last element in reverse, and at the initial value', async () => {

			expect( await scan( uints( 3, 1, 7, 0, 4 ), { reverse: true, initial: 100, kind: 'inclusive' } ) ).toEqual( { output: [ 115, 112, 111, 104, 104 ], total: 115 } );

		} );

		it( 'starts anew at each non-zero flag, forwards', async () => {

			const segments = uints( 0, 0, 0x80000000, 0, 2 );
			expect( await scan( uints( 1, 2, 3, 4, 5 ), { segments, initial: 10 } ) ).toEqual( { output: [ 10, 11, 10, 13, 10 ], total: 15 } );

		} );

		it( 'keeps the same segments in reverse, and the total of the one scanned last', async () => {

			const segments = uints( 0, 0, 1, 0, 1 );
			expect( await scan( uints( 1, 2, 3, 4, 5 ), { segments, reverse: true } ) ).toEqual( { output: [ 2, 0, 4, 0, 0 ], total: 3 } );

		} );

		it( 'multiplies 16 twos', async () => {

			expect( await scan( uints( ...new Array<number>( 16 ).fill( 2 ) ), { monoid: 'mul' } ) ).toEqual( { output: Array.from( { length: 16 }, ( _, i ) => 2 ** i ), total: 65536 } );

		} );

		it( 'takes the lowest int as the identity of a maximum', async () => {

			expect( await scan( ints( - 5, - 9, - 2, - 7 ), { monoid: 'max' } ) ).toEqual( { output: [ - 2147483648, - 5, - 5, - 2 ], total: - 2 } );

		} );

		it( 'takes infinities as the identities of float minima and maxima', async () => {

			expect( await scan( floats( 5, - 9, 2 ), { monoid: 'min' } ) ).toEqual( { output: [ Infinity, 5, - 9 ], total: - 9 } );
			expect( await scan( floats( - 5, - 9 ), { monoid: 'max' } ) ).toEqual( { output: [ - Infinity, - 5 ], total: - 5 } );

		} );

		it( 'wraps sums of uint and int', async () => {

			expect( await scan( uints( 0xffffffff, 2, 0x80000000, 0x80000000 ) ) ).toEqual( { output: [ 0, 0xffffffff, 1, 0x80000001 ], total: 1 } );
			expect( await scan( ints( 2147483647, 1, 1 ), { kind: 'inclusive' } ) ).toEqual( { output: [ 2147483647, - 2147483648, - 2147483647 ], total: - 2147483647 } );

		} );

		it( 'combines bits', async () => {

			expect( await scan( uints( 0b0001, 0b0110, 0b0100 ), { monoid: 'bitXor' } ) ).toEqual( { output: [ 0, 0b0001, 0b0111 ], total: 0b0011 } );
			expect( await scan( uints( 0xf3, 0x7f ), { monoid: 'bitAnd' } ) ).toEqual( { output: [ 0xffffffff, 0xf3 ], total: 0x73 } );

		} );

	} );

	if ( TAKES_ALL ) it( 'composes affine maps, with the types of vec2 and no casts', async () => {

		const monoid = createMonoid( {
			type: 'vec2', identity: [ 1, 0 ],
			combine: ( a, b ) => vec2( a.x.mul( b.x ), b.x.mul( a.y ).add( b.y ) ),
			combineReference: ( a, b ) => [ a[ 0 ] * b[ 0 ], b[ 0 ] * a[ 1 ] + b[ 1 ] ],
		} );

		const scalar = createMonoid( { type: 'int', identity: 1, combine: ( a, b ) => a.add( b ).sub( 1 ), combineReference: ( a, b ) => a + b - 1 } );
		expect( await scan( ints( 5, 7, - 2 ), { monoid: scalar } ) ).toEqual( { output: [ 1, 5, 11 ], total: 8 } );

		const maps = new StorageBufferAttribute( new Float32Array( [ 2, 1, 3, 0, 1, 5 ] ), 2 );
		expect( await scan( maps, { monoid, kind: 'inclusive' } ) ).toEqual( { output: [ 2, 1, 6, 3, 6, 8 ], total: [ 6, 8 ] } );
		expect( await scan( maps, { monoid, reverse: true } ) ).toEqual( { output: [ 3, 15, 1, 5, 1, 0 ], total: [ 6, 31 ] } );

	} );

	if ( TAKES_ALL ) describe( 'inputs', () => {

		it( 'takes vec3 nodes and attributes of itemSize 3', async () => {

			const values = Float32Array.from( { length: 21 }, ( _, i ) => i % 5 );
			const sums = Array.from( values, ( _, i ) => values.reduce( ( sum, x, j ) => j % 3 === i % 3 && j < i - 2 ? sum + x : sum, 0 ) );

			expect( ( await scan( instancedArray( values.slice(), 'vec3' ) ) ).output ).toEqual( sums );
			expect( ( await scan( new StorageBufferAttribute( values.slice(), 3 ) ) ).output ).toEqual( sums );

		} );

		it( 'has attributes without Node in the name, whatever was passed', async () => {

			const node = instancedArray( new Uint32Array( [ 1, 2, 3 ] ), 'uint' );
			const output = instancedArray( 3, 'uint' );
			const pass = new ScanPass( node, { output, ...SMALL } );
			await pass.init( renderer );
			pass.compute( renderer );

			expect( pass.output ).toBe( output.value );
			expect( new Uint32Array( await renderer.getArrayBufferAsync( pass.total ) )[ 0 ] ).toBe( 6 );
			expect( Array.from( await pass.read( renderer ) ) ).toEqual( [ 0, 1, 3 ] );
			pass.dispose();

		} );

		it( 'takes a closure of constants and of vectors', async () => {

			expect( await scan( () => uint( 3 ), { type: 'uint', count: 5 } ) ).toEqual( { output: [ 0, 3, 6, 9, 12 ], total: 15 } );
			expect( await scan( ( i ) => vec3( i.toFloat(), 1, i.mul( 2 ).toFloat() ), { type: 'vec3', capacity: 3 } ) ).toEqual( { output: [ 0, 0, 0, 0, 1, 0, 1, 2, 2 ], total: [ 3, 3, 6 ] } );

		} );

		it( 'sees a changed input after needsUpdate', async () => {

			const input = uints( 1, 1, 1, 1 );
			const pass = new ScanPass( input, SMALL );
			await pass.init( renderer );
			pass.compute( renderer );
			input.array.fill( 5 );
			input.needsUpdate = true;
			pass.compute( renderer );

			expect( Array.from( await pass.read( renderer ) ) ).toEqual( [ 0, 5, 10, 15 ] );
			pass.dispose();

		} );

	} );

	describe.each( VARIANTS_HERE )( 'kernel $name', ( kernel ) => {

		describe( 'over uint sums', () => {

			let rig: ScanRig;
			beforeAll( async () => { rig = await ScanRig.create( renderer, { variant: kernel, operator: readyMade( 'uint', 'add' )!, capacity: 10_000 } ); } );
			afterAll( () => rig.dispose() );

			it( 'is the one asked for', () => {

				const { policy } = rig.pass;
				expect( policy.kernel ).toBe( kernel.options.kernel );
				if ( kernel.options.sharedMemoryScan ) expect( policy.sharedMemoryScan ).toBe( kernel.options.sharedMemoryScan );
				if ( kernel.options.subgroupScan ) expect( policy.subgroupScan ).toBe( kernel.options.subgroupScan );
				expect( policy ).toMatchObject( { ...SMALL, algorithm: 'reduce-then-scan', dispatches: 2 } );
				expect( policy.reason ).toMatch( /forced/ );

			} );

			it( 'is right at every tile edge', async () => {

				for ( const count of tileEdges( TILE ) ) await rig.check( count );

			} );

			it( 'forgets earlier counts', async () => {

				const nodes = [ ...rig.pass.nodes ];
				for ( const count of [ 0, 1, 10, 10_000, 100, 10_000, 0, 1 ] ) await rig.check( count );
				expect( rig.pass.nodes ).toEqual( nodes );

			} );

		} );

		it( 'keeps order and bits, in place and in reverse', async () => {

			// the native scan has no order to keep: its sums are checked in place
			const operator = kernel.nativeOnly ? readyMade( 'float', 'add' )! : ownOperator( 'float' );
			const rig = await ScanRig.create( renderer, { variant: kernel, operator, kind: 'inclusive', source: 'in place', reverse: true, initial: true, capacity: 5 * TILE } );
			for ( const count of [ 1, 33, TILE - 1, TILE, TILE + 1, 601, 5 * TILE ] ) await rig.check( count );
			rig.dispose();

		} );

		it( 'evaluates closures once, under a count from the GPU', async () => {

			const operator = kernel.nativeOnly ? readyMade( 'uvec2', 'mul' )! : ownOperator( 'uvec2' );
			const rig = await ScanRig.create( renderer, { variant: kernel, operator, source: 'closure', gpuCount: true, capacity: 3 * TILE + 5, ...( kernel.nativeOnly || kernel.name === 'blelloch' ? {} : { segments: 'closure' } ) } );
			for ( const count of [ 0, 1, TILE, 2 * TILE + 1, 3 * TILE + 5, 3 * TILE + 6, 0xffffffff ] ) await rig.check( count );
			rig.dispose();

		} );

		it( 'is right over more tiles than two dispatches take', async () => {

			const rig = await ScanRig.create( renderer, { variant: kernel, operator: readyMade( 'uint', 'add' )!, capacity: 16_385 * 16, policy: { workgroupSize: 16, itemsPerThread: 1 } } );
			expect( rig.pass.policy.dispatches ).toBe( 3 );
			for ( const count of [ 16_385 * 16, 7 * 16 + 3 ] ) await rig.check( count );
			rig.dispose();

		} );

		it( 'gives the same over and over, with 256 threads or one subgroup in a workgroup', async () => {

			for ( const workgroupSize of [ 256, SUBGROUP_WIDTH ] ) {

				const random = new Random( 5 );
				const values = Uint32Array.from( { length: workgroupSize * 4 }, () => random.word() );
				let sum = 0;
				const expected = values.map( ( value ) => [ sum, sum += value ][ 0 ] );

				const pass = new ScanPass( new StorageBufferAttribute( values, 1 ), { ...kernel.options, workgroupSize, itemsPerThread: 4 } );
				await pass.init( renderer );
				expect( pass.policy.dispatches ).toBe( 1 );
				expect( await countWrongRuns( renderer, pass, expected, 100 ) ).toBe( 0 );
				pass.dispose();

			}

		} );

	} );

	describe.each( TAKES_ALL ? [ variant( 'subgroup native' ), variant( 'hillis-steele' ) ] : [ variant( 'subgroup native' ) ] )( 'kernel $name, buffers', ( kernel ) => {

		if ( TAKES_ALL ) it.each( [ [ 'ends with the output', 0 ], [ 'stops there', 64 ] ] as const )( 'fills outputs of any length, and %s', async ( _, guardCount ) => {

			for ( const n of [ 1, 2, 3, 4, 8, 21, 33, 1001, 2044, 2048 ] ) {

				const output = createGuardedOutput( 'uint', n, 1, guardCount );
				const input = createGuardedAttribute( new Uint32Array( n ).fill( 1 ), 1, guardCount );
				const pass = new ScanPass( input, { ...SMALL, ...kernel.options, output, capacity: n } );
				await pass.init( renderer );
				pass.compute( renderer );

				const words = new Uint32Array( await renderer.getArrayBufferAsync( output ) );
				expect( words.subarray( 0, n ), `n ${ n }` ).toEqual( Uint32Array.from( { length: n }, ( _, i ) => i ) );
				assertGuardWords( words, n );
				expect( words ).toHaveLength( n + guardCount );
				expect( await pass.readTotal( renderer ) ).toBe( n );
				pass.dispose();

			}

		} );

		it( 'is right by the default policy', async () => {

			const values = Uint32Array.from( { length: 10_000 }, ( _, i ) => i * i );
			let sum = 0;
			const pass = new ScanPass( new StorageBufferAttribute( values, 1 ), { kernel: kernel.options.kernel } );
			await pass.init( renderer );

			for ( const count of [ 10_000, 256, 257, 3 ] ) {

				pass.count = count;
				pass.compute( renderer );
				sum = 0;
				expect( await pass.read( renderer ) ).toEqual( values.slice( 0, count ).map( ( value ) => [ sum, sum += value ][ 0 ] ) );

			}

			pass.dispose();

		} );

		if ( TAKES_ALL ) it.each( [ false, true ] )( 'spreads 8 tiles over three dimensions of 2 (GPU count: %s)', async ( gpuCount ) => {

			const policy = { caps: { maxComputeWorkgroupsPerDimension: 2 } };
			const rig = await ScanRig.create( renderer, { variant: kernel, operator: readyMade( 'uint', 'add' )!, capacity: 8 * TILE, gpuCount, policy } );

			for ( const node of rig.pass.nodes ) {

				const { dispatchSize } = node as ComputeNode & { dispatchSize: number[] };
				for ( const size of dispatchSize ) expect( size ).toBeLessThanOrEqual( 2 );

			}

			for ( const count of [ 5 * TILE, 4 * TILE + 1, 8 * TILE, 1 ] ) await rig.check( count );
			rig.dispose();

		} );

		if ( TAKES_ALL ) it( 'is right at every fifth tile with the limit exactly used up', async () => {

			const policy = { caps: { maxComputeWorkgroupsPerDimension: 2 } };
			const rig = await ScanRig.create( renderer, { variant: kernel, operator: readyMade( 'uint', 'add' )!, capacity: 5 * TILE, policy } );
			for ( const count of [ 5 * TILE, 5 * TILE - 1 ] ) await rig.check( count );
			rig.dispose();

		} );

	} );

	describe( 'segments', () => {

		const heads: Record<string, ( i: number ) => number> = {
			'at element 0 only': ( i ) => i === 0 ? 1 : 0,
			'at every element': () => 1,
			'nowhere': () => 0,
			'at tile edges': ( i ) => i % TILE === 0 ? 1 : 0,
			'before tile edges': ( i ) => i % TILE === TILE - 1 ? 1 : 0,
			'after tile edges': ( i ) => i % TILE === 1 ? 0x80000000 : 0,
			'at the last element': ( i ) => i === 3 * TILE + 4 ? 1 : 0,
		};

		const rows = ( [ [ 'subgroup shuffle', false ], [ 'subgroup shuffle', true ], [ 'hillis-steele', false ], [ 'hillis-steele', true ] ] as const ).filter( ( [ name, reverse ] ) => TAKES_ALL || name.startsWith( 'subgroup' ) && reverse );

		it.each( rows )( 'kernel %s, reverse %s: heads anywhere', async ( name, reverse ) => {

			const rig = await ScanRig.create( renderer, { variant: variant( name ), operator: ownOperator( 'ivec2' ), capacity: 4 * TILE, segments: 'buffer', reverse, initial: true } );
			for ( const flag of Object.values( heads ) ) await rig.check( 3 * TILE + 5, 1, { flag } );
			rig.dispose();

		} );

	} );

	if ( TAKES_ALL ) describe( 'side by side', () => {

		it( 'two passes over different data in one compute', async () => {

			const a = new ScanPass( new StorageBufferAttribute( new Uint32Array( 700 ).fill( 1 ), 1 ), SMALL );
			const b = new ScanPass( new StorageBufferAttribute( new Uint32Array( 500 ).fill( 3 ), 1 ), SMALL );
			await Promise.all( [ a.init( renderer ), b.init( renderer ) ] );
			renderer.compute( [ ...a.nodes, ...b.nodes ] );

			expect( await a.read( renderer ) ).toEqual( Uint32Array.from( { length: 700 }, ( _, i ) => i ) );
			expect( await b.read( renderer ) ).toEqual( Uint32Array.from( { length: 500 }, ( _, i ) => i * 3 ) );
			expect( [ await a.readTotal( renderer ), await b.readTotal( renderer ) ] ).toEqual( [ 700, 1500 ] );
			a.dispose();
			b.dispose();

		} );

		it( 'a scan of a scan, and the same pass twice, in one compute', async () => {

			const a = new ScanPass( new StorageBufferAttribute( new Uint32Array( 600 ).fill( 1 ), 1 ), { ...SMALL, kind: 'inclusive' } );
			const between = a.output;
			const b = new ScanPass( between, { ...SMALL, output: between, kind: 'inclusive' } );
			await a.init( renderer );
			await b.init( renderer );
			renderer.compute( [ ...a.nodes, ...b.nodes, ...a.nodes, ...b.nodes ] );

			expect( await b.read( renderer ) ).toEqual( Uint32Array.from( { length: 600 }, ( _, i ) => ( i + 1 ) * ( i + 2 ) / 2 ) );
			expect( await b.readTotal( renderer ) ).toBe( 600 * 601 / 2 );
			a.dispose();
			b.dispose();

		} );

		it( 'A, B and C made, B disposed, D made: A, C and D right', async () => {

			const make = async ( value: number ): Promise<ScanPass> => new ScanPass( new StorageBufferAttribute( new Uint32Array( 600 ).fill( value ), 1 ), SMALL ).init( renderer );
			const [ a, b, c ] = [ await make( 1 ), await make( 2 ), await make( 3 ) ];
			for ( const pass of [ a, b, c ] ) pass.compute( renderer );
			b.dispose();
			const d = await make( 4 );
			for ( const pass of [ a, c, d ] ) pass.compute( renderer );

			for ( const [ pass, value ] of [ [ a, 1 ], [ c, 3 ], [ d, 4 ] ] as const ) {

				expect( await pass.read( renderer ) ).toEqual( Uint32Array.from( { length: 600 }, ( _, i ) => i * value ) );
				expect( await pass.readTotal( renderer ) ).toBe( 600 * value );
				pass.dispose();

			}

		} );

	} );

} );
