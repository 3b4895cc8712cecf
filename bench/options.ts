import { parseArgs } from 'node:util';
import { KERNELS } from './cases/kernels';

const DEFAULT_SIZES = [ 10, 12, 14, 16, 17, 18, 20, 22, 24, 26, 28 ];
const GROUPS = [ 'copy', 'scan', 'reduce', 'compact', 'append', 'partition', 'cull', 'sort', 'three', 'cpu' ];

export const HELP = `Measures three-scan on this machine's GPU, and verifies what it measures.

  --sizes 14,17,20      powers of two, from 10 on (default ${ DEFAULT_SIZES.join() }, as far as the device's limits allow)
  --max-log 24          leaves larger sizes out
  --only scan,compact   groups: ${ GROUPS.join( ', ' ) }
  --kernels default     variants: ${ Object.keys( KERNELS ).join( ', ' ) }
  --runs 31             batches a measurement
  --warm-up 50          milliseconds of work before each measurement, for the clock (default 50; 0 on a CPU)
  --sweep               tries workgroup sizes and items per thread instead, of ScanPass and CompactPass
  --json FILE           writes everything measured
  --compare FILE        prints ratios against such a file
  --cub FILE            prints ratios against the output of the CUB reference, and the goals
  --sabotage            spoils every result before it is verified: everything must be reported as WRONG

Exits with 1 if a result is wrong.
`;

export interface Options {

	/** Powers of two. */
	sizes: number[];
	/** Groups to run; none: all. */
	only: string[] | null;
	kernels: string[] | null;
	runs: number;
	warmUp: number | undefined;
	sweep: boolean;
	json: string | undefined;
	compare: string | undefined;
	cub: string | undefined;
	sabotage: boolean;

}

/** Reads the command line; null asks for help. */
export function readOptions( args: string[] ): Options | null {

	const { values } = parseArgs( {
		args,
		options: {
			'sizes': { type: 'string' },
			'max-log': { type: 'string', default: '28' },
			'only': { type: 'string' },
			'kernels': { type: 'string' },
			'runs': { type: 'string', default: '31' },
			'warm-up': { type: 'string' },
			'sweep': { type: 'boolean', default: false },
			'json': { type: 'string' },
			'compare': { type: 'string' },
			'cub': { type: 'string' },
			'sabotage': { type: 'boolean', default: false },
			'help': { type: 'boolean', default: false },
		},
	} );

	if ( values.help ) return null;

	const list = ( text: string | undefined ): string[] | null => text === undefined ? null : text.split( ',' ).map( ( item ) => item.trim() );
	const maxLog = number( 'max-log', values[ 'max-log' ], 10, 28 );
	const sizes = list( values.sizes )?.map( ( size ) => number( 'sizes', size, 10, 28 ) ) ?? DEFAULT_SIZES;

	return {
		sizes: sizes.filter( ( size ) => size <= maxLog ),
		only: known( 'only', list( values.only ), GROUPS ),
		kernels: known( 'kernels', list( values.kernels ), Object.keys( KERNELS ) ),
		runs: number( 'runs', values.runs, 1, 1000 ),
		warmUp: values[ 'warm-up' ] === undefined ? undefined : number( 'warm-up', values[ 'warm-up' ], 0, 10000 ),
		sweep: values.sweep,
		json: values.json,
		compare: values.compare,
		cub: values.cub,
		sabotage: values.sabotage,
	};

}

function number( name: string, text: string, least: number, most: number ): number {

	const value = Number( text );
	if ( ! Number.isInteger( value ) || value < least || value > most ) throw new Error( `bench: --${ name } takes whole numbers from ${ least } to ${ most } (got '${ text }').` );
	return value;

}

function known( name: string, given: string[] | null, names: readonly string[] ): string[] | null {

	const stranger = given?.find( ( item ) => ! names.includes( item ) );
	if ( stranger !== undefined ) throw new Error( `bench: --${ name } takes ${ names.join( ', ' ) } (got '${ stranger }').` );
	return given;

}
