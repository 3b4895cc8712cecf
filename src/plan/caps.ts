import type { WebGPURenderer } from 'three/webgpu';
import { internals } from '../three-types';

/** What the planner knows of a device. Read once a renderer; any entry may be overridden by a pass's `caps`. */
export interface DeviceCaps {

	/** The `subgroups` feature is enabled on the device (not merely offered by the adapter). */
	subgroups: boolean;
	/** WGSL's language feature `subgroup_id`. */
	subgroupId: boolean;
	/** Reported widths: sometimes 0, sometimes wrong. They never change a result. */
	subgroupMinSize: number;
	subgroupMaxSize: number;
	maxComputeWorkgroupsPerDimension: number;
	maxComputeInvocationsPerWorkgroup: number;
	maxComputeWorkgroupSizeX: number;
	maxComputeWorkgroupStorageSize: number;
	maxStorageBuffersPerShaderStage: number;
	maxStorageBufferBindingSize: number;
	maxBufferSize: number;
	/** Vendor, architecture and device of the adapter, as far as the browser tells: the key of the tuning table. */
	adapter: string;

}

const known = new WeakMap<GPUDevice, DeviceCaps>();

/** Reads the device under an initialised renderer. */
export function readCaps( renderer: WebGPURenderer ): DeviceCaps {

	const { device } = internals( renderer ).backend;
	const cached = known.get( device );
	if ( cached !== undefined ) return cached;

	const { limits, adapterInfo } = device;
	const language = globalThis.navigator?.gpu?.wgslLanguageFeatures as ReadonlySet<string> | undefined;

	const caps: DeviceCaps = {
		subgroups: device.features.has( 'subgroups' ),
		subgroupId: language?.has( 'subgroup_id' ) ?? false,
		subgroupMinSize: adapterInfo?.subgroupMinSize ?? 0,
		subgroupMaxSize: adapterInfo?.subgroupMaxSize ?? 0,
		maxComputeWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
		maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
		maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
		maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
		maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
		maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
		maxBufferSize: limits.maxBufferSize,
		adapter: [ adapterInfo?.vendor, adapterInfo?.architecture, adapterInfo?.device ].filter( Boolean ).join( ' ' )
	};

	known.set( device, caps );
	return caps;

}
