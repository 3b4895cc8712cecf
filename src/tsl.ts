export { workgroupReduce, workgroupScan, type WorkgroupScanOptions } from './shaders/workgroup/workgroupScan';
export { subgroupScan, type SubgroupScanOptions } from './shaders/subgroup/subgroupScanNode';
export { linearWorkgroupId, upperBound, workgroupUniformLoad, type SortedSource } from './shaders/tslFunctions';
export type { Monoid, MonoidName, ScanType } from './shaders/monoids';
export { boxInFrustum, projectedRadius, sphereInFrustum, type PlaneArray } from './culling/frustumTests';
