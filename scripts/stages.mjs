// @ts-check
// The stages of `npm test`, each a run of one tool whose outcome becomes three counts.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {object} StageOptions
 * @property {( text: string | Buffer ) => void} print takes all output
 * @property {boolean} isLong whether *.long.test.ts run, too
 * @property {string[]} runnerArguments for the test runners: files, `-t name`
 */

const TOOLS = {
	eslint: 'node_modules/eslint/bin/eslint.js',
	playwright: 'node_modules/playwright/cli.js',
	typescript: 'node_modules/typescript/bin/tsc',
	vite: 'node_modules/vite/bin/vite.js',
	vitest: 'node_modules/vitest/vitest.mjs',
};

const REPORTS = mkdtempSync( join( tmpdir(), 'three-scan-' ) );

/** @type {Set<() => void>} */
const running = new Set();

process.on( 'exit', () => {

	for ( const stop of running ) stop();
	rmSync( REPORTS, { recursive: true, force: true } );

} );

process.on( 'SIGINT', () => process.exit( 130 ) );
process.on( 'SIGTERM', () => process.exit( 143 ) );

/**
 * @param {string} stage
 * @param {StageOptions} options
 * @returns {Promise<Counts>}
 */
export function runStage( stage, options ) {

	const [ kind, device = '' ] = stage.split( ':' );

	switch ( kind ) {

		case 'typecheck': return runCheck( [ [ TOOLS.typescript, '--noEmit' ] ], options );
		case 'lint': return runCheck( [ [ TOOLS.eslint, '.', '--cache', '--cache-location', '.cache/eslint' ] ], options );
		case 'build': return runCheck( [ [ TOOLS.vite, 'build' ], [ TOOLS.typescript, '-p', 'tsconfig.build.json' ], [ 'scripts/completeDeclarations.mjs' ], [ 'scripts/checkPackage.mjs' ] ], options );
		case 'unit': return runVitest( stage, 'unit', {}, options );
		case 'gpu': return runVitest( stage, 'gpu', { THREE_SCAN_DEVICE: device }, options );
		case 'firefox': return runVitest( stage, 'firefox', {}, options );
		case 'visual': return runPlaywright( options );
		default: throw new Error( `Unknown stage '${ stage }'.` );

	}

}

/**
 * A stage that is one check: all its commands succeed, or it failed.
 * @param {string[][]} commands
 * @param {StageOptions} options
 * @returns {Promise<Counts>}
 */
async function runCheck( commands, options ) {

	for ( const command of commands ) {

		if ( await runNode( command, {}, options ) !== 0 ) return { passed: 0, failed: 1, skipped: 0 };

	}

	return { passed: 1, failed: 0, skipped: 0 };

}

/**
 * @param {string} stage
 * @param {string} project
 * @param {Record<string, string>} environment
 * @param {StageOptions} options
 * @returns {Promise<Counts>}
 */
async function runVitest( stage, project, environment, options ) {

	if ( hasTests( project, options ) === false ) return noTests( options );

	const report = join( REPORTS, `${ stage.replace( ':', '-' ) }.json` );

	const status = await runNode(
		[ TOOLS.vitest, 'run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${ report }`, ...options.runnerArguments ],
		{ ...environment, ...( options.isLong && { THREE_SCAN_LONG: '1' } ) },
		options,
	);

	const results = readReport( report );
	if ( results === null ) return oneFailure( 'The runner left no report', options );

	/** @type {{ status: string, assertionResults: { status: string }[] }[]} */
	const files = results.testResults;

	// a file that fails before its first test has no failed test to count
	const brokenFiles = files.filter( ( file ) => file.status === 'failed' && file.assertionResults.every( ( test ) => test.status !== 'failed' ) ).length;

	return checkCounts( status, {
		passed: results.numPassedTests,
		failed: results.numFailedTests + brokenFiles,
		skipped: results.numPendingTests + results.numTodoTests,
	}, options );

}

/**
 * @param {StageOptions} options
 * @returns {Promise<Counts>}
 */
async function runPlaywright( options ) {

	if ( hasTests( 'visual', options ) === false ) return noTests( options );

	const report = join( REPORTS, 'visual.json' );
	const status = await runNode( [ TOOLS.playwright, 'test', '--reporter=list,json', ...options.runnerArguments ], { PLAYWRIGHT_JSON_OUTPUT_NAME: report }, options );

	const results = readReport( report );
	if ( results === null ) return oneFailure( 'The runner left no report', options );

	const { expected, unexpected, flaky, skipped } = results.stats;
	return checkCounts( status, { passed: expected, failed: unexpected + flaky, skipped }, options );

}

/**
 * What a runner's exit status knows beyond its counts: a crash, an unhandled error, or nothing run at all.
 * @param {number} status
 * @param {Counts} counts
 * @param {StageOptions} options
 * @returns {Counts}
 */
function checkCounts( status, counts, options ) {

	if ( counts.failed > 0 ) return counts;
	if ( status !== 0 ) return { ...oneFailure( `The runner ended with status ${ status } although no test failed`, options ), passed: counts.passed, skipped: counts.skipped };
	if ( counts.passed + counts.skipped === 0 ) return oneFailure( 'No test ran', options );
	return counts;

}

/**
 * @param {string} reason
 * @param {StageOptions} options
 * @returns {Counts}
 */
function oneFailure( reason, options ) {

	options.print( `${ reason }: counted as a failure.\n` );
	return { passed: 0, failed: 1, skipped: 0 };

}

/**
 * @param {StageOptions} options
 * @returns {Counts}
 */
function noTests( options ) {

	options.print( 'no test files\n' );
	return { passed: 0, failed: 0, skipped: 0 };

}

/**
 * @param {string} project
 * @param {StageOptions} options
 */
function hasTests( project, options ) {

	const folder = `test/${ project }`;
	if ( existsSync( folder ) === false ) return false;

	const files = readdirSync( folder, { recursive: true, encoding: 'utf8' } ).filter( ( file ) => /\.(test|spec)\.ts$/.test( file ) );
	return files.some( ( file ) => options.isLong || file.endsWith( '.long.test.ts' ) === false );

}

/** @param {string} path */
function readReport( path ) {

	try {

		return JSON.parse( readFileSync( path, 'utf8' ) );

	} catch {

		return null;

	}

}

/**
 * Runs a script of Node to its end, within a time limit: a driver that hangs blocks the runner's own limits.
 * @param {string[]} command
 * @param {Record<string, string>} environment
 * @param {StageOptions} options
 * @returns {Promise<number>} exit status
 */
function runNode( command, environment, options ) {

	return new Promise( ( resolve ) => {

		// a process group of its own, so that stopping it stops what it started
		const child = spawn( process.execPath, command, { stdio: [ 'ignore', 'pipe', 'pipe' ], env: { ...process.env, ...environment }, detached: true } );

		child.stdout.on( 'data', options.print );
		child.stderr.on( 'data', options.print );

		const stop = () => {

			try {

				if ( child.pid !== undefined ) process.kill( - child.pid, 'SIGKILL' );

			} catch {

				child.kill( 'SIGKILL' );

			}

		};

		const limitMinutes = options.isLong ? 90 : 15;

		const timer = setTimeout( () => {

			options.print( `Stopped after ${ limitMinutes } minutes.\n` );
			stop();

		}, limitMinutes * 60_000 );

		running.add( stop );

		child.on( 'error', ( error ) => options.print( `${ error.message }\n` ) );

		child.on( 'close', ( status ) => {

			clearTimeout( timer );
			running.delete( stop );
			resolve( status ?? 1 );

		} );

	} );

}
