export { ScanError, type ScanErrorCode } from './errors';
export { createMonoid, type Monoid, type MonoidName, type MonoidParameters, type ScanType, type ScanValue } from './shaders/monoids';
export { ComputePass, type PassOptions } from './passes/ComputePass';
export { ScanPass, type ScanOptions } from './passes/ScanPass';
export { ReducePass } from './passes/ReducePass';
export type { ReduceOptions } from './passes/ScanBase';
export type { Closure, Count, Source, StorageBuffer } from './builder/buffers';
export type { DeviceCaps } from './plan/caps';
export type { KernelOptions, KernelPolicy } from './plan/policy';
