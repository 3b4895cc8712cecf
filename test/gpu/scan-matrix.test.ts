import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebGPURenderer } from 'three/webgpu';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { SCAN_TYPES, SEED, ScanRig, TAKES_ALL, TILE, VARIANTS, VARIANTS_HERE, nameOf, operatorsOf, ownOperator, readyMade, MONOID_NAMES, scanCases, type ScanCase } from '../support/scanMatrix';

const COUNTS = [ 0, 1, 33, TILE - 1, TILE, TILE + 1, 3 * TILE + 3 ];

describe( `ScanPass on ${ deviceName }, every type`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	/** Two rows a type, which between them take every option with every kernel; scan-matrix.long.test.ts takes many more. */
	const rows: ScanCase[] = SCAN_TYPES.flatMap( ( type, i ) => {

		const ready = MONOID_NAMES.map( ( _, k ) => readyMade( type, MONOID_NAMES[ ( i + k ) % MONOID_NAMES.length ] ) ).find( ( operator ) => operator !== undefined )!;
		const variants = VARIANTS.filter( ( variant ) => ready.native || ! variant.nativeOnly );
		const others = VARIANTS.filter( ( variant ) => ! variant.nativeOnly );

		return [
			{ variant: variants[ i % variants.length ], operator: ready, kind: i % 2 === 0 ? 'inclusive' : 'exclusive', source: i % 3 === 0 ? 'in place' : 'buffer', reverse: i % 4 < 2, initial: i % 3 === 1, capacity: 4 * TILE },
			{ variant: others[ ( i + 1 + Math.floor( i / 4 ) ) % others.length ], operator: ownOperator( type ), kind: i % 2 === 0 ? 'exclusive' : 'inclusive', source: i % 3 === 0 ? 'closure' : 'buffer', reverse: i % 4 > 1, initial: i % 3 === 2, gpuCount: i % 4 === 1, capacity: 4 * TILE, ...( i % 2 === 1 && { segments: i % 3 === 0 ? 'closure' : 'buffer' } ) },
		] as ScanCase[];

	} );

	const here = rows.filter( ( row ) => TAKES_ALL || row.variant.options.kernel === 'subgroup' && VARIANTS_HERE.includes( row.variant ) );

	it.each( here.map( ( row ) => [ nameOf( row ), row ] as const ) )( '%s', async ( _, row ) => {

		const rig = await ScanRig.create( renderer, row );
		for ( const count of COUNTS ) await rig.check( count );
		rig.dispose();

	} );

	it( 'names every operator and every kernel', () => {

		expect( new Set( rows.map( ( row ) => row.operator.type ) ).size ).toBe( SCAN_TYPES.length );
		expect( new Set( rows.map( ( row ) => row.variant.name ) ).size ).toBe( VARIANTS.length );
		expect( new Set( SCAN_TYPES.flatMap( operatorsOf ).map( ( operator ) => operator.name ) ).size ).toBe( 12 * 8 - 4 * 3 );

	} );

	it( `any combination, seed ${ SEED }`, async () => {

		await fc.assert( fc.asyncProperty( scanCases, async ( { counts, ...parameters } ) => {

			const rig = await ScanRig.create( renderer, parameters );
			for ( const count of counts ) await rig.check( count, ( SEED + count ) | 0 );
			rig.dispose();

		} ), { seed: SEED, numRuns: TAKES_ALL ? 10 : 2, endOnFailure: true } );

	} );

} );
