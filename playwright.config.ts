import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { chromium, defineConfig } from 'playwright/test';
import { CHROMIUM_FLAGS, findChromium } from './scripts/drivers.mjs';

// this file runs again in each worker, which must find the port of the first run
const port = process.env.THREE_SCAN_PORT ??= String( await findFreePort() );
const origin = `http://127.0.0.1:${ port }`;

const hasOwnBrowser = existsSync( chromium.executablePath() );
const systemBrowser = findChromium();

export default defineConfig( {
	testDir: 'test/visual',
	outputDir: 'test-results',
	snapshotPathTemplate: '{testDir}/baselines/{arg}{ext}',
	workers: 1,
	timeout: 120_000,
	forbidOnly: process.env.CI !== undefined,
	use: {
		baseURL: origin,
		viewport: { width: 640, height: 400 },
		deviceScaleFactor: 1,
		launchOptions: { args: CHROMIUM_FLAGS, ...( hasOwnBrowser === false && systemBrowser !== null && { executablePath: systemBrowser } ) },
		// the full browser, not the headless shell, which draws without WebGPU
		...( hasOwnBrowser && { channel: 'chromium' } ),
	},
	webServer: {
		command: `node node_modules/vite/bin/vite.js --host 127.0.0.1 --port ${ port } --strictPort`,
		url: origin,
		timeout: 60_000,
	},
} );

function findFreePort(): Promise<number> {

	return new Promise( ( resolve, reject ) => {

		const server = createServer();
		server.once( 'error', reject );

		server.listen( 0, '127.0.0.1', () => {

			const { port: free } = server.address() as AddressInfo;
			server.close( () => resolve( free ) );

		} );

	} );

}
