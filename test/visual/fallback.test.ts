import { expect } from 'playwright/test';
import { test } from './pages';

for ( const name of [ 'culling', 'particles' ] ) {

	test( `${ name }: a browser without WebGPU shows one clear sentence`, async ( { page } ) => {

		await page.addInitScript( () => Object.defineProperty( navigator, 'gpu', { value: undefined } ) );
		await page.goto( `/${ name }/index.html` );
		await expect( page.locator( 'body' ) ).toHaveText( 'This page needs WebGPU, which this browser does not offer. Try a current Chrome, Edge, Safari or Firefox.' );

	} );

	test( `${ name }: where no device can be had, the error's message is shown`, async ( { page, complaints } ) => {

		await page.addInitScript( () => {

			GPUAdapter.prototype.requestDevice = () => Promise.reject( new Error( 'no device today' ) );

		} );
		await page.goto( `/${ name }/index.html?test` );
		await expect( page.locator( '.message' ) ).toContainText( 'WebGPU' );
		await expect( page.locator( 'canvas' ) ).toHaveCount( 0 );
		complaints.length = 0; // three says why it falls back to WebGL 2, and the page logs the error

	} );

}
