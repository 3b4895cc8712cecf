import type { KernelPolicy } from 'three-scan';
import type { Measurement } from './Results';

/** Columns of text: the first ones to the left, the rest to the right. */
export function columns( cells: readonly string[], widths: readonly number[], left: number ): string {

	return cells.map( ( cell, k ) => k < left ? cell.padEnd( widths[ k ] ) : cell.padStart( widths[ k ] ) ).join( '  ' ).trimEnd();

}

const WIDTHS = [ 18, 18, 10, 19, 8, 10, 20, 8, 5 ];

export const HEADING = columns( [ '', 'kernel', 'µs', 'p10 … p90', '× copy', 'G words/s', 'scratch', 'init ms', '' ], WIDTHS, 2 );

/** One line of the table. */
export function line( m: Measurement, copy: number | undefined ): string {

	const { name, kernel, time, scratchBytes, initMilliseconds, problem, log } = m;

	return columns( [
		name, kernel ?? '',
		microseconds( time.median ), `${ microseconds( time.p10 ) } … ${ microseconds( time.p90 ) }`,
		copy === undefined ? '' : ( time.median / copy ).toFixed( 2 ),
		( 2 ** log / time.median / 1000 ).toFixed( 2 ),
		scratchBytes === null ? '' : `${ scratchBytes } B ${ ( 100 * scratchBytes / ( 4 * 2 ** log ) ).toFixed( 2 ) }%`,
		initMilliseconds === null ? '' : initMilliseconds.toFixed( 0 ),
		problem === null ? 'ok' : `WRONG: ${ problem }`,
	], WIDTHS, 2 );

}

export function microseconds( time: number ): string {

	return time.toFixed( time < 100 ? 2 : time < 1000 ? 1 : 0 );

}

/** How a pass runs, in short. */
export function policyText( { kernel, algorithm, sharedMemoryScan, subgroupScan, workgroupSize, itemsPerThread, dispatches }: KernelPolicy ): string {

	return `${ algorithm }, ${ kernel } ${ kernel === 'subgroup' ? subgroupScan : sharedMemoryScan }, ${ workgroupSize } × ${ itemsPerThread }, ${ dispatches } dispatches`;

}
