import { expect, type Page } from 'playwright/test';
import { openPage, test } from './pages';
import type { R3fPage } from './pages/r3f';

declare global {

	interface Window { r3f: R3fPage }

}

/** React Three Fiber 9 uses a class that three r187 deprecates. */
const FROM_FIBER = /THREE\.Clock: .* deprecated/;

const screenshot = ( page: Page, which: string ): Promise<Buffer> => page.locator( `#${ which } canvas` ).screenshot();

/** Asserts that React's picture is that of plain three.js, byte for byte, and returns it. */
async function expectPlain( page: Page, label: string ): Promise<Buffer> {

	const [ react, plain ] = [ await screenshot( page, 'react' ), await screenshot( page, 'plain' ) ];
	expect( react.equals( plain ), label ).toBe( true );
	return react;

}

test( 'React Three Fiber draws what plain three.js draws: in StrictMode, with other args, mounted anew', async ( { page, complaints } ) => {

	await openPage( page, 'r3f' );
	const first = await expectPlain( page, 'in StrictMode' );

	const disposals = await page.evaluate( () => window.r3f.show( 160 ) );
	const second = await expectPlain( page, 'with other args' );
	expect( first.equals( second ) ).toBe( false );
	expect( disposals, 'the mesh of before is disposed of' ).toBeGreaterThan( 0 );

	await page.evaluate( () => window.r3f.remount() );
	expect( second.equals( await expectPlain( page, 'mounted anew' ) ) ).toBe( true );

	complaints.splice( 0, Infinity, ...complaints.filter( ( complaint ) => ! FROM_FIBER.test( complaint ) ) );

} );
