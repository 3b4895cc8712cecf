import { fileURLToPath } from 'node:url';
import { expect, test as base, type Page } from 'playwright/test';
import type { Report } from '../../examples/shared/page';

/** How far a picture may be from its baseline: a step of 10 % in colour counts, and 2 pixels in 1,000 may have it. */
export const TOLERANCE = { threshold: 0.1, maxDiffPixelRatio: 0.002 };

/** Playwright's `test`, failed by page errors, console errors, and whatever WebGPU or three complain about. */
export const test = base.extend<{ complaints: string[] }>( {

	complaints: [ async ( { page }, use ) => {

		const complaints: string[] = [];
		page.on( 'pageerror', ( error ) => complaints.push( `page error: ${ error.message }` ) );
		page.on( 'console', ( message ) => {

			if ( [ 'error', 'warning' ].includes( message.type() ) ) complaints.push( `console ${ message.type() }: ${ message.text() }` );

		} );
		await use( complaints );
		expect( complaints ).toEqual( [] );

	}, { auto: true } ],

} );

/** Opens an example with `?test` and the given parameters, and waits until its only frame is on screen. */
export async function openExample( page: Page, name: string, parameters: Record<string, string | number> = {} ): Promise<Report> {

	const query = new URLSearchParams( Object.entries( parameters ).map( ( [ key, value ] ) => [ key, String( value ) ] ) );
	await page.goto( `/${ name }/index.html?test&${ query.toString() }` );
	return page.evaluate( () => window.ready.then( () => window.report! ) );

}

/** Draws another pose on the open page of the culling example. */
export function strikePose( page: Page, pose: number ): Promise<Report> {

	return page.evaluate( ( which ) => window.pose!( which ), pose );

}

/** Opens a page of the folder `pages` beside this file, and returns what its `ready` resolves with. */
export async function openPage<T>( page: Page, name: string, parameters: Record<string, string> = {} ): Promise<T> {

	const path = fileURLToPath( new URL( `pages/${ name }.html`, import.meta.url ) );
	await page.goto( `/@fs${ path }?${ new URLSearchParams( parameters ).toString() }` );
	return page.evaluate( () => window.ready as Promise<unknown> as Promise<T> );

}

/** The picture of the canvas, as the browser shows it. */
export function picture( page: Page ): Promise<Buffer> {

	return page.locator( 'canvas' ).screenshot();

}
