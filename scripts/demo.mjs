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
const server = await createServer( { configFile: 'vite.config.ts', logLevel: isHeadless ? 'warn' : 'info', server: { open: isHeadless ? false : `/${ PAGE }` } } );
await server.listen();

if ( isHeadless ) {

	const problems = await draw( new URL( PAGE, server.resolvedUrls?.local[ 0 ] ) );
	await server.close();

	for ( const problem of problems ) console.error( problem );
	process.exit( problems.length > 0 ? 1 : 0 );

} else {

	server.printUrls();

}

/**
 * @param {URL} url
 * @returns {Promise<string[]>} what went wrong
 */
async function draw( url ) {

	const { chromium } = await import( 'playwright' );
	const { chromiumLaunchOptions } = await import( './browser.mjs' );

	/** @type {string[]} */
	const problems = [];
	const browser = await chromium.launch( chromiumLaunchOptions() );

	try {

		const page = await browser.newPage( { viewport: { width: 640, height: 400 } } );
		page.on( 'pageerror', ( error ) => problems.push( `page error: ${ error.message }` ) );
		page.on( 'console', ( message ) => message.type() === 'error' && problems.push( `console error: ${ message.text() }` ) );

		await page.goto( url.href );
		await page.waitForFunction( 'window.ready !== undefined', null, { timeout: READY_LIMIT_MS } );

		/** @type {{ visible: number, total: number, policy: Record<string, unknown>, adapter: string }} */
		const report = await withLimit( page.evaluate( 'window.ready.then( () => window.report )' ) );
		await page.screenshot( { path: PICTURE, timeout: READY_LIMIT_MS } );

		console.log( `visible  ${ report.visible } of ${ report.total }` );
		console.log( `policy   ${ Object.entries( report.policy ).map( ( [ key, value ] ) => `${ key }: ${ value }` ).join( ', ' ) }` );
		console.log( `adapter  ${ report.adapter }` );
		console.log( `picture  ${ PICTURE }` );

		if ( report.total === 0 || report.visible === 0 ) problems.push( 'nothing is visible' );

	} catch ( error ) {

		problems.push( error instanceof Error ? error.message : String( error ) );

	} finally {

		await browser.close();

	}

	return problems;

}

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
function withLimit( promise ) {

	/** @type {Promise<never>} */
	const limit = new Promise( ( _, reject ) => setTimeout( () => reject( new Error( `The page was not ready after ${ READY_LIMIT_MS / 1000 } s.` ) ), READY_LIMIT_MS ) );
	return Promise.race( [ promise, limit ] );

}
