import { cubKey } from './cub';
import { cubGoal, ownGoals } from './goals';
import type { CpuMeasurement, Results } from './Results';
import { columns, microseconds } from './table';

const WIDTHS = [ 6, 42, 10, 10, 7, 8, 6 ];

/** Prints our time beside CUB's, with the goals. */
export function printCub( { measurements }: Results, cub: ReadonlyMap<string, number> ): void {

	console.log( `\n${ columns( [ '', '', 'µs', 'CUB µs', 'ratio', 'goal', '' ], WIDTHS, 2 ) }` );

	for ( const { log, name, kernel, time, problem } of measurements ) {

		const theirs = cub.get( cubKey( name, log ) );
		if ( theirs === undefined || problem !== null ) continue;

		const ratio = time.median / theirs;
		const goal = cubGoal( name, kernel, log );
		console.log( columns( [ `2^${ log }`, `${ name } ${ kernel ?? '' }`, microseconds( time.median ), microseconds( theirs ), ratio.toFixed( 2 ), ...verdict( ratio, goal ) ], WIDTHS, 2 ) );

	}

}

/** Prints what `compute()` costs the CPU. */
export function printCpu( measured: readonly CpuMeasurement[] ): void {

	console.log( '\nCPU a call, beside as many empty nodes' );

	for ( const { name, nodes, time, emptyTime, heapBytes, emptyHeapBytes, gpuObjects } of measured ) {

		console.log( `${ name.padEnd( 19 ) } ${ nodes } nodes  ${ time.toFixed( 1 ) } µs beside ${ emptyTime.toFixed( 1 ) }  ${ heapBytes } B of heap beside ${ emptyHeapBytes }  ${ gpuObjects } GPU objects made` );

	}

}

/** Prints the goals within our own measurements. */
export function printGoals( results: Results ): void {

	const goals = ownGoals( results );
	if ( goals.length === 0 ) return;

	console.log( `\n${ columns( [ '', '', '', '', 'ratio', 'goal', '' ], WIDTHS, 2 ) }` );
	for ( const { log, what, ratio, most } of goals ) console.log( columns( [ Number.isNaN( log ) ? '' : `2^${ log }`, what, '', '', ratio.toFixed( 2 ), ...verdict( ratio, most ) ], WIDTHS, 2 ) );

}

/** Prints now ÷ then for everything that both measured. */
export function printComparison( now: Results, then: Results ): void {

	console.log( `\nagainst ${ then.environment.versions[ 'three-scan' ] } of ${ then.environment.date } on ${ then.environment.adapter.device }` );
	console.log( columns( [ '', '', 'µs', 'then', 'ratio', '', '' ], WIDTHS, 2 ) );

	for ( const { log, name, kernel, time } of now.measurements ) {

		const before = then.measurements.find( ( m ) => m.log === log && m.name === name && m.kernel === kernel );
		if ( before === undefined ) continue;

		// apart by more than both spreads
		const isApart = time.p10 > before.time.p90 || time.p90 < before.time.p10;
		const ratio = time.median / before.time.median;
		console.log( columns( [ `2^${ log }`, `${ name } ${ kernel ?? '' }`, microseconds( time.median ), microseconds( before.time.median ), ratio.toFixed( 2 ), isApart ? ratio < 1 ? 'faster' : 'slower' : '', '' ], WIDTHS, 2 ) );

	}

}

function verdict( ratio: number, goal: number | null ): [ string, string ] {

	return goal === null ? [ '', '' ] : [ `≤ ${ goal.toFixed( 2 ) }`, ratio <= goal ? 'met' : 'missed' ];

}
