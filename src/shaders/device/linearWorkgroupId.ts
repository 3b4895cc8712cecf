import { numWorkgroups, workgroupId, type Expr } from '../../builder/tsl';

/** The workgroup's number in a dispatch of any dimensions. */
export function linearWorkgroupIdNode(): Expr {

	return workgroupId.x.add( numWorkgroups.x.mul( workgroupId.y.add( numWorkgroups.y.mul( workgroupId.z ) ) ) );

}
