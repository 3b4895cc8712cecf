import { quantile } from '../statistics';

/** Columns of the CUB reference's output, and the measurements that they are set beside. */
const COLUMNS: readonly { label: string; names: readonly string[] }[] = [
	{ label: 'copy', names: [ 'copy' ] },
	{ label: 'scan', names: [ 'scan uint', 'scan float' ] },
	{ label: 'select_if(50%)', names: [ 'compact 50%' ] },
	{ label: 'radix_sort_keys', names: [ 'radix sort' ] },
];

/** CUB's microseconds by measurement's name and size. Runs one after the other in one file: their median. */
export function readCub( text: string ): Map<string, number> {

	const all = new Map<string, number[]>();

	for ( const line of text.split( '\n' ) ) {

		const log = /^CUB n=2\^(\d+) /.exec( line )?.[ 1 ];
		if ( log === undefined ) continue;

		for ( const { label, names } of COLUMNS ) {

			const at = line.indexOf( `${ label } ` );
			const time = /^([\d.]+)us/.exec( line.slice( at + label.length + 1 ) )?.[ 1 ];
			if ( at < 0 || time === undefined ) continue;

			for ( const name of names ) all.set( cubKey( name, Number( log ) ), [ ...all.get( cubKey( name, Number( log ) ) ) ?? [], Number( time ) ] );

		}

	}

	return new Map( [ ...all ].map( ( [ key, times ] ) => [ key, quantile( times, 0.5 ) ] ) );

}

export function cubKey( name: string, log: number ): string {

	return `${ name } 2^${ log }`;

}
