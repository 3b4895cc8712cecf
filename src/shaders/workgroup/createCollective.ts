import type { SubgroupScanMethod } from '../subgroup/subgroupScan';
import { orderBySubgroupId, orderByTicket } from '../subgroup/SubgroupOrder';
import { hierarchicalCollective } from './hierarchical';
import { sharedMemoryCollective, type SharedMemoryScan } from './sharedMemory';
import type { WorkgroupCollective } from './WorkgroupCollective';

export interface CollectiveChoice {

	kernel: 'subgroup' | 'shared-memory';
	sharedMemoryScan: SharedMemoryScan;
	subgroupScan: SubgroupScanMethod;
	/** Whether WGSL's `subgroup_id` may be used; else subgroups draw tickets. */
	subgroupId: boolean;
	workgroupSize: number;

}

/** The collectives of the chosen kernel. Call it inside the kernel: it may emit the statements that order its subgroups. */
export function createCollective( { kernel, sharedMemoryScan, subgroupScan, subgroupId, workgroupSize }: CollectiveChoice ): WorkgroupCollective {

	if ( kernel === 'shared-memory' ) return sharedMemoryCollective( workgroupSize, sharedMemoryScan );

	return hierarchicalCollective( workgroupSize, subgroupScan, subgroupId ? orderBySubgroupId( workgroupSize ) : orderByTicket() );

}
