import { expect } from 'playwright/test';
import { openPage, picture, test, TOLERANCE } from './pages';
import type { DrawsReport } from './pages/draws';

test( '300 different draws, fed by one partition', async ( { page } ) => {

	const { counts, expected } = await openPage<DrawsReport>( page, 'draws' );
	expect( counts ).toEqual( expected );
	expect( await picture( page ) ).toMatchSnapshot( 'draws.png', TOLERANCE );

} );
