import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser } from 'puppeteer-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFirefox } from '../../scripts/drivers.mjs';
import type { SmokeReport } from './page';

const path = ( relative: string ): string => fileURLToPath( new URL( `../../${ relative }`, import.meta.url ) );

let server: ViteDevServer, browser: Browser;

beforeAll( async () => {

	const executablePath = findFirefox();
	if ( executablePath === null ) throw new Error( 'No Firefox. On Debian 12 run: sudo apt-get install --no-install-recommends firefox-esr' );
	if ( ! existsSync( path( 'dist/index.js' ) ) ) throw new Error( 'No dist/. Run: npm run build' );

	server = await createServer( {
		configFile: false,
		root: path( '' ),
		cacheDir: path( '.cache/vite-firefox' ),
		logLevel: 'error',
		server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
		resolve: {
			// what people install, not the sources
			alias: [
				{ find: /^three-scan$/, replacement: path( 'dist/index.js' ) },
				{ find: /^three-scan\/(tsl|reference)$/, replacement: path( 'dist/$1.js' ) },
			],
		},
		optimizeDeps: { include: [ 'three/webgpu', 'three/tsl' ], noDiscovery: true, entries: [] },
	} );

	await server.listen();

	browser = await puppeteer.launch( {
		browser: 'firefox',
		executablePath,
		headless: true,
		extraPrefsFirefox: { 'dom.webgpu.enabled': true, 'gfx.webgpu.ignore-blocklist': true },
		protocolTimeout: 540_000,
	} );

} );

afterAll( async () => {

	await browser?.close();
	await server?.close();

} );

it( 'every shared-memory kernel, and culling, are right in Firefox', async () => {

	const page = await browser.newPage();
	const complaints: string[] = [];
	page.on( 'pageerror', ( error ) => complaints.push( `page error: ${ error instanceof Error ? error.message : String( error ) }` ) );
	page.on( 'console', ( message ) => { if ( message.type() === 'error' ) complaints.push( `console error: ${ message.text() }` ); } );

	await page.goto( `${ server.resolvedUrls!.local[ 0 ] }test/firefox/smoke.html`, { waitUntil: 'load' } );
	const report = await page.evaluate( () => ( window as unknown as { ready: Promise<SmokeReport> } ).ready );

	expect( complaints ).toEqual( [] );
	expect( report.kernel ).toBe( 'shared-memory' );
	expect( report.results.filter( ( { problem } ) => problem !== null ) ).toEqual( [] );
	expect( report.results.length ).toBeGreaterThanOrEqual( 37 );

} );
