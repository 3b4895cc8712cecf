import type { KernelPolicy } from 'three-scan';
import type { BufferAttribute, ComputeNode, WebGPURenderer } from 'three/webgpu';
import type { Pattern } from '../data';
import type { Work } from '../gpu/GpuTimer';
import type { ElementType, Workload } from '../Workload';

/** Something to measure at each size. */
export interface Case {

	/** What `--only` picks. */
	readonly group: string;
	/** Unique together with `kernel`. */
	readonly name: string;
	/** Kernel variant, what `--kernels` picks; none for what has no variants. */
	readonly kernel?: string;
	readonly type: ElementType;
	/** What fills the input. */
	readonly pattern: Pattern;
	/** Largest size, as a power of two, where larger ones take too long or fail. */
	readonly maxLog?: number;
	/** Makes a run ready to be measured. */
	prepare( workload: Workload ): Promise<Run>;

}

/** A case on a workload, ready to run. */
export interface Run {

	readonly work: Work;
	readonly policy?: Readonly<KernelPolicy>;
	/** Milliseconds of `init()`. */
	readonly initMilliseconds?: number;
	/** Bytes on the GPU beside input and output. */
	readonly scratchBytes?: number;
	/** Where the result is, if not in the workload's output. */
	readonly result?: BufferAttribute;
	/** Runs once more, where a batch leaves nothing that can be verified. */
	settle?(): void;
	/** What is wrong with the result, or null. */
	verify(): Promise<string | null>;
	dispose(): void;

}

/** Thrown by `prepare()` where a case cannot run, with the reason. */
export class Skip extends Error {}

/** Compute nodes, repeated in one compute pass. */
export function nodesWork( renderer: WebGPURenderer, nodes: readonly ComputeNode[] ): Work {

	let batch: ComputeNode[] = [];

	return {
		submit( repeats ) {

			if ( batch.length !== repeats * nodes.length ) batch = Array.from( { length: repeats }, () => nodes ).flat();
			renderer.compute( batch );

		},
	};

}
