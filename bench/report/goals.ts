import { find, type Results } from './Results';

/** A ratio of two measurements, and what it should be at most. */
export interface Goal { log: number; what: string; ratio: number; most: number }

/** At most so many times CUB's time, by size. */
export function cubGoal( name: string, kernel: string | null, log: number ): number | null {

	if ( name === 'compact 50%' ) return kernel === 'default' ? 0.95 : null;
	if ( name !== 'scan uint' && name !== 'scan float' ) return null;
	if ( kernel === 'default' ) return log <= 22 ? 0.95 : 1.1;
	if ( kernel === 'single-pass' ) return log <= 22 ? 0.85 : 1;
	return null;

}

/** The goals that need no other program. */
export function ownGoals( results: Results ): Goal[] {

	const goals: Goal[] = [];

	const compare = ( log: number, what: string, a: ReturnType<typeof find>, b: ReturnType<typeof find>, most: number ): void => {

		if ( a !== undefined && b !== undefined ) goals.push( { log, what, ratio: a.time.median / b.time.median, most } );

	};

	for ( const log of new Set( results.measurements.map( ( m ) => m.log ) ) ) {

		for ( const name of new Set( results.measurements.map( ( m ) => m.name ) ) ) {

			const subgroup = find( results, log, name, 'subgroup' ) ?? find( results, log, name, 'default' );
			if ( subgroup?.policy?.kernel !== 'subgroup' ) continue;

			const shared = [ 'hillis-steele', 'blelloch' ].map( ( kernel ) => find( results, log, name, kernel ) ).filter( ( m ) => m !== undefined );
			const best = shared.sort( ( a, b ) => a.time.median - b.time.median )[ 0 ];
			compare( log, `${ name }: shared memory ÷ subgroup`, best, subgroup, 1.35 );

		}

		const least = log >= 26 ? 12 : log >= 24 ? 8 : null;
		if ( least !== null ) compare( log, 'compact 50% ÷ atomic append', find( results, log, 'compact 50%', 'default' ), find( results, log, 'atomic append', null ), 1 / least );

		compare( log, 'radix sort ÷ bitonic sort', find( results, log, 'radix sort', 'default' ), find( results, log, 'BitonicSort', null ), 1 );

	}

	const cull = find( results, 20, 'cull 3 LODs', 'default' );
	if ( cull !== undefined ) goals.push( { log: 20, what: 'cull 3 LODs: µs ÷ 40', ratio: cull.time.median / 40, most: 1 } );

	const cullCpu = results.cpu.find( ( { name } ) => name === 'CulledInstancedMesh' );
	if ( cullCpu !== undefined ) goals.push( { log: NaN, what: 'CulledInstancedMesh: CPU µs ÷ 120', ratio: cullCpu.time / 120, most: 1 } );

	for ( const { name, time, emptyTime } of results.cpu ) if ( name !== 'CulledInstancedMesh' ) goals.push( { log: NaN, what: `${ name }: CPU time ÷ as many empty nodes`, ratio: time / emptyTime, most: 1.3 } );

	return goals;

}
