import type { BufferAttribute } from 'three/webgpu';
import { view, type Closure } from '../builder/buffers';
import { closureFunction } from '../builder/closure';
import { uint, type Expr } from '../builder/tsl';
import { bucketDrawsKernel, bucketOffsetsKernel, activeTiles, MAX_BUCKETS_PER_STEP, partitionTile, scatterTileKernel, sortTileKernel, type PartitionShape, type PartitionTargets } from '../shaders/device/partition';
import { choose } from '../builder/wgsl';
import { planeCount, usesMasks, planesKernel, planesScatterKernel, type FewBucketsShape } from '../shaders/device/fewBuckets';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import { builtinMonoid } from '../shaders/monoids';
import type { ShaderBuilder } from '../three-types';
import type { DeviceCaps } from './caps';
import { drawWriter, type DrawRecord } from './draws';
import { evaluateApart } from './evaluateApart';
import { addGathers, fusedPairs, type Payload } from './payloadPlan';
import { PlanBuilder, type Plan } from './Plan';
import { planScan } from './planScan';
import type { KernelChoice } from './selectKernel';

export interface PartitionRequest {

	who: string;
	name: string;
	bucketOf: Closure;
	bucketCount: number;
	capacity: number;
	count: () => Expr;
	countIsBuffer: boolean;
	indices: BufferAttribute;
	/** bucketCount + 1 uints. */
	offsets: BufferAttribute;
	payloads: readonly Payload[];
	draws: readonly DrawRecord[];
	/** See {@link evaluateApart}. */
	evaluated?: BufferAttribute | undefined;

}

/** Low bits that the first of two steps sorts by. */
const LOW_BITS = 8;

/**
 * Stable partition: tiles are sorted by bucket, their counts scanned bucket by bucket, and the runs moved to where the scan says.
 * Above 256 buckets in two such steps, by the low digit and then by the high one, as a radix sort does.
 */
export function planPartition( request: PartitionRequest, choice: KernelChoice, caps: DeviceCaps ): Plan {

	const { who, name, bucketCount, capacity, count, indices, offsets, payloads, draws } = request;
	const plan = new PlanBuilder( who, caps );
	const bucketOf = evaluateApart( plan, who, name, choice.workgroupSize, { name: 'bucketOf', type: 'uint', value: request.bucketOf }, count, request.evaluated );
	const draw = drawWriter( draws );
	const userBucket = ( builder: ShaderBuilder ): ( ( index: Expr ) => Expr ) => closureFunction( builder, who, 'bucketOf', bucketOf, 'uint' );

	if ( bucketCount <= MAX_BUCKETS_PER_STEP ) {

		// at most: sorted items, scanned counts, their total, indices, offsets; the rest is for payloads
		const pairs = fusedPairs( payloads, caps, 5 + draw.attributes + ( request.countIsBuffer ? 1 : 0 ) );

		const targets = (): PartitionTargets => {

			const target = view( indices, 'uint', 'indices' );

			return {
				offsets: view( offsets, 'uint', 'offsets' ), draw,
				store: ( position, element ) => {

					target.element( position ).assign( element );
					for ( const { from, to } of pairs ) to.element( position ).assign( from.element( element ) );

				}
			};

		};

		if ( usesMasks( bucketCount, choice.itemsPerThread ) ) addFewBuckets( plan, { ...request, bucketOf }, choice, targets() );
		else addStep( plan, { who, choice, rows: choice.itemsPerThread, bucketCount, count }, { name, capacity, evaluate: userBucket, caps }, targets );

		addGathers( plan, name, choice.workgroupSize, payloads.slice( pairs.length ), indices, { attribute: offsets, index: bucketCount }, capacity, caps );
		return plan.build();

	}

	const [ lowIndices, lowBuckets, lowOffsets, highBuckets ] = [ capacity, capacity, 2 ** LOW_BITS + 1, capacity ].map( length => plan.own( 'uint', length ) );
	const none: PartitionTargets[ 'draw' ] = { write: () => undefined };
	const read = ( attribute: BufferAttribute, label: string ): ( ( index: Expr ) => Expr ) => {

		const buffer = view( attribute, 'uint', label ).toReadOnly();
		return index => buffer.element( index );

	};

	// the whole bucket is parked beside the order of its low digit; what is in none goes no further
	const parked = plan.own( 'uint', capacity );
	const lowShape: PartitionShape = { who, choice, rows: choice.itemsPerThread, bucketCount: 2 ** LOW_BITS, count };

	addStep( plan, lowShape, {
		name: `${ name } low`, capacity, caps,
		evaluate: builder => {

			const user = userBucket( builder );
			const park = view( parked, 'uint', 'parked' );

			return index => {

				const bucket = user( index ).toVar();
				park.element( index ).assign( bucket );
				return bucket.bitAnd( 2 ** LOW_BITS - 1 ).bitOr( choose( 'uint', bucket.greaterThanEqual( bucketCount ), uint( 2 ** LOW_BITS ), uint( 0 ) ) );

			};

		}
	}, () => {

		const [ toIndices, toBuckets ] = [ view( lowIndices, 'uint', 'lowIndices' ), view( lowBuckets, 'uint', 'lowBuckets' ) ];
		const from = read( parked, 'parked' );

		return {
			offsets: view( lowOffsets, 'uint', 'lowOffsets' ), draw: none,
			store: ( position, element ) => {

				toIndices.element( position ).assign( element );
				toBuckets.element( position ).assign( from( element ) );

			}
		};

	} );

	const kept = view( lowOffsets, 'uint', 'lowOffsets' ).toReadOnly();
	const keptCount = (): Expr => kept.element( uint( 2 ** LOW_BITS ) );

	addStep( plan, { who, choice, rows: choice.itemsPerThread, bucketCount: Math.ceil( bucketCount / 2 ** LOW_BITS ), count: keptCount }, {
		name: `${ name } high`, capacity, caps,
		evaluate: () => {

			const from = read( lowBuckets, 'lowBuckets' );
			return index => from( index ).shiftRight( LOW_BITS );

		}
	}, () => {

		const [ toIndices, toBuckets ] = [ view( indices, 'uint', 'indices' ), view( highBuckets, 'uint', 'highBuckets' ) ];
		const [ fromIndices, fromBuckets ] = [ read( lowIndices, 'lowIndices' ), read( lowBuckets, 'lowBuckets' ) ];

		return {
			offsets: null, draw: none,
			store: ( position, element ) => {

				toIndices.element( position ).assign( fromIndices( element ) );
				toBuckets.element( position ).assign( fromBuckets( element ) );

			}
		};

	} );

	plan.add( bucketOffsetsKernel( `${ name } offsets`, choice.workgroupSize, bucketCount, view( highBuckets, 'uint', 'highBuckets' ).toReadOnly(), keptCount, view( offsets, 'uint', 'offsets' ) ), () => Math.ceil( ( bucketCount + 1 ) / choice.workgroupSize ) );
	if ( draws.length > 0 ) plan.add( bucketDrawsKernel( `${ name } draws`, choice.workgroupSize, view( offsets, 'uint', 'offsets' ).toReadOnly(), draw ) );
	addGathers( plan, name, choice.workgroupSize, payloads, indices, { attribute: offsets, index: bucketCount }, capacity, caps );

	return plan.build();

}

/** Few buckets: two dispatches over masks, as in a compaction. */
function addFewBuckets( plan: PlanBuilder, { who, name, bucketOf, bucketCount, capacity, count }: PartitionRequest, choice: KernelChoice, targets: PartitionTargets ): void {

	const tileSize = choice.workgroupSize * ELEMENTS_PER_WORD;
	const words = Math.ceil( capacity / ELEMENTS_PER_WORD );
	const tiles = Math.ceil( capacity / tileSize );
	const tilesOf = ( elements: number ): number => Math.max( 1, Math.ceil( elements / tileSize ) );
	const shape: FewBucketsShape = { who, choice, bucketCount, count, words };

	const planes = plan.own( 'uint', words * planeCount( bucketCount ) );
	const counts = plan.own( 'uvec4', tiles );

	plan.add( planesKernel( `${ name } flag`, shape, bucketOf, view( planes, 'uint', 'planes' ), view( counts, 'uvec4', 'tileCounts' ), tiles ), tilesOf );
	plan.add( planesScatterKernel( `${ name } scatter`, shape, view( planes, 'uint', 'planes' ).toReadOnly(), view( counts, 'uvec4', 'tileCounts' ).toReadOnly(), targets ), tilesOf );

}

interface StepRequest { name: string; capacity: number; evaluate: ( builder: ShaderBuilder ) => ( index: Expr ) => Expr; caps: DeviceCaps }

/** One step: sort the tiles, scan the counts bucket by bucket, move the runs. */
function addStep( plan: PlanBuilder, shape: PartitionShape, { name, capacity, evaluate, caps }: StepRequest, targets: () => PartitionTargets ): void {

	const { who, bucketCount, choice } = shape;
	const tileSize = partitionTile( shape );
	const tilesOf = ( elements: number ): number => Math.max( 1, Math.ceil( elements / tileSize ) );
	const countsLength = bucketCount * tilesOf( capacity );

	const sorted = plan.own( 'uint', capacity );
	const counts = plan.own( 'uint', countsLength );
	const all = plan.own( 'uint', 1 );

	plan.add( sortTileKernel( `${ name } sort`, shape, evaluate, view( sorted, 'uint', 'sorted' ), view( counts, 'uint', 'bucketCounts' ) ), tilesOf );

	const buffer = { attribute: counts, node: null, type: 'uint' as const, length: countsLength };

	plan.addPlan( planScan( {
		who, name: `${ name } counts`, monoid: builtinMonoid( who, 'add', 'uint' ), reverse: false, capacity: countsLength,
		input: buffer, output: { attribute: counts, kind: 'exclusive' }, total: all,
		count: () => activeTiles( shape ).mul( bucketCount )
	}, { ...choice, itemsPerThread: 16 }, caps ), elements => bucketCount * tilesOf( elements ) );

	plan.add( scatterTileKernel( `${ name } scatter`, shape, view( sorted, 'uint', 'sorted' ).toReadOnly(), view( counts, 'uint', 'bucketCounts' ).toReadOnly(), view( all, 'uint', 'all' ).toReadOnly(), targets() ), tilesOf );

}
