// @ts-check
// npm run demo: serves the examples and opens the culling one in your browser.
//
//   npm run demo -- --headless    draws it in headless Chromium instead, prints its report, saves demo.png

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath( new URL( '..', import.meta.url ) );
const PAGE = 'culling/';
const PICTURE = 'demo.png';
const READY_LIMIT_MS = 180_000; // a software device takes its time

process.chdir( ROOT );

if ( existsSync( 'node_modules' ) === false ) {

	const { status } = spawnSync( 'npm', [ 'ci' ], { stdio: 'inherit', shell: process.platform === 'win32' } );
	if ( status !== 0 ) process.exit( status ?? 1 );

}

const isHeadless = process.argv.includes( '--headless' );

const { createServer } = await import( 'vite' );
const server = await createServer( { configFile: 'vite.config.ts', logLevel: isHeadless ? 'warn' : 'info', server: isHeadless ? { hmr: false, watch: null } : { open: `/${ PAGE }` } } );
await server.listen();

if ( isHeadless ) {

	const isDrawn = await draw( new URL( PAGE, server.resolvedUrls?.local[ 0 ] ) );
	await server.close();
	process.exit( isDrawn ? 0 : 1 );

} else {

	server.printUrls();

}

/**
 * @param {URL} url
 * @returns {Promise<boolean>} whether all went well
 */
async function draw( url ) {

	const { chromium } = await import( 'playwright' );
	const { chromiumLaunchOptions } = await import( './browser.mjs' );

	let browser;

	try {

		browser = await chromium.launch( chromiumLaunchOptions() );
		const page = await browser.newPage( { viewport: { width: 640, height: 400 } } );

		/** @type {Promise<never>} */
		const failure = new Promise( ( _, reject ) => {

			page.on( 'pageerror', ( error ) => reject( new Error( `page error: ${ error.message }` ) ) );
			page.on( 'console', ( message ) => message.type() === 'error' && reject( new Error( `console error: ${ message.text() }` ) ) );
			setTimeout( () => reject( new Error( `not ready after ${ READY_LIMIT_MS / 1000 } s` ) ), READY_LIMIT_MS );

		} );

		await Promise.race( [ failure, report( page, url ) ] );
		return true;

	} catch ( error ) {

		console.error( error instanceof Error ? error.message : String( error ) );
		return false;

	} finally {

		await browser?.close();

	}

}

/**
 * @param {import('playwright').Page} page
 * @param {URL} url
 */
async function report( page, url ) {

	await page.goto( url.href );
	await page.waitForFunction( 'window.ready !== undefined', null, { timeout: READY_LIMIT_MS } );

	/** @type {{ visible: number, total: number, policy: Record<string, unknown>, adapter: string }} */
	const { visible, total, policy, adapter } = await page.evaluate( 'window.ready.then( () => window.report )' );
	await page.screenshot( { path: PICTURE, timeout: READY_LIMIT_MS } );

	console.log( `visible  ${ visible } of ${ total }` );
	console.log( `policy   ${ Object.entries( policy ).map( ( [ key, value ] ) => `${ key }: ${ value }` ).join( ', ' ) }` );
	console.log( `adapter  ${ adapter }` );
	console.log( `picture  ${ PICTURE }` );

	if ( visible === 0 ) throw new Error( 'nothing is visible' );

}
