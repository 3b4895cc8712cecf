import { expect } from 'playwright/test';
import { openPage, test } from './pages';
import type { QuadsReport } from './pages/quads';

test( 'translucent quads in survivor order: 30 frames, byte for byte the same, and right', async ( { page } ) => {

	const report = await openPage<QuadsReport>( page, 'quads' );
	expect( report.visible ).toBe( report.expected );
	expect( report.bytesThatOrderDecides ).toBeGreaterThan( 10_000 );
	expect( report.changedFrames ).toBe( 0 );
	expect( report.wrongBytes ).toBe( 0 );

} );
