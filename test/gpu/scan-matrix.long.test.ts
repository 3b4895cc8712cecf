import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebGPURenderer } from 'three/webgpu';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';
import { ReduceRig, SCAN_TYPES, SEED, ScanRig, TILE, VARIANTS, operatorsOf, type ScanCase, type TestOperator, type Variant } from '../support/scanMatrix';

const COUNTS = [ 0, 1, TILE - 1, TILE, TILE + 1, 2 * TILE + 3 ];

/** How many of the eight ways an operator takes with a kernel on this device: compilers of wide devices take a second for each. */
const WAYS: Readonly<Record<string, number>> = { 'lavapipe-4': 2, 'lavapipe-8': 2, 'lavapipe-16': 1 };

type Way = Required<Pick<ScanCase, 'kind' | 'reverse'>> & { segments: boolean };

const ALL_WAYS: readonly Way[] = ( [ 'exclusive', 'inclusive' ] as const ).flatMap( ( kind ) => [ false, true ].flatMap( ( reverse ) => [ false, true ].map( ( segments ) => ( { kind, reverse, segments } ) ) ) );

interface Cell { operator: TestOperator; variant: Variant; ways: Way[] }

/** Every operator over every type with every kernel; the narrow device takes all ways, the others turn through them. */
const cells: Cell[] = SCAN_TYPES.flatMap( operatorsOf ).flatMap( ( operator, o ) => VARIANTS.filter( ( variant ) => ! variant.nativeOnly || operator.native ).map( ( variant, v ) => {

	const ways = ALL_WAYS.filter( ( way ) => ! variant.nativeOnly || ! way.segments );
	const some = WAYS[ deviceName ] ?? ways.length;
	return { operator, variant, ways: Array.from( { length: Math.min( some, ways.length ) }, ( _, k ) => ways[ ( 3 * o + v + 5 * k ) % ways.length ] ) };

} ) );

describe( `type × monoid × kernel × kind × reverse × segments on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	const started = performance.now();
	let scans = 0, reductions = 0, checks = 0;

	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );

	afterAll( async () => {

		console.log( `${ deviceName }: ${ scans } scans and ${ reductions } reductions at ${ COUNTS.length } counts, ${ checks } runs checked, data seed ${ SEED }, ${ ( ( performance.now() - started ) / 1000 ).toFixed( 0 ) } s` );
		await expectNoGpuErrors();

	} );

	it( 'leaves no cell out', () => {

		expect( cells ).toHaveLength( 84 * 4 + 24 );

	} );

	it.each( cells.map( ( cell ) => [ cell.operator.name, cell.variant.name, cell ] as const ) )( '%s, kernel %s', async ( _, __, { operator, variant, ways } ) => {

		for ( const [ k, { kind, reverse, segments } ] of ways.entries() ) {

			const parameters: ScanCase = { variant, operator, kind, reverse, capacity: 3 * TILE, ...( segments && { segments: 'buffer' } ) };
			const scan = await ScanRig.create( renderer, parameters );
			for ( const count of COUNTS ) await scan.check( count, ( SEED + count ) | 0 );
			scan.dispose();
			scans ++;
			checks += COUNTS.length;

			// a reduction has no kind
			if ( kind === 'inclusive' && k > 0 ) continue;
			const reduction = await ReduceRig.create( renderer, parameters );
			for ( const count of COUNTS ) await reduction.check( count, ( SEED + count ) | 0 );
			reduction.dispose();
			reductions ++;
			checks += COUNTS.length;

		}

	} );

} );
