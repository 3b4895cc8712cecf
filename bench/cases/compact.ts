import { CompactPass, type PassOptions } from 'three-scan';
import { storage, uint } from 'three/tsl';
import type { Node } from 'three/webgpu';
import { TEN_BITS, TWO_BITS, wordAt, type Pattern } from '../data';
import { Tally } from '../Tally';
import { verifyValues, verifyWords, type ExpectedFrom } from '../verify';
import type { Workload } from '../Workload';
import type { Case } from './Case';
import { KERNELS } from './kernels';
import { passRun } from './passRun';

/** Which elements survive: those whose word is at least `least`. */
export interface Selection { readonly percent: number; readonly pattern: Pattern; readonly least: number }

const ONE_PERCENT: Selection = { percent: 1, pattern: TEN_BITS, least: 1014 };
/** The CUB reference's. */
export const HALF: Selection = { percent: 50, pattern: TWO_BITS, least: 2 };
const NEARLY_ALL: Selection = { percent: 99, pattern: TEN_BITS, least: 10 };

export const compactCases: Case[] = [
	...Object.keys( KERNELS ).map( ( kernel ) => compactCase( HALF, kernel, KERNELS[ kernel ] ) ),
	compactCase( ONE_PERCENT, 'default', KERNELS.default ),
	compactCase( NEARLY_ALL, 'default', KERNELS.default ),
];

export function compactCase( selection: Selection, kernel: string, options: PassOptions ): Case {

	return {
		group: 'compact', name: `compact ${ selection.percent }%`, kernel, type: 'uint', pattern: selection.pattern,
		prepare: ( workload ) => passRun( workload.context, () => new CompactPass( workload.words, predicate( workload, selection ), { ...options, indices: workload.output } ), async ( pass ) => {

			const tally = survivors( workload, selection );
			const [ count ] = tally.totals;

			return verifyValues( 'survivor count', [ await pass.readSurvivorCount( workload.context.renderer ) ], [ count ] )
				?? verifyWords( workload, count, ranked( tally ) );

		} ),
	};

}

export function predicate( workload: Workload, { least }: Selection ): ( i: Node<'uint'> ) => Node<'bool'> {

	const words = storage( workload.input, 'uint', workload.length ).toReadOnly();
	return ( i ) => words.element( i ).greaterThanEqual( uint( least ) );

}

/** Survivors before each element. */
export function survivors( workload: Workload, { percent, pattern, least }: Selection ): Tally {

	return workload.expect( `survivors ${ percent }`, () => new Tally( workload.words, 1, ( i ) => wordAt( pattern, i ) >= least ? 0 : - 1, () => 1 ) );

}

function ranked( tally: Tally ): ExpectedFrom {

	return ( start ) => {

		let i = tally.find( 0, start );

		return () => {

			const index = i;
			i = tally.next( 0, i + 1 );
			return index;

		};

	};

}
