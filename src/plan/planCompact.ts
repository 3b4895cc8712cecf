import type { BufferAttribute } from 'three/webgpu';
import { view, type Closure } from '../builder/buffers';
import { storage, type Expr } from '../builder/tsl';
import { flagKernel, gatherKernel, scatterKernel, type GatherPair } from '../shaders/device/compact';
import { spineKernel } from '../shaders/device/scan';
import { builtinMonoid } from '../shaders/monoids';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import type { DeviceCaps } from './caps';
import { drawWriters, type DrawRecord } from './draws';
import { PlanBuilder, type Plan } from './Plan';
import { MAX_TILES_WITHOUT_SPINE } from './planScan';
import type { KernelChoice } from './selectKernel';

/** A payload array of a compaction, resolved. */
export interface Payload { from: BufferAttribute; to: BufferAttribute; type: string }

export interface CompactRequest {

	who: string;
	name: string;
	predicate: Closure;
	capacity: number;
	count: () => Expr;
	/** Whether the count is in a buffer, which takes a binding. */
	countIsBuffer: boolean;
	indices: BufferAttribute;
	outputCapacity: number;
	survivorCount: BufferAttribute;
	overflow: BufferAttribute;
	payloads: readonly Payload[];
	draws: readonly DrawRecord[];

}

/** Stable compaction in two dispatches: flags and counts, then ranks and scatter. */
export function planCompact( request: CompactRequest, choice: KernelChoice, caps: DeviceCaps ): Plan {

	const { who, name, predicate, capacity, count, indices, outputCapacity, survivorCount, overflow, payloads, draws } = request;
	const { workgroupSize } = choice;

	const tileSize = workgroupSize * ELEMENTS_PER_WORD;
	const tiles = Math.ceil( capacity / tileSize );
	const words = Math.ceil( capacity / ELEMENTS_PER_WORD );
	const perTile = ( elements: number ): number => Math.ceil( elements / tileSize );

	const plan = new PlanBuilder( who, caps );
	const mask = plan.own( 'uint', words );
	const counts = plan.own( 'uint', tiles );

	plan.add( flagKernel( `${ name } flag`, who, choice, predicate, count, view( mask, 'uint', 'mask' ), words, view( counts, 'uint', 'tileCounts' ), tiles ), perTile );

	const spine = tiles > MAX_TILES_WITHOUT_SPINE;
	if ( spine ) plan.add( spineKernel( `${ name } spine`, builtinMonoid( who, 'add', 'uint' ), workgroupSize, choice, { values: view( counts, 'uint', 'tileCounts' ) }, tiles ) );

	const { attributes, writers } = drawWriters( draws );

	// mask, tile counts, indices, survivor count, overflow; the rest is for payloads, a pair each
	const free = caps.maxStorageBuffersPerShaderStage - 5 - attributes - ( request.countIsBuffer ? 1 : 0 );
	const fused = Math.max( 0, Math.min( payloads.length, Math.floor( free / 2 ) ) );

	plan.add( scatterKernel( `${ name } scatter`, who, choice, count, view( mask, 'uint', 'mask' ).toReadOnly(), words,
		{ from: spine ? 'prefixes' : 'aggregates', totals: { values: view( counts, 'uint', 'tileCounts' ).toReadOnly() } },
		{
			indices: view( indices, 'uint', 'indices' ), outputCapacity,
			survivorCount: view( survivorCount, 'uint', 'survivorCount' ), overflow: view( overflow, 'uint', 'overflow' ),
			gather: payloads.slice( 0, fused ).map( pairOf ),
			writeDraws: survivors => writers.forEach( write => write( survivors ) )
		} ), perTile );

	const perDispatch = Math.max( 1, Math.floor( ( caps.maxStorageBuffersPerShaderStage - 2 ) / 2 ) );

	for ( let k = fused; k < payloads.length; k += perDispatch ) {

		plan.add(
			gatherKernel( `${ name } gather`, workgroupSize, view( indices, 'uint', 'indices' ).toReadOnly(), view( survivorCount, 'uint', 'survivorCount' ).toReadOnly(), payloads.slice( k, k + perDispatch ).map( pairOf ) ),
			elements => Math.ceil( Math.min( elements, outputCapacity ) / workgroupSize )
		);

	}

	return plan.build();

}

function pairOf( { from, to, type }: Payload, k: number ): GatherPair {

	return {
		from: storage( from, type, from.count ).setName( `from${ k }` ).toReadOnly(),
		to: storage( to, type, to.count ).setName( `to${ k }` )
	};

}
