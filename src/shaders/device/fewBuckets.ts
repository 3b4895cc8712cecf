import type { ComputeNode } from 'three/webgpu';
import type { Closure } from '../../builder/buffers';
import { closureFunction } from '../../builder/closure';
import { If, Loop, computeKernel, convert, countOneBits, invocationLocalIndex, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import { builtinMonoid } from '../monoids';
import type { CollectiveChoice } from '../workgroup/createCollective';
import { ELEMENTS_PER_WORD } from '../workgroup/MaskCollective';
import { collectKernel, maskTile } from './maskTile';
import type { PartitionTargets } from './partition';

/** Most buckets that are told apart by bits: their counts fit a vec4. */
const MAX_FEW_BUCKETS = 4;

/** Whether a partition goes by masks: for few buckets, unless a tile of another shape was asked for. */
export function usesMasks( bucketCount: number, itemsPerThread: number | undefined ): boolean {

	return bucketCount <= MAX_FEW_BUCKETS && ( itemsPerThread === undefined || itemsPerThread === ELEMENTS_PER_WORD );

}

/** Bits that tell the buckets, and being in none, apart. */
export function planeCount( bucketCount: number ): number {

	return Math.ceil( Math.log2( bucketCount + 1 ) );

}

/** What both kernels have in common. */
export interface FewBucketsShape {

	who: string;
	choice: CollectiveChoice;
	bucketCount: number;
	count: () => Expr;
	/** Words of one plane. */
	words: number;

}

const sum = (): ReturnType<typeof builtinMonoid> => builtinMonoid( 'PartitionPass', 'add', 'uvec4' );

/** Of each bucket, the elements of a word that are in it. */
function masksOf( planes: readonly Expr[], bucketCount: number ): Expr[] {

	return Array.from( { length: bucketCount }, ( _, b ) => planes.map( ( plane, p ) => ( b >> p & 1 ) === 1 ? plane : plane.bitNot() ).reduce( ( a, c ) => a.bitAnd( c ) ).toVar() );

}

function countsOf( masks: readonly Expr[] ): Expr {

	return convert( 'uvec4' )( ...Array.from( { length: 4 }, ( _, b ) => b < masks.length ? countOneBits( masks[ b ] ) : uint( 0 ) ) ).toVar();

}

/**
 * First dispatch of a partition into few buckets: as in a compaction, but with a mask a bit of the bucket instead of one, and a count a
 * bucket.
 */
export function planesKernel( name: string, { who, choice, bucketCount, count, words }: FewBucketsShape, bucketOf: Closure, planes: StorageExpr, tileCounts: StorageExpr, tiles: number ): ComputeNode {

	return collectKernel( name, {
		choice, count, planes: planeCount( bucketCount ), none: bucketCount, into: planes, words,
		value: builder => {

			const bucket = closureFunction( builder, who, 'bucketOf', bucketOf, 'uint' );
			return index => bucket( index ).min( uint( bucketCount ) );

		},
		counted: { monoid: sum(), of: bits => countsOf( masksOf( bits, bucketCount ) ), into: tileCounts, tiles }
	} );

}

/** Last dispatch: ranks each bucket's elements behind the tiles before, and all of the buckets before. */
export function planesScatterKernel( name: string, { choice, bucketCount, count, words }: FewBucketsShape, planes: StorageExpr, tileCounts: StorageExpr, { store, offsets, draw }: PartitionTargets ): ComputeNode {

	const { workgroupSize } = choice;
	const none = Array.from( { length: planeCount( bucketCount ) }, ( _, p ) => ( bucketCount >> p & 1 ) === 1 ? 0xffffffff : 0 );

	return computeKernel( name, workgroupSize, () => {

		const { collective, masks, tile, tileSize, firstElement, place } = maskTile( choice );
		const tiles = count().add( tileSize - 1 ).div( tileSize ).toVar();

		const bits = none.map( value => uint( value ).toVar() );
		If( tile.lessThan( tiles ).and( place.lessThan( words ) ), () => bits.forEach( ( plane, p ) => plane.assign( planes.element( place.add( p * words ) ) ) ) );

		const [ before, all ] = [ convert( 'uvec4' )( uint( 0 ) ).toVar(), convert( 'uvec4' )( uint( 0 ) ).toVar() ];

		Loop( { start: invocationLocalIndex, end: tiles, type: 'uint', condition: '<', update: workgroupSize }, ( { i } ) => {

			const counts = tileCounts.element( i ).toVar();
			all.addAssign( counts );
			If( i.lessThan( tile ), () => { before.addAssign( counts ); } );

		} );

		const totalBefore = collective.reduce( sum(), { value: before } ).value;
		const total = collective.reduce( sum(), { value: all } ).value;

		const own = masksOf( bits, bucketCount );
		const { prefixes: [ prefix ] } = collective.scan( sum(), [ { value: countsOf( own ) } ] );

		// where each bucket begins, and where the last one ends
		const [ x, y, z, w ] = [ total.x, total.y, total.z, total.w ];
		const ends = [ x, y, z, w ].slice( 0, bucketCount );
		const starts = [ uint( 0 ).toVar() ];
		for ( const end of ends ) starts.push( starts[ starts.length - 1 ].add( end ).toVar() );

		own.forEach( ( mask, b ) => {

			const component = ( [ 'x', 'y', 'z', 'w' ] as const )[ b ];
			const offset = starts[ b ].add( totalBefore[ component ], prefix.value[ component ] ).toVar();

			masks.distribute( mask, offset, ( element, { survives, position } ) => {

				If( survives, () => store( position.toVar(), firstElement.add( element ).toVar() ) );

			} );

		} );

		If( tile.equal( 0 ), () => {

			if ( offsets !== null ) If( invocationLocalIndex.equal( 0 ), () => starts.forEach( ( start, b ) => { offsets.element( uint( b ) ).assign( start ); } ) );
			draw.write( invocationLocalIndex, workgroupSize, k => ends.reduceRight( ( rest, end, b ) => b === ends.length - 1 ? end : choose( 'uint', k.equal( b ), end, rest ), ends[ 0 ] ) );

		} );

	} );

}
