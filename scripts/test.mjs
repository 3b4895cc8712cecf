// @ts-check
// npm test: every check of the project, one stage after the other, and one line that adds them up.
//
//   npm test                                     all stages
//   npm test -- unit gpu:swiftshader             some of them; `gpu` means all devices, `gpu:default` the machine's own
//   npm test -- gpu:lavapipe-8 test/gpu/boot     arguments that are no stage go on to the test runner
//   npm run test:long                            with *.long.test.ts and Firefox

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_DEVICES, setUpDrivers } from './drivers.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ name: string, run: () => Promise<Counts>, isSelected: boolean }} Stage
 */

const ROOT = fileURLToPath( new URL( '..', import.meta.url ) );
const REPORTS = mkdtempSync( join( tmpdir(), 'three-scan-' ) );

const isLong = process.argv.includes( '--long' );
const names = process.argv.slice( 2 ).filter( ( argument ) => argument !== '--long' );

const STAGE_LIMIT_MS = ( isLong ? 90 : 12 ) * 60_000;

const stageNames = [
	'typecheck', 'lint', 'build', 'unit',
	...TEST_DEVICES.map( ( device ) => `gpu:${ device }` ),
	'visual',
	...( isLong ? [ 'firefox' ] : [] ),
];

const known = new Set( [ ...stageNames, 'firefox', 'gpu:default', 'gpu' ] );
const selected = names.filter( ( name ) => known.has( name ) ).flatMap( ( name ) => name === 'gpu' ? stageNames.filter( ( stage ) => stage.startsWith( 'gpu:' ) ) : [ name ] );
const runnerArguments = names.filter( ( name ) => known.has( name ) === false );

if ( runnerArguments.length > 0 && selected.length === 0 ) {

	console.error( `No stage named in '${ names.join( ' ' ) }'. Stages: ${ [ ...known ].join( ', ' ) }.` );
	process.exit( 2 );

}

process.on( 'exit', () => rmSync( REPORTS, { recursive: true, force: true } ) );

await main();

async function main() {

	const start = Date.now();
	process.chdir( ROOT );

	if ( existsSync( 'node_modules' ) === false ) {

		heading( 'npm ci' );
		const { status } = spawnSync( 'npm', [ 'ci' ], { stdio: 'inherit', shell: process.platform === 'win32' } );
		if ( status !== 0 ) process.exit( status ?? 1 );

	}

	const stages = selected.length > 0 ? [ ...new Set( selected ) ] : stageNames;

	if ( stages.some( ( stage ) => /^(gpu:(?!default)|visual|firefox)/.test( stage ) ) ) {

		heading( 'drivers' );
		for ( const problem of setUpDrivers() ) console.error( problem );

	}

	/** @type {( Counts & { stage: string, seconds: number } )[]} */
	const rows = [];

	for ( const stage of stages ) {

		heading( stage );
		const stageStart = Date.now();
		const counts = await runStage( stage );
		rows.push( { stage, ...counts, seconds: ( Date.now() - stageStart ) / 1000 } );

	}

	const total = { passed: 0, failed: 0, skipped: 0 };

	console.log( `\n${ 'stage'.padEnd( 18 ) }${ [ 'passed', 'failed', 'skipped', 'seconds' ].map( ( title ) => title.padStart( 9 ) ).join( '' ) }` );

	for ( const row of rows ) {

		total.passed += row.passed;
		total.failed += row.failed;
		total.skipped += row.skipped;
		console.log( `${ row.stage.padEnd( 18 ) }${ [ row.passed, row.failed, row.skipped, row.seconds.toFixed( 1 ) ].map( ( value ) => String( value ).padStart( 9 ) ).join( '' ) }` );

	}

	console.log( `\n${ stages.length } stages in ${ ( ( Date.now() - start ) / 1000 ).toFixed( 0 ) } s` );
	console.log( `${ total.passed } passed, ${ total.failed } failed, ${ total.skipped } skipped` );
	process.exitCode = total.failed > 0 ? 1 : 0;

}

/**
 * @param {string} stage
 * @returns {Promise<Counts>}
 */
function runStage( stage ) {

	const [ kind, device ] = stage.split( ':' );

	switch ( kind ) {

		case 'typecheck': return runCheck( [ bin( 'typescript', 'bin/tsc' ), '--noEmit' ] );
		case 'lint': return runCheck( [ bin( 'eslint', 'bin/eslint.js' ), '.', '--quiet', '--cache', '--cache-location', '.cache/eslint' ] );
		case 'build': return runCheck( [ bin( 'vite', 'bin/vite.js' ), 'build' ], [ bin( 'typescript', 'bin/tsc' ), '-p', 'tsconfig.build.json' ], [ 'scripts/completeDeclarations.mjs' ], [ 'scripts/checkPackage.mjs' ] );
		case 'unit': return runVitest( stage, 'unit' );
		case 'gpu': return runVitest( stage, 'gpu', { THREE_SCAN_DEVICE: /** @type {string} */ ( device ) } );
		case 'firefox': return runVitest( stage, 'firefox' );
		case 'visual': return runPlaywright();
		default: throw new Error( `Unknown stage '${ stage }'.` );

	}

}

/**
 * A stage that is one check: all its commands succeed, or it failed.
 * @param {...string[]} commands
 * @returns {Promise<Counts>}
 */
async function runCheck( ...commands ) {

	for ( const command of commands ) {

		if ( await runNode( command ) !== 0 ) return { passed: 0, failed: 1, skipped: 0 };

	}

	return { passed: 1, failed: 0, skipped: 0 };

}

/**
 * @param {string} stage
 * @param {string} project
 * @param {Record<string, string>} [environment]
 * @returns {Promise<Counts>}
 */
async function runVitest( stage, project, environment = {} ) {

	if ( hasTests( `test/${ project }` ) === false ) return noTests();

	const report = reportPath( stage );
	const status = await runNode( [
		bin( 'vitest', 'vitest.mjs' ), 'run', '--project', project,
		'--reporter=default', '--reporter=json', `--outputFile.json=${ report }`,
		...runnerArguments,
	], { ...environment, ...( isLong && { THREE_SCAN_LONG: '1' } ) } );

	const results = readReport( report );
	if ( results === null ) return lostReport();

	/** @type {{ status: string, assertionResults: { status: string }[] }[]} */
	const files = results.testResults;

	// a file that fails before its first test has no failed test to count
	const brokenFiles = files.filter( ( file ) => file.status === 'failed' && file.assertionResults.every( ( test ) => test.status !== 'failed' ) ).length;

	return withStatus( status, {
		passed: results.numPassedTests,
		failed: results.numFailedTests + brokenFiles,
		skipped: results.numPendingTests + results.numTodoTests,
	} );

}

/** @returns {Promise<Counts>} */
async function runPlaywright() {

	if ( hasTests( 'test/visual' ) === false ) return noTests();

	const report = reportPath( 'visual' );
	const status = await runNode( [ bin( 'playwright', 'cli.js' ), 'test', '--reporter=list,json', ...runnerArguments ], { PLAYWRIGHT_JSON_OUTPUT_NAME: report } );

	const results = readReport( report );
	if ( results === null ) return lostReport();

	const { expected, unexpected, flaky, skipped } = results.stats;
	return withStatus( status, { passed: expected, failed: unexpected + flaky, skipped } );

}

/**
 * What a runner's exit status knows beyond its counts: a crash, an unhandled error, or nothing run at all.
 * @param {number} status
 * @param {Counts} counts
 * @returns {Counts}
 */
function withStatus( status, counts ) {

	if ( counts.failed === 0 && status !== 0 ) {

		console.error( `The runner ended with status ${ status } although no test failed: counted as a failure.` );
		return { ...counts, failed: 1 };

	}

	if ( counts.passed + counts.failed + counts.skipped === 0 ) {

		console.error( 'No test ran: counted as a failure.' );
		return { ...counts, failed: 1 };

	}

	return counts;

}

/** @returns {Counts} */
function lostReport() {

	console.error( 'The runner left no report: counted as a failure.' );
	return { passed: 0, failed: 1, skipped: 0 };

}

/** @returns {Counts} */
function noTests() {

	console.log( 'no test files' );
	return { passed: 0, failed: 0, skipped: 0 };

}

/** @param {string} folder */
function hasTests( folder ) {

	return existsSync( folder ) && readdirSync( folder, { recursive: true, encoding: 'utf8' } ).some( ( file ) => /\.(test|spec)\.ts$/.test( file ) && ( isLong || /\.long\.test\.ts$/.test( file ) === false ) );

}

/** @param {string} stage */
function reportPath( stage ) {

	return join( REPORTS, `${ stage.replace( ':', '-' ) }.json` );

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
 * @param {string} name
 * @param {string} path
 */
function bin( name, path ) {

	return join( 'node_modules', name, path );

}

/**
 * Runs a script of Node to its end, within the stage's time limit; the limit ends what it started, too.
 * @param {string[]} command
 * @param {Record<string, string>} [environment]
 * @returns {Promise<number>} exit status
 */
function runNode( command, environment = {} ) {

	return new Promise( ( resolve ) => {

		const child = spawn( process.execPath, command, { stdio: [ 'ignore', 'inherit', 'inherit' ], env: { ...process.env, ...environment }, detached: true } );

		const stop = () => {

			if ( child.pid === undefined ) return;

			try {

				process.kill( - child.pid, 'SIGKILL' );

			} catch {

				child.kill( 'SIGKILL' );

			}

		};

		const interrupt = () => {

			stop();
			process.exit( 130 );

		};

		const timer = setTimeout( () => {

			console.error( `Stopped after ${ STAGE_LIMIT_MS / 60_000 } minutes.` );
			stop();

		}, STAGE_LIMIT_MS );

		process.once( 'SIGINT', interrupt );
		process.once( 'SIGTERM', interrupt );

		child.on( 'error', ( error ) => console.error( error.message ) );

		child.on( 'close', ( status ) => {

			clearTimeout( timer );
			process.off( 'SIGINT', interrupt );
			process.off( 'SIGTERM', interrupt );
			resolve( status ?? 1 );

		} );

	} );

}

/** @param {string} text */
function heading( text ) {

	console.log( `\n── ${ text } ${ '─'.repeat( Math.max( 2, 60 - text.length ) ) }` );

}
