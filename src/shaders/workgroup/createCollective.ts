import type { SubgroupScanMethod } from '../subgroup/subgroupScan';
import { orderBySubgroupId, orderByTicket } from '../subgroup/SubgroupOrder';
import { hierarchicalCollective } from './hierarchical';
import type { MaskCollective } from './MaskCollective';
import { sharedMask } from './sharedMask';
import { subgroupMask } from './subgroupMask';
import { sharedMemoryCollective, type SharedMemoryScan } from './sharedMemory';
import type { WorkgroupCollective } from './WorkgroupCollective';

export interface CollectiveChoice {

	kernel: 'subgroup' | 'shared-memory';
	sharedMemoryScan: SharedMemoryScan;
	subgroupScan: SubgroupScanMethod;
	/** Whether WGSL's `subgroup_id` may be used; else subgroups draw tickets. */
	subgroupId: boolean;
	workgroupSize: number;
	/** Shared memory: rows go across the threads. Default: a thread's rows follow each other. */
	interleaved?: boolean;
	/** Whether the collectives may be made in a loop: subgroups then draw their tickets anew. */
	inLoop?: boolean;
	/** Rows of flags that are evaluated, and handed out, in one turn of a loop, so that their loads are under way together. Default 1: the shortest shader. */
	batchRows?: number;

}

/** The collectives of the chosen kernel. Call it inside the kernel: it may emit the statements that order its subgroups. */
export function createCollective( choice: CollectiveChoice ): WorkgroupCollective {

	return createMaskCollectives( choice ).collective;

}

/** The same, with the collectives over flags, which go by the same order. */
export function createMaskCollectives( { kernel, sharedMemoryScan, subgroupScan, subgroupId, workgroupSize, interleaved = false, inLoop = false, batchRows = 1 }: CollectiveChoice ): { collective: WorkgroupCollective; masks: MaskCollective } {

	if ( kernel === 'shared-memory' ) return { collective: sharedMemoryCollective( workgroupSize, sharedMemoryScan, interleaved ), masks: sharedMask( workgroupSize, batchRows ) };

	const order = subgroupId ? orderBySubgroupId( workgroupSize ) : orderByTicket( inLoop );
	return { collective: hierarchicalCollective( workgroupSize, subgroupScan, order ), masks: subgroupMask( order, batchRows ) };

}
