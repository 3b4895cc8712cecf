import type { PassOptions } from 'three-scan';
import type { Case } from './cases/Case';
import { compactCase, HALF } from './cases/compact';
import { KERNELS } from './cases/kernels';
import { scanCase } from './cases/scan';
import type { Context } from './gpu/context';
import { measure } from './measure';
import type { Options } from './options';
import type { Measurement } from './report/Results';
import { microseconds, policyText } from './report/table';
import { Workload } from './Workload';

const WORKGROUP_SIZES = [ 64, 128, 256, 512, 1024 ];
const ITEMS_PER_THREAD = [ 4, 8, 16, 32 ];
const SHOWN = 4;

/** Tries every shape of a tile at one size, each verified, and prints the fastest beside the default. */
export async function sweep( context: Context, log: number, { only, kernels, sabotage }: Options ): Promise<Measurement[]> {

	const limit = context.device.limits.maxComputeInvocationsPerWorkgroup;
	const workgroupSizes = WORKGROUP_SIZES.filter( ( size ) => size <= limit );
	const workload = new Workload( context, 2 ** log, 'uint' );
	const all: Measurement[] = [];

	for ( const kernel of kernels ?? [ 'default' ] ) {

		const options = KERNELS[ kernel ];
		const shapes = workgroupSizes.map( ( workgroupSize ): PassOptions => ( { ...options, workgroupSize } ) );

		const groups: Record<string, Case[]> = {
			scan: shapes.flatMap( ( shape ) => ITEMS_PER_THREAD.map( ( itemsPerThread ) => scanCase( 'uint', label( kernel, shape.workgroupSize, itemsPerThread ), { ...shape, itemsPerThread } ) ) ),
			compact: shapes.map( ( shape ) => compactCase( HALF, label( kernel, shape.workgroupSize ), shape ) ),
		};

		groups.scan.unshift( scanCase( 'uint', kernel, options ) );
		groups.compact.unshift( compactCase( HALF, kernel, options ) );

		for ( const group of Object.keys( groups ).filter( ( name ) => only?.includes( name ) ?? true ) ) {

			const measured: Measurement[] = [];

			for ( const item of groups[ group ] ) {

				const outcome = await measure( context, item, workload, sabotage, [] );
				if ( typeof outcome === 'string' ) console.log( `${ item.name } ${ item.kernel } skipped: ${ outcome }` );
				else measured.push( outcome );

			}

			print( measured );
			all.push( ...measured );

		}

	}

	workload.dispose();
	return all;

}

function label( kernel: string, ...shape: ( number | undefined )[] ): string {

	return `${ kernel } ${ shape.join( '×' ) }`;

}

function print( measured: readonly Measurement[] ): void {

	const [ standard ] = measured;
	const ranked = measured.filter( ( { problem } ) => problem === null ).sort( ( a, b ) => a.time.median - b.time.median ).slice( 0, SHOWN );

	for ( const m of [ ...ranked, ...ranked.includes( standard ) ? [] : [ standard ] ] ) {

		const ratio = ( m.time.median / standard.time.median ).toFixed( 2 );
		console.log( `${ m.name }  ${ microseconds( m.time.median ).padStart( 8 ) } µs  ${ ratio } × default  ${ m.policy === null ? '' : policyText( m.policy ) }${ m === standard ? '  (default)' : '' }` );

	}

	for ( const { name, kernel, problem } of measured ) if ( problem !== null ) console.log( `${ name } ${ kernel } WRONG: ${ problem }` );

}
