import type { BufferAttribute } from 'three/webgpu';
import { view, type Closure } from '../builder/buffers';
import type { Expr } from '../builder/tsl';
import { flagKernel, scatterKernel } from '../shaders/device/compact';
import { spineKernel } from '../shaders/device/scan';
import { readableTotals } from '../shaders/device/totals';
import { builtinMonoid } from '../shaders/monoids';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import type { DeviceCaps } from './caps';
import { evaluateApart } from './evaluateApart';
import { drawWriter, type DrawRecord } from './draws';
import { addGathers, fusedPairs, type Payload } from './payloadPlan';
import { PlanBuilder, type Plan } from './Plan';
import { MAX_TILES_WITHOUT_SPINE } from './planScan';
import type { KernelChoice } from './selectKernel';

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
	/** See {@link evaluateApart}. */
	evaluated?: BufferAttribute | undefined;

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
	const survives = evaluateApart( plan, who, name, workgroupSize, { name: 'predicate', type: 'bool', value: predicate }, count, request.evaluated );
	const mask = plan.own( 'uint', words );
	const counts = plan.own( 'uint', tiles );

	plan.add( flagKernel( `${ name } flag`, who, choice, survives, count, view( mask, 'uint', 'mask' ), words, view( counts, 'uint', 'tileCounts' ), tiles ), perTile );

	const spine = tiles > MAX_TILES_WITHOUT_SPINE;
	if ( spine ) plan.add( spineKernel( `${ name } spine`, builtinMonoid( who, 'add', 'uint' ), workgroupSize, choice, { values: view( counts, 'uint', 'tileCounts' ) }, tiles ) );

	const draw = drawWriter( draws );

	// mask, tile counts, indices, survivor count, overflow; the rest is for payloads
	const pairs = fusedPairs( payloads, caps, 5 + draw.attributes + ( request.countIsBuffer ? 1 : 0 ) );

	plan.add( scatterKernel( `${ name } scatter`, who, choice, count, view( mask, 'uint', 'mask' ).toReadOnly(), words,
		{ from: spine ? 'prefixes' : 'aggregates', totals: readableTotals( counts, builtinMonoid( who, 'add', 'uint' ) ) },
		{
			indices: view( indices, 'uint', 'indices' ), outputCapacity,
			survivorCount: view( survivorCount, 'uint', 'survivorCount' ), overflow: view( overflow, 'uint', 'overflow' ),
			gather: pairs,
			draw
		} ), perTile );

	addGathers( plan, name, workgroupSize, payloads.slice( pairs.length ), indices, { attribute: survivorCount, index: 0 }, outputCapacity, caps );
	return plan.build();

}
