import type { BufferAttribute } from 'three/webgpu';
import { fitsVec4, view, type BufferRef, type Closure } from '../builder/buffers';
import type { Expr } from '../builder/tsl';
import { segmentBitsKernel } from '../shaders/device/segmentBits';
import { scanKernel, spineKernel, type Carry } from '../shaders/device/scan';
import { reduceKernel, reduceTileKernel, reduceTotalsKernel, type TileInput } from '../shaders/device/reduce';
import { registerType, type SegmentFlags, type TileShape } from '../shaders/device/tile';
import { readableTotals, type TileTotals } from '../shaders/device/totals';
import { componentCount, type Monoid, type ScanValue } from '../shaders/monoids';
import type { CollectiveChoice } from '../shaders/workgroup/createCollective';
import type { DeviceCaps } from './caps';
import { PlanBuilder, type Plan } from './Plan';

export interface ScanRequest {

	who: string;
	/** Prefix of the nodes' names. */
	name: string;
	monoid: Monoid;
	input: BufferRef | Closure;
	/** None for a reduction. */
	output?: { attribute: BufferAttribute; kind: 'exclusive' | 'inclusive' };
	total: BufferAttribute;
	capacity: number;
	count: () => Expr;
	reverse: boolean;
	initial?: ScanValue;
	segments?: BufferRef | Closure;

}

/** Above this many tiles, a spine makes the tiles' prefixes; below, each workgroup sums the aggregates before it. */
export const MAX_TILES_WITHOUT_SPINE = 16384;

/** Collectives with a row of workgroup memory each in one kernel: the tile's and the carry's. */
const INTERLEAVED_COLLECTIVES = 2;

/** Reduce-then-scan (Merrill & Grimshaw 2009) in one, two or three dispatches, by the number of tiles. */
export function planScan( request: ScanRequest, kernel: CollectiveChoice & { itemsPerThread: number }, caps: DeviceCaps ): Plan {

	const { who, name, monoid, input, output, capacity, count, reverse, initial, segments } = request;
	const { workgroupSize, itemsPerThread } = kernel;

	const closure = typeof input === 'function' ? input : null;
	const source = typeof input === 'function' ? null : input.attribute;
	const lanes = componentCount( monoid.type ) === 1 && itemsPerThread % 4 === 0
		&& ( source === null || fitsVec4( source ) ) && ( output === undefined || fitsVec4( output.attribute ) ) ? 4 : 1;

	const tileSize = workgroupSize * itemsPerThread;
	const tiles = Math.ceil( capacity / tileSize );
	const type = registerType( monoid, lanes );

	const plan = new PlanBuilder( who, caps );
	const perTile = ( elements: number ): number => Math.ceil( elements / tileSize );

	let flags: SegmentFlags | undefined;

	if ( typeof segments === 'function' ) {

		const bits = plan.own( 'uint', Math.ceil( capacity / 32 ) );
		plan.add(
			segmentBitsKernel( `${ name } segments`, who, workgroupSize, segments, count, view( bits, 'uint', 'segmentBits' ) ),
			elements => Math.ceil( elements / ( 32 * workgroupSize ) )
		);
		flags = { bits: view( bits, 'uint', 'segmentBits' ).toReadOnly() };

	} else if ( segments !== undefined ) {

		flags = { flags: view( segments.attribute, segments.type, 'segments' ).toReadOnly() };

	}

	const rows = itemsPerThread / lanes;
	const interleaved = componentCount( monoid.type ) === 1 && segments === undefined && rows <= 8
		&& INTERLEAVED_COLLECTIVES * rows * 4 * workgroupSize <= caps.maxComputeWorkgroupStorageSize;
	const choice = { ...kernel, interleaved };

	const shape: TileShape = { who, monoid, lanes, rows, workgroupSize, reverse, count, initial, segments: flags };
	const total = view( request.total, monoid.type, 'total' );

	const target = output === undefined ? null : view( output.attribute, type, 'output' );
	const loaded = source === null ? null : view( source, type, 'input' ).toReadOnly();
	const firstInput: TileInput = closure !== null ? { closure, parking: target } : { buffer: loaded! };

	if ( tiles <= 1 ) {

		// one dispatch evaluates the closure and scans: nothing to park
		const only: TileInput = closure !== null ? { closure, parking: null } : source === output?.attribute ? { buffer: target! } : firstInput;
		plan.add( target === null
			? reduceTileKernel( `${ name } reduce`, shape, choice, only, total )
			: scanKernel( `${ name } scan`, shape, choice, only, { target, kind: output!.kind }, { from: 'nothing' }, total ) );

	} else {

		const values = plan.own( monoid.type, tiles );
		const heads = flags === undefined ? undefined : plan.own( 'uint', tiles );
		const totals: TileTotals = { values: view( values, monoid.type, 'tileTotals' ), flags: heads && view( heads, 'uint', 'tileFlags' ) };
		const readTotals = readableTotals( values, monoid, heads );

		plan.add( reduceKernel( `${ name } reduce`, shape, choice, firstInput, totals, tiles ), perTile );

		if ( target === null ) {

			plan.add( reduceTotalsKernel( `${ name } total`, shape, choice, readTotals, total ) );

		} else {

			const carry: Carry = { from: tiles > MAX_TILES_WITHOUT_SPINE ? 'prefixes' : 'aggregates', totals: readTotals };
			const second: TileInput = closure !== null || source === output!.attribute ? { buffer: target } : { buffer: loaded! };

			if ( carry.from === 'prefixes' ) plan.add( spineKernel( `${ name } spine`, monoid, workgroupSize, choice, totals, tiles ) );
			plan.add( scanKernel( `${ name } scan`, shape, choice, second, { target, kind: output!.kind }, carry, total ), perTile );

		}

	}

	return plan.build();

}
