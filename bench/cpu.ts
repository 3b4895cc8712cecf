import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CompactPass, ScanPass, type Count } from 'three-scan';
import { Fn } from 'three/tsl';
import type { ComputeNode } from 'three/webgpu';
import { HALF, predicate } from './cases/compact';
import { Field } from './cases/cull';
import type { Pass } from './cases/passRun';
import type { Context } from './gpu/context';
import type { CpuMeasurement } from './report/Results';
import { quantile } from './statistics';
import { Workload } from './Workload';

const WORDS = 2 ** 17;
const CALLS = 200;
const BATCHES = 15;

/** What `compute()` and a mesh's culling cost the CPU, beside as many empty nodes. */
export async function measureCpu( context: Context ): Promise<CpuMeasurement[]> {

	const workload = new Workload( context, WORDS, 'uint' );
	workload.fill( HALF.pattern );

	const passes: [ string, Pass & { count: Count } ][] = [
		[ 'ScanPass', new ScanPass( workload.input, { output: workload.output } ) ],
		[ 'CompactPass', new CompactPass( WORDS, predicate( workload, HALF ), { indices: workload.output } ) ],
	];

	const measured: CpuMeasurement[] = [];

	for ( const [ name, pass ] of passes ) {

		await pass.init( context.renderer );
		pass.count = 1; // as many dispatches, and the least of work for the GPU
		measured.push( await measureCalls( context, name, pass.nodes.length, () => pass.compute( context.renderer ) ) );
		pass.dispose();

	}

	workload.dispose();

	const field = new Field( WORDS );
	await field.mesh.init( context.renderer );
	const nodes = field.render( context.renderer );
	field.mesh.count = 1;
	measured.push( await measureCalls( context, 'CulledInstancedMesh', nodes.length, () => field.cull( context.renderer ) ) );
	field.dispose();

	return measured;

}

async function measureCalls( { renderer, device, ledger }: Context, name: string, nodes: number, run: () => void ): Promise<CpuMeasurement> {

	const empty: ComputeNode[] = Array.from( { length: nodes }, ( _, k ) => Fn( () => {} )().compute( 64 ).setName( `empty ${ k }` ) );

	const runEmpty = (): void => void renderer.compute( empty );

	// the optimising compiler needs a few rounds
	for ( let k = 0; k < 3; k ++ ) for ( const call of [ run, runEmpty ] ) await timed( device, call );

	const before = ledger.total;
	const times: number[] = [];
	const emptyTimes: number[] = [];

	for ( let k = 0; k < BATCHES; k ++ ) {

		times.push( await timed( device, run ) );
		emptyTimes.push( await timed( device, runEmpty ) );

	}

	const gpuObjects = ledger.total - before;
	const heapBytes = await allocated( device, run );
	const emptyHeapBytes = await allocated( device, runEmpty );
	for ( const node of empty ) node.dispose();

	return { name, nodes, time: quantile( times, 0.5 ), emptyTime: quantile( emptyTimes, 0.5 ), heapBytes, emptyHeapBytes, gpuObjects };

}

/** Microseconds of a call, over many. */
async function timed( device: GPUDevice, call: () => void ): Promise<number> {

	const start = performance.now();
	for ( let k = 0; k < CALLS; k ++ ) call();
	const time = performance.now() - start;

	await device.queue.onSubmittedWorkDone();
	return 1000 * time / CALLS;

}

/** Bytes of JavaScript heap that a call takes: the least over batches, since a collection in between only hides some. */
async function allocated( device: GPUDevice, call: () => void ): Promise<number> {

	const sizes: number[] = [];

	for ( let k = 0; k < 5; k ++ ) {

		collectGarbage();
		const before = process.memoryUsage().heapUsed;
		for ( let n = 0; n < CALLS; n ++ ) call();
		sizes.push( ( process.memoryUsage().heapUsed - before ) / CALLS );
		await device.queue.onSubmittedWorkDone();

	}

	return Math.round( quantile( sizes, 0.5 ) );

}

const collectGarbage = exposeCollector();

function exposeCollector(): () => void {

	setFlagsFromString( '--expose-gc' );
	return runInNewContext( 'gc' ) as () => void;

}
