import { readFileSync, writeFileSync } from 'node:fs';
import { appendCases } from './cases/append';
import type { Case } from './cases/Case';
import { compactCases } from './cases/compact';
import { copyCases } from './cases/copy';
import { cullCases } from './cases/cull';
import { KERNELS } from './cases/kernels';
import { partitionCases } from './cases/partition';
import { sortCases } from './cases/radixSort';
import { reduceCases, scanCases } from './cases/scan';
import { threeCases } from './cases/threeSorts';
import { measureCpu } from './cpu';
import { describeEnvironment } from './environment';
import { createContext, type Context } from './gpu/context';
import { measure } from './measure';
import { HELP, readOptions, type Options } from './options';
import { readCub } from './report/cub';
import type { Results } from './report/Results';
import { printComparison, printCpu, printCub, printGoals } from './report/summary';
import { HEADING, line } from './report/table';
import { sweep } from './sweep';
import { Workload, type ElementType } from './Workload';

/** The copy by a kernel comes first: the others are set beside it. */
const CASES: Case[] = [ ...copyCases, ...scanCases, ...reduceCases, ...compactCases, ...appendCases, ...partitionCases, ...cullCases, ...sortCases, ...threeCases ];
const TYPES: ElementType[] = [ 'vec4', 'uint', 'float' ];

/** Runs the command; returns the exit code. */
export async function main( args: string[] ): Promise<number> {

	const options = readOptions( args );

	if ( options === null ) {

		console.log( HELP );
		return 0;

	}

	const context = await createContext( options );
	const environment = describeEnvironment( context.adapter, options.runs );
	const results: Results = { environment, measurements: [], cpu: [] };

	console.log( `${ Object.values( environment.adapter ).join( ' ' ) }\n${ Object.entries( environment.versions ).map( ( entry ) => entry.join( ' ' ) ).join( ', ' ) }` );

	for ( const log of options.sizes ) {

		console.log( `\n2^${ log }` );
		const { maxBufferSize, maxStorageBufferBindingSize } = context.device.limits;

		if ( 4 * 2 ** log > Math.min( maxBufferSize, maxStorageBufferBindingSize ) ) console.log( `skipped: larger than this device's maxBufferSize of ${ maxBufferSize } or maxStorageBufferBindingSize of ${ maxStorageBufferBindingSize }.` );
		else if ( options.sweep ) results.measurements.push( ...await sweep( context, log, options ) );
		else await measureSize( context, log, options, results );

		save( results, options );

	}

	if ( ! options.sweep && ( options.only?.includes( 'cpu' ) ?? true ) ) {

		results.cpu = await measureCpu( context );
		printCpu( results.cpu );

	}

	save( results, options );
	if ( options.cub !== undefined ) printCub( results, readCub( readFileSync( options.cub, 'utf8' ) ) );
	if ( ! options.sweep ) printGoals( results );
	if ( options.compare !== undefined ) printComparison( results, JSON.parse( readFileSync( options.compare, 'utf8' ) ) as Results );

	const wrong = results.measurements.filter( ( { problem } ) => problem !== null );
	console.log( `\n${ results.measurements.length } measured, ${ wrong.length } WRONG` );
	return wrong.length > 0 ? 1 : 0;

}

/** After each size: a run that is cut short leaves what it has measured. */
function save( results: Results, { json }: Options ): void {

	if ( json !== undefined ) writeFileSync( json, JSON.stringify( results, null, '\t' ) );

}

/** Why cases were skipped: said once, not at each size. */
const skipped = new Set<string>();

/** Runs all cases at one size, those of one element type after the other, so that their buffers are not there at the same time. */
async function measureSize( context: Context, log: number, options: Options, { measurements }: Results ): Promise<void> {

	console.log( HEADING );
	let copy: number | undefined;

	for ( const type of TYPES ) {

		const cases = CASES.filter( ( item ) => item.type === type && isWanted( item, log, options ) );
		if ( cases.length === 0 ) continue;

		const workload = new Workload( context, 2 ** log, type );

		for ( const item of cases ) {

			const outcome = await measure( context, item, workload, options.sabotage, measurements );

			if ( typeof outcome === 'string' ) {

				const message = `${ item.name } ${ item.kernel ?? '' } skipped: ${ outcome }`;
				if ( ! skipped.has( message ) ) console.log( message );
				skipped.add( message );
				continue;

			}

			if ( outcome.name === 'copy' ) copy ??= outcome.time.median;
			measurements.push( outcome );
			console.log( line( outcome, copy ) );

		}

		workload.dispose();

	}

}

function isWanted( { group, kernel, maxLog = Infinity }: Case, log: number, { only, kernels }: Options ): boolean {

	const isVariant = kernel !== undefined && kernel in KERNELS;
	return log <= maxLog && ( only?.includes( group ) ?? true ) && ( ! isVariant || ( kernels?.includes( kernel ) ?? true ) );

}
