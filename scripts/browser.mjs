// @ts-check
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';
import { CHROMIUM_FLAGS, findChromium, setUpChromium } from './drivers.mjs';

/**
 * How Playwright starts Chromium here: its own browser where it is installed, else the system's.
 * @returns {import('playwright').LaunchOptions}
 */
export function chromiumLaunchOptions() {

	// the full browser, not the headless shell, which has no WebGPU
	if ( existsSync( chromium.executablePath() ) ) return { channel: 'chromium', args: CHROMIUM_FLAGS };

	const [ problem ] = setUpChromium();
	const executablePath = findChromium();
	if ( executablePath === null ) throw new Error( `${ problem ?? 'No Chromium.' }\nElsewhere: npx playwright install chromium` );
	return { executablePath, args: CHROMIUM_FLAGS };

}
