import { createServer, type AddressInfo } from 'node:net';
import { defineConfig } from 'playwright/test';
import { chromiumLaunchOptions } from './scripts/browser.mjs';

// this file runs again in each worker, which must find the port of the first run
const port = process.env.THREE_SCAN_PORT ??= String( await findFreePort() );
const origin = `http://127.0.0.1:${ port }`;

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
		launchOptions: chromiumLaunchOptions(),
	},
	webServer: {
		command: `node node_modules/vite/bin/vite.js --host 127.0.0.1 --port ${ port } --strictPort`,
		port: Number( port ),
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
