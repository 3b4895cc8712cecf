import { expect } from 'playwright/test';
import { openPage, picture, test, TOLERANCE } from './pages';
import type { CaseReport } from './pages/culled';
import type { ViewName } from './pages/views';

const GROUPS: ViewName[][] = [
	[ 'inside', 'edge', 'above', 'orthographic' ],
	[ 'two shadow lights', 'point light' ],
	[ 'reflection', 'render bundle' ],
	[ 'reversed depth' ],
];

for ( const names of GROUPS ) {

	test( `culled equals unculled, byte for byte: ${ names.join( ', ' ) }`, async ( { page } ) => {

		for ( const report of await openPage<CaseReport[]>( page, 'culled', { cases: names.join() } ) ) check( report );

	} );

}

test( 'culled equals unculled, byte for byte: LOD colours, which look as they did', async ( { page } ) => {

	const [ report ] = await openPage<CaseReport[]>( page, 'culled', { cases: 'LOD colours' } );
	check( report );
	for ( const count of report.levels ) expect( count ).toBeGreaterThan( 0 );
	expect( await picture( page ) ).toMatchSnapshot( 'culled-lod-colours.png', TOLERANCE );

} );

function check( { name, levels, total, wrongBytes, drawnBytes }: CaseReport ): void {

	const visible = levels.reduce( ( sum, count ) => sum + count );
	expect.soft( wrongBytes, name ).toBe( 0 );
	expect.soft( visible, name ).toBeGreaterThan( 0 );
	expect.soft( visible, name ).toBeLessThan( total );
	expect.soft( drawnBytes, name ).toBeGreaterThan( 10_000 );

}
