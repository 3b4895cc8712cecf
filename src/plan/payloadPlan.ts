import type { BufferAttribute } from 'three/webgpu';
import { view, type StorageAttribute } from '../builder/buffers';
import { uint } from '../builder/tsl';
import { gatherKernel, type GatherPair } from '../shaders/device/compact';
import type { DeviceCaps } from './caps';
import type { PlanBuilder } from './Plan';

/** A payload array moved along with the survivors, resolved. */
export interface Payload { from: BufferAttribute; to: StorageAttribute; type: string }

function pairOf( { from, to, type }: Payload, k: number ): GatherPair {

	return { from: view( from, type, `from${ k }` ).toReadOnly(), to: view( to, type, `to${ k }` ) };

}

/** The payloads that a kernel which binds `taken` storage buffers already has room for, a pair of bindings each. */
export function fusedPairs( payloads: readonly Payload[], caps: DeviceCaps, taken: number ): GatherPair[] {

	return payloads.slice( 0, Math.max( 0, Math.floor( ( caps.maxStorageBuffersPerShaderStage - taken ) / 2 ) ) ).map( pairOf );

}

/** Dispatches for the payloads that had no room: by the survivors' indices, and their number. */
export function addGathers( plan: PlanBuilder, name: string, workgroupSize: number, payloads: readonly Payload[], indices: BufferAttribute, survivors: { attribute: BufferAttribute; index: number }, outputCapacity: number, caps: DeviceCaps ): void {

	const perDispatch = Math.max( 1, Math.floor( ( caps.maxStorageBuffersPerShaderStage - 2 ) / 2 ) );

	for ( let k = 0; k < payloads.length; k += perDispatch ) {

		const count = view( survivors.attribute, 'uint', 'survivors' ).toReadOnly();

		plan.add(
			gatherKernel( `${ name } gather`, workgroupSize, view( indices, 'uint', 'indices' ).toReadOnly(), () => count.element( uint( survivors.index ) ), payloads.slice( k, k + perDispatch ).map( pairOf ) ),
			elements => Math.ceil( Math.min( elements, outputCapacity ) / workgroupSize )
		);

	}

}
