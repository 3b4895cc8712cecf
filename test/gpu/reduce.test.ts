import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { uint } from 'three/tsl';
import { ReducePass, type ReduceOptions, type Source } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { ReduceRig, SCAN_TYPES, SEED, SMALL, TAKES_ALL, TILE, VARIANTS, VARIANTS_HERE, ownOperator, readyMade, scanCases, tileEdges, variant } from '../support/scanMatrix';

describe( `ReducePass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	async function reduce( input: Source, options: ReduceOptions = {} ): Promise<number | number[]> {

		const pass = new ReducePass( input, { ...SMALL, ...options } );
		await pass.init( renderer );
		pass.compute( renderer );
		const total = await pass.readTotal( renderer );
		pass.dispose();
		return total;

	}

	if ( TAKES_ALL ) it( 'gives what is computed by hand', async () => {

		const ints = new StorageBufferAttribute( new Int32Array( [ - 5, - 9, - 2, - 7 ] ), 1 );
		const segments = new StorageBufferAttribute( new Uint32Array( [ 0, 0, 1, 0 ] ), 1 );

		expect( await reduce( ints ) ).toBe( - 23 );
		expect( await reduce( ints, { monoid: 'max' } ) ).toBe( - 2 );
		expect( await reduce( ints, { monoid: 'min', initial: - 20 } ) ).toBe( - 20 );
		expect( await reduce( ints, { segments } ) ).toBe( - 9 );
		expect( await reduce( ints, { segments, reverse: true, initial: 100 } ) ).toBe( 86 );
		expect( await reduce( ints, { count: 0 } ) ).toBe( 0 );
		expect( await reduce( ints, { count: 0, initial: 7 } ) ).toBe( 7 );
		expect( await reduce( ints, { count: 2, monoid: 'mul' } ) ).toBe( 45 );
		expect( await reduce( ( i ) => i.mul( uint( 2 ) ), { type: 'uint', count: 1000 } ) ).toBe( 999_000 );

	} );

	if ( TAKES_ALL ) it( 'takes the extremes of floats', async () => {

		const values = Float32Array.from( { length: 10_000 }, ( _, i ) => Math.sin( i ) * i );
		const input = new StorageBufferAttribute( values, 1 );
		expect( await reduce( input, { monoid: 'min' } ) ).toBe( Math.min( ...values ) );
		expect( await reduce( input, { monoid: 'max' } ) ).toBe( Math.max( ...values ) );
		expect( await reduce( input, { monoid: 'min', count: 0 } ) ).toBe( Infinity );

	} );

	it( 'has the total as an attribute', async () => {

		const pass = new ReducePass( new StorageBufferAttribute( new Uint32Array( 300 ).fill( 3 ), 1 ), SMALL );
		await pass.init( renderer );
		pass.compute( renderer );
		expect( new Uint32Array( await renderer.getArrayBufferAsync( pass.total ) )[ 0 ] ).toBe( 900 );
		pass.dispose();

	} );

	describe.each( VARIANTS_HERE )( 'kernel $name', ( kernel ) => {

		it( 'is right at every tile edge', async () => {

			const rig = await ReduceRig.create( renderer, { variant: kernel, operator: readyMade( 'uint', 'add' )!, capacity: 10_000 } );
			expect( rig.pass.policy.kernel ).toBe( kernel.options.kernel );
			for ( const count of [ ...tileEdges( TILE ), 10_000, 100, 10_000 ] ) await rig.check( count );
			rig.dispose();

		} );

		it( 'evaluates closures once, in order, under a count from the GPU', async () => {

			const operator = kernel.nativeOnly ? readyMade( 'ivec3', 'mul' )! : ownOperator( 'ivec3' );
			const rig = await ReduceRig.create( renderer, { variant: kernel, operator, source: 'closure', gpuCount: true, initial: true, reverse: true, capacity: 3 * TILE + 5 } );
			for ( const count of [ 0, 1, TILE, 2 * TILE + 1, 3 * TILE + 5, 3 * TILE + 6, 0xffffffff ] ) await rig.check( count );
			rig.dispose();

		} );

	} );

	it.each( ( [ [ 'subgroup shuffle', false ], [ 'hillis-steele', true ] ] as const ).filter( ( [ name ] ) => TAKES_ALL || name.startsWith( 'subgroup' ) ) )( 'takes the segment scanned last, kernel %s, reverse %s', async ( name, reverse ) => {

		const rig = await ReduceRig.create( renderer, { variant: variant( name ), operator: ownOperator( 'uvec2' ), capacity: 4 * TILE, segments: 'buffer', reverse } );

		for ( const head of [ 0, 1, TILE - 1, TILE, 2 * TILE + 3, 3 * TILE + 4 ] ) await rig.check( 3 * TILE + 5, 1, { flag: ( i ) => i === head ? 0x80000000 : 0 } );
		rig.dispose();

	} );

	it.each( TAKES_ALL ? [ 'subgroup native', 'hillis-steele' ] : [ 'subgroup native' ] )( 'reduces many tiles, kernel %s', async ( name ) => {

		const rig = await ReduceRig.create( renderer, { variant: variant( name ), operator: readyMade( 'uint', 'add' )!, capacity: 16_385 * 16, policy: { workgroupSize: 16, itemsPerThread: 1 } } );
		for ( const count of [ 16_385 * 16, 16_385 * 16 - 1, 7 * 16 + 3 ] ) await rig.check( count );
		rig.dispose();

	} );

	if ( TAKES_ALL ) it( 'takes every type', async () => {

		for ( const [ i, type ] of SCAN_TYPES.entries() ) {

			const rig = await ReduceRig.create( renderer, { variant: VARIANTS[ 1 + i % 3 ], operator: ownOperator( type ), reverse: i % 2 === 0, capacity: 3 * TILE } );
			for ( const count of [ 1, TILE + 1, 3 * TILE ] ) await rig.check( count );
			rig.dispose();

		}

	} );

	if ( TAKES_ALL ) it( `any combination, seed ${ SEED }`, async () => {

		await fc.assert( fc.asyncProperty( scanCases, async ( { counts, source, ...parameters } ) => {

			const rig = await ReduceRig.create( renderer, { ...parameters, source: source === 'in place' ? 'buffer' : source! } );
			for ( const count of counts ) await rig.check( count, ( SEED + count ) | 0 );
			rig.dispose();

		} ), { seed: SEED, numRuns: 6, endOnFailure: true } );

	} );

} );
