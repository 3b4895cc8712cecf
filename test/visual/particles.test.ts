import { expect } from 'playwright/test';
import { openExample, picture, test, TOLERANCE } from './pages';

for ( const pose of [ 0, 2 ] ) {

	test( `particles, pose ${ pose }: looks as it did`, async ( { page } ) => {

		const { visible, total } = await openExample( page, 'particles', { pose } );
		expect.soft( await picture( page ) ).toMatchSnapshot( `particles-${ pose }.png`, TOLERANCE );
		expect( visible ).toBeGreaterThan( 0 );
		expect( visible ).toBeLessThan( total );

	} );

}
