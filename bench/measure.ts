import { Skip, type Case, type Run } from './cases/Case';
import type { Context } from './gpu/context';
import type { Measurement } from './report/Results';
import { policyText } from './report/table';
import type { Workload } from './Workload';

/**
 * Measures a case and verifies what the measured batch left. A string says why it was skipped.
 *
 * @param known - Measurements of the same size: a variant that runs as another one did is skipped.
 */
export async function measure( context: Context, { group, name, kernel, pattern, prepare }: Case, workload: Workload, sabotage: boolean, known: readonly Measurement[] ): Promise<Measurement | string> {

	const log = Math.log2( workload.words );
	const measurement: Measurement = {
		log, group, name, kernel: kernel ?? null,
		time: { median: NaN, p10: NaN, p90: NaN, runs: 0, repeats: 0 },
		problem: null, policy: null, initMilliseconds: null, scratchBytes: null,
	};

	let run: Run | null = null;

	try {

		workload.fill( pattern );
		run = await prepare( workload );
		const { policy = null, initMilliseconds = null, scratchBytes = null } = run;
		const twin = known.find( ( other ) => other.name === name && other.log === log && policy !== null && other.policy !== null && policyText( other.policy ) === policyText( policy ) );
		if ( twin !== undefined ) return `runs as ${ twin.kernel } does.`;
		Object.assign( measurement, { policy, initMilliseconds, scratchBytes } );

		workload.clearOutput();
		measurement.time = await context.timer.measure( run.work );
		run.settle?.();
		if ( sabotage ) workload.spoil( run.result ?? workload.output );
		measurement.problem = await run.verify();

	} catch ( error ) {

		if ( error instanceof Skip ) return error.message;
		measurement.problem = error instanceof Error ? error.message : String( error );

	} finally {

		run?.dispose();

	}

	const [ error ] = await context.takeErrors();
	if ( error !== undefined ) measurement.problem = error;

	return measurement;

}
