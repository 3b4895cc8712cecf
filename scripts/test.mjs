// @ts-check
// npm test: every check of the project, and one line that adds them up.
//
//   npm test                                     all stages
//   npm test -- unit gpu:swiftshader             some of them; `gpu` means all devices, `gpu:default` the machine's own
//   npm test -- gpu:lavapipe-8 test/gpu/boot     arguments that are no stage go on to the test runner
//   npm run test:long                            with *.long.test.ts and Firefox

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { TEST_DEVICES, setUpDrivers } from './drivers.mjs';
import { runStage } from './stages.mjs';

/** @typedef {import('./stages.mjs').Counts & { stage: string, seconds: number }} Row */

/** Most of a GPU stage's time one thread compiles shaders, so two of them share two cores well. */
const STAGES_AT_ONCE = Math.min( 2, availableParallelism() );

const isLong = process.argv.includes( '--long' );
const names = process.argv.slice( 2 ).filter( ( argument ) => argument !== '--long' );

const gpuStages = TEST_DEVICES.map( ( device ) => `gpu:${ device }` );
const allStages = [ 'typecheck', 'lint', 'build', 'unit', ...gpuStages, 'visual', ...( isLong ? [ 'firefox' ] : [] ) ];
const stageNames = new Set( [ ...allStages, 'gpu', 'gpu:default', 'firefox' ] );

const selected = names.filter( ( name ) => stageNames.has( name ) ).flatMap( ( name ) => name === 'gpu' ? gpuStages : [ name ] );
const runnerArguments = names.filter( ( name ) => stageNames.has( name ) === false );

if ( runnerArguments.length > 0 && selected.length === 0 ) {

	console.error( `No stage named in '${ names.join( ' ' ) }'. Stages: ${ [ ...stageNames ].join( ', ' ) }.` );
	process.exit( 2 );

}

await main();

async function main() {

	const start = Date.now();
	process.chdir( fileURLToPath( new URL( '..', import.meta.url ) ) );

	if ( existsSync( 'node_modules' ) === false ) {

		const { status } = spawnSync( 'npm', [ 'ci' ], { stdio: 'inherit', shell: process.platform === 'win32' } );
		if ( status !== 0 ) process.exit( status ?? 1 );

	}

	const stages = selected.length > 0 ? [ ...new Set( selected ) ] : allStages;
	if ( stages.some( needsDriver ) ) for ( const problem of setUpDrivers() ) console.error( problem );

	// browsers have their own time limits, so they run alone
	const rows = await runStages( stages.filter( ( stage ) => isBrowser( stage ) === false ), STAGES_AT_ONCE );
	rows.push( ...await runStages( stages.filter( isBrowser ), 1 ) );

	printTable( rows );
	const total = sum( rows );
	console.log( `\n${ rows.length } stages in ${ ( ( Date.now() - start ) / 1000 ).toFixed( 0 ) } s` );
	console.log( `${ total.passed } passed, ${ total.failed } failed, ${ total.skipped } skipped` );
	process.exitCode = total.failed > 0 ? 1 : 0;

}

/** @param {string} stage */
function isBrowser( stage ) {

	return stage === 'visual' || stage === 'firefox';

}

/** @param {string} stage */
function needsDriver( stage ) {

	return isBrowser( stage ) || gpuStages.includes( stage );

}

/**
 * Prints as it goes where one stage runs at a time, else each stage as a whole when it has ended.
 * @param {string[]} stages
 * @param {number} atOnce
 * @returns {Promise<Row[]>}
 */
async function runStages( stages, atOnce ) {

	/** @type {Row[]} */
	const rows = [];
	const queue = stages.entries();
	const isLive = atOnce === 1 || stages.length === 1;

	const work = async () => {

		for ( const [ i, stage ] of queue ) {

			/** @type {( string | Buffer )[]} */
			const output = [];
			const print = isLive ? ( /** @type {string | Buffer} */ text ) => process.stdout.write( text ) : ( /** @type {string | Buffer} */ text ) => output.push( text );

			const start = Date.now();
			print( `\n── ${ stage } ${ '─'.repeat( 60 - stage.length ) }\n` );
			const counts = await runStage( stage, { print, isLong, runnerArguments } );
			rows[ i ] = { stage, ...counts, seconds: ( Date.now() - start ) / 1000 };

			for ( const text of output ) process.stdout.write( text );

		}

	};

	await Promise.all( Array.from( { length: atOnce }, work ) );
	return rows;

}

/** @param {Row[]} rows */
function printTable( rows ) {

	const line = ( /** @type {string} */ first, /** @type {( string | number )[]} */ columns ) => console.log( first.padEnd( 18 ) + columns.map( ( column ) => String( column ).padStart( 9 ) ).join( '' ) );

	console.log();
	line( 'stage', [ 'passed', 'failed', 'skipped', 'seconds' ] );
	for ( const { stage, passed, failed, skipped, seconds } of rows ) line( stage, [ passed, failed, skipped, seconds.toFixed( 1 ) ] );

}

/** @param {Row[]} rows */
function sum( rows ) {

	return rows.reduce( ( total, row ) => ( {
		passed: total.passed + row.passed,
		failed: total.failed + row.failed,
		skipped: total.skipped + row.skipped,
	} ), { passed: 0, failed: 0, skipped: 0 } );

}
