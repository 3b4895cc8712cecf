import type { SharedMemoryScan } from '../shaders/workgroup/sharedMemory';
import type { SubgroupScanMethod } from '../shaders/subgroup/subgroupScan';

/** What a pass runs on a device, as plain data: print it into a bug report. */
export interface KernelPolicy {

	kernel: 'subgroup' | 'shared-memory';
	algorithm: 'reduce-then-scan' | 'single-pass';
	/** Workgroup scan of the shared-memory kernel. */
	sharedMemoryScan: SharedMemoryScan;
	/** Lane scan of the subgroup kernel. */
	subgroupScan: SubgroupScanMethod;
	workgroupSize: number;
	/** Elements a thread takes: a tile is workgroupSize × itemsPerThread. */
	itemsPerThread: number;
	/** How many compute nodes a run has. */
	dispatches: number;
	/** Why this kernel, in one sentence. */
	reason: string;

}

/** Options that every pass takes. */
export interface KernelOptions {

	/** Default `auto`. A forced kernel that can't run rejects at `init()`. */
	kernel?: 'auto' | 'subgroup' | 'shared-memory';
	/** Default `auto`. */
	algorithm?: 'auto' | 'reduce-then-scan' | 'single-pass';
	sharedMemoryScan?: 'auto' | SharedMemoryScan;
	subgroupScan?: 'auto' | SubgroupScanMethod;
	/** Invocations a workgroup, a power of two. Default: chosen from the device. */
	workgroupSize?: number;
	/** Elements a thread. Default: chosen from the device. */
	itemsPerThread?: number;

}
