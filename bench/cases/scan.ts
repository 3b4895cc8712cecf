import { ReducePass, ScanPass } from 'three-scan';
import { TWO_BITS, wordAt } from '../data';
import { Tally } from '../Tally';
import { verifyValues, verifyWords } from '../verify';
import type { ElementType, Workload } from '../Workload';
import type { Case } from './Case';
import { KERNELS } from './kernels';
import { passRun } from './passRun';

const TYPES: ElementType[] = [ 'uint', 'float', 'vec4' ];

/** Exclusive sums, as in the CUB reference. */
export const scanCases: Case[] = TYPES.flatMap( ( type ) => Object.keys( KERNELS ).map( ( kernel ) => scanCase( type, kernel, KERNELS[ kernel ] ) ) );

export function scanCase( type: ElementType, kernel: string, options: ConstructorParameters<typeof ScanPass>[ 1 ] ): Case {

	return {
		group: 'scan', name: `scan ${ type }`, kernel, type, pattern: TWO_BITS,
		prepare: ( workload ) => passRun( workload.context, () => new ScanPass( workload.input, { ...options, output: workload.output } ), async ( pass ) => {

			const tally = sums( workload );

			const problem = await verifyWords( workload, workload.words, ( start ) => {

				const running = tally.before( start );
				const channels = running.length;
				let i = start;

				return () => {

					const channel = i % channels;
					const prefix = running[ channel ];
					running[ channel ] += wordAt( TWO_BITS, i ++ );
					return prefix;

				};

			} );

			return problem ?? verifyTotal( workload, await pass.readTotal( workload.context.renderer ) );

		} ),
	};

}

export const reduceCases: Case[] = Object.keys( KERNELS ).map( ( kernel ) => ( {
	group: 'reduce', name: 'reduce uint', kernel, type: 'uint', pattern: TWO_BITS,
	prepare: ( workload ) => passRun( workload.context, () => new ReducePass( workload.input, KERNELS[ kernel ] ), async ( pass ) => verifyTotal( workload, await pass.readTotal( workload.context.renderer ) ), ( pass ) => pass.total ),
} ) );

/** The sums before each word, one channel a component. */
function sums( workload: Workload ): Tally {

	const channels = workload.type === 'vec4' ? 4 : 1;
	return workload.expect( 'sums', () => new Tally( workload.words, channels, ( i ) => i % channels, ( i ) => wordAt( TWO_BITS, i ) ) );

}

function verifyTotal( workload: Workload, total: number | number[] ): string | null {

	return verifyValues( 'total', typeof total === 'number' ? [ total ] : total, sums( workload ).totals, workload.type !== 'uint' );

}
