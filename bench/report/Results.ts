import type { KernelPolicy } from 'three-scan';
import type { Timing } from '../gpu/GpuTimer';

/** One measurement. */
export interface Measurement {

	/** Power of two of the words of input. */
	log: number;
	group: string;
	name: string;
	kernel: string | null;
	/** Microseconds. */
	time: Timing;
	/** What is wrong with the result, or null. */
	problem: string | null;
	policy: Readonly<KernelPolicy> | null;
	initMilliseconds: number | null;
	scratchBytes: number | null;

}

/** What a `compute()` call costs the CPU. */
export interface CpuMeasurement {

	name: string;
	/** Compute nodes of a call. */
	nodes: number;
	/** Microseconds a call. */
	time: number;
	/** The same for as many empty nodes. */
	emptyTime: number;
	/** Bytes of JavaScript heap a call takes, three's own included. */
	heapBytes: number;
	emptyHeapBytes: number;
	/** Buffers, bind groups and pipelines made in all the calls measured. */
	gpuObjects: number;

}

/** Where and with what it was measured. */
export interface Environment {

	date: string;
	adapter: { vendor: string; architecture: string; device: string; driver: string; subgroupMinSize: number; subgroupMaxSize: number };
	versions: Record<string, string>;
	runs: number;

}

/** What `--json` writes. */
export interface Results {

	environment: Environment;
	measurements: Measurement[];
	cpu: CpuMeasurement[];

}

export function find( { measurements }: Results, log: number, name: string, kernel: string | null ): Measurement | undefined {

	return measurements.find( ( m ) => m.log === log && m.name === name && m.kernel === kernel && m.problem === null );

}
