import { invocationLocalIndex, numWorkgroups, workgroupId, type Expr } from '../../builder/tsl';

/** The workgroup's number in a dispatch of any dimensions. */
export function linearWorkgroupIdNode(): Expr {

	return workgroupId.x.add( numWorkgroups.x.mul( workgroupId.y.add( numWorkgroups.y.mul( workgroupId.z ) ) ) );

}

/** The invocation's number in such a dispatch, of one-dimensional workgroups. */
export function linearInvocationIndex( workgroupSize: number ): Expr {

	return linearWorkgroupIdNode().mul( workgroupSize ).add( invocationLocalIndex );

}
