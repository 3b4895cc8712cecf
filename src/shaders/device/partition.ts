import type { ComputeNode } from 'three/webgpu';
import { If, Loop, computeKernel, convert, invocationLocalIndex, uint, workgroupBarrier, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose, emitWgsl, wgslExpression } from '../../builder/wgsl';
import type { ShaderBuilder } from '../../three-types';
import { binarySearch } from '../binarySearch';
import { builtinMonoid } from '../monoids';
import { createCollective, type CollectiveChoice } from '../workgroup/createCollective';
import type { WorkgroupCollective } from '../workgroup/WorkgroupCollective';
import { linearInvocationIndex, linearWorkgroupIdNode } from './linearWorkgroupId';

/** Most buckets of one step: a tile keeps where each begins in workgroup memory. */
export const MAX_BUCKETS_PER_STEP = 256;

/** What the kernels of a partition step have in common. */
export interface PartitionShape {

	who: string;
	choice: CollectiveChoice;
	/** Elements a thread holds. */
	rows: number;
	bucketCount: number;
	/** The number of elements, in the kernel. */
	count: () => Expr;

}

/** Elements of a tile: at most 65,536, so that a place in it takes 16 bits. */
export function partitionTile( { choice, rows }: PartitionShape ): number {

	return choice.workgroupSize * rows;

}

/** Tiles that a count takes: at least one, which writes the offsets even of nothing. */
export function activeTiles( shape: PartitionShape ): Expr {

	const tile = partitionTile( shape );
	return shape.count().add( tile - 1 ).div( tile ).max( uint( 1 ) );

}

/** An element inside a tile: its bucket above its place in the tile. */
const packed = ( bucket: Expr, place: Expr ): Expr => bucket.shiftLeft( 16 ).bitOr( place );
const bucketOf = ( item: Expr ): Expr => item.shiftRight( 16 );
const placeOf = ( item: Expr ): Expr => item.bitAnd( 0xffff );

/** Workgroup memory by name. */
class SharedArray {

	private name = '';

	constructor( prefix: string, length: number ) {

		emitWgsl( [], [], writer => {

			this.name = writer.workgroupArray( prefix, 'u32', length );
			return [];

		} );

	}

	load( index: Expr ): Expr {

		const at = index.toVar();
		return wgslExpression( 'uint', writer => `${ this.name }[ ${ writer.text( at, 'uint' ) } ]` ).toVar();

	}

	store( index: Expr, value: Expr ): void {

		emitWgsl( [ index, value ].map( node => ( { node: node.toVar(), type: 'uint' } ) ), [], ( writer, [ i, v ] ) => {

			writer.line( `${ this.name }[ ${ i } ] = ${ v }` );
			return [];

		} );

	}

}

/**
 * First dispatch of a step: finds each element's bucket, once, sorts the tile by bucket in workgroup memory, stably, and
 * counts each bucket. The sort is by two bits a round, splitting four ways by one scan of packed counters
 * (Satish, Harris & Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009, splits two ways).
 */
export function sortTileKernel( name: string, shape: PartitionShape, evaluate: ( builder: ShaderBuilder ) => ( index: Expr ) => Expr, sorted: StorageExpr, counts: StorageExpr ): ComputeNode {

	const { choice, rows, bucketCount, count } = shape;
	const { workgroupSize } = choice;
	const tileSize = partitionTile( shape );
	const bits = Math.ceil( Math.log2( bucketCount + 1 ) );

	return computeKernel( name, workgroupSize, builder => {

		const collective = createCollective( choice );
		const bucket = evaluate( builder );
		const limit = count().toVar();
		const tiles = activeTiles( shape ).toVar();
		const tile = linearWorkgroupIdNode().toVar();
		const first = tile.mul( tileSize ).toVar();
		const exchange = new SharedArray( 'items', tileSize );

		const places = Array.from( { length: rows }, ( _, k ) => collective.position( k, rows ).toVar() );

		// buckets past the last, and elements past the count, are in none: they sort to the end
		const items = places.map( place => {

			const element = first.add( place ).toVar();
			const own = uint( bucketCount ).toVar();
			If( element.lessThan( limit ), () => { own.assign( bucket( element ).min( uint( bucketCount ) ) ); } );
			return packed( own, place ).toVar();

		} );

		Loop( { start: uint( 16 ), end: uint( 16 + bits ), type: 'uint', condition: '<', update: 2 }, ( { i: shift } ) => {

			splitFourWays( collective, items, shift ).forEach( ( target, k ) => exchange.store( target, items[ k ] ) );
			workgroupBarrier();
			items.forEach( ( item, k ) => item.assign( exchange.load( places[ k ] ) ) );
			workgroupBarrier();

		} );

		items.forEach( ( item, k ) => exchange.store( places[ k ], item ) );
		const runs = new Runs( exchange, workgroupSize, rows, bucketCount );

		If( tile.lessThan( tiles ), () => {

			runs.forEachItem( ( place, item ) => { If( first.add( place ).lessThan( limit ), () => { sorted.element( first.add( place ) ).assign( item ); } ); } );
			runs.forEachBucket( ( b, length ) => { counts.element( b.mul( tiles ).add( tile ) ).assign( length ); } );

		} );

	} );

}

/** Where each item goes in a stable split by two of its bits. */
function splitFourWays( collective: WorkgroupCollective, items: readonly Expr[], shift: Expr ): Expr[] {

	// four 16-bit counters in two words; the digit's word and its place in it
	const digits = items.map( item => item.shiftRight( shift ).bitAnd( 3 ).toVar() );
	const one = ( digit: Expr ): Expr => uint( 1 ).shiftLeft( digit.bitAnd( 1 ).mul( 16 ) );
	const counters = digits.map( digit => {

		const own = one( digit ).toVar();
		return convert( 'uvec2' )( choose( 'uint', digit.lessThan( 2 ), own, uint( 0 ) ), choose( 'uint', digit.lessThan( 2 ), uint( 0 ), own ) ).toVar();

	} );

	const { prefixes, total } = collective.scan( builtinMonoid( 'PartitionPass', 'add', 'uvec2' ), counters.map( value => ( { value } ) ) );

	const [ low, high ] = [ total.value.x.toVar(), total.value.y.toVar() ];
	const zeros = low.bitAnd( 0xffff ).toVar();
	const belowTwo = zeros.add( low.shiftRight( 16 ) ).toVar();
	const belowThree = belowTwo.add( high.bitAnd( 0xffff ) ).toVar();

	return digits.map( ( digit, k ) => {

		const word = choose( 'uint', digit.lessThan( 2 ), prefixes[ k ].value.x, prefixes[ k ].value.y );
		const rank = word.shiftRight( digit.bitAnd( 1 ).mul( 16 ) ).bitAnd( 0xffff );
		const start = choose( 'uint', digit.lessThan( 2 ), choose( 'uint', digit.equal( 0 ), uint( 0 ), zeros ), choose( 'uint', digit.equal( 2 ), belowTwo, belowThree ) );
		return rank.add( start ).toVar();

	} );

}

/** The buckets of a sorted tile as runs: where each begins and ends, found at the items that differ from their neighbour. */
class Runs {

	private readonly starts: SharedArray;
	private readonly ends: SharedArray;
	private readonly items: { place: Expr; item: Expr }[];

	constructor( sortedItems: SharedArray, private readonly workgroupSize: number, rows: number, private readonly bucketCount: number ) {

		this.starts = new SharedArray( 'run_starts', bucketCount );
		this.ends = new SharedArray( 'run_ends', bucketCount );

		this.eachBucket( b => {

			this.starts.store( b, uint( 0 ) );
			this.ends.store( b, uint( 0 ) );

		} );

		workgroupBarrier();

		const tileSize = workgroupSize * rows;

		this.items = Array.from( { length: rows }, ( _, k ) => {

			const place = invocationLocalIndex.add( k * workgroupSize ).toVar();
			return { place, item: sortedItems.load( place ) };

		} );

		for ( const { place, item } of this.items ) {

			const own = bucketOf( item ).toVar();

			If( own.lessThan( bucketCount ), () => {

				const before = bucketOf( sortedItems.load( choose( 'uint', place.equal( 0 ), uint( 0 ), place.sub( 1 ) ) ) );
				If( place.equal( 0 ).or( before.notEqual( own ) ), () => this.starts.store( own, place ) );

				const after = bucketOf( sortedItems.load( place.add( 1 ).min( uint( tileSize - 1 ) ) ) );
				If( place.equal( tileSize - 1 ).or( after.notEqual( own ) ), () => this.ends.store( own, place.add( 1 ) ) );

			} );

		}

		workgroupBarrier();

	}

	/** Calls with each of the thread's items and its place in the sorted tile. */
	forEachItem( visit: ( place: Expr, item: Expr ) => void ): void {

		for ( const { place, item } of this.items ) visit( place, item );

	}

	/** Calls with each of the thread's buckets and its length. */
	forEachBucket( visit: ( bucket: Expr, length: Expr ) => void ): void {

		this.eachBucket( b => visit( b, this.ends.load( b ).sub( this.starts.load( b ) ) ) );

	}

	/** An item's rank in its bucket. */
	rank( place: Expr, item: Expr ): Expr {

		return place.sub( this.starts.load( bucketOf( item ) ) );

	}

	private eachBucket( visit: ( bucket: Expr ) => void ): void {

		Loop( { start: invocationLocalIndex, end: uint( this.bucketCount ), type: 'uint', condition: '<', update: this.workgroupSize }, ( { i } ) => visit( i ) );

	}

}

/** What the last dispatch of a step writes. */
export interface PartitionTargets {

	/** Stores element `element` at `position`. */
	store( position: Expr, element: Expr ): void;
	/** Where each bucket begins, and the end of the last; null in a first step. */
	offsets: StorageExpr | null;
	/** Draw records, bucket k's count for the k-th. */
	draw: { write( thread: Expr, threads: number, instances: ( k: Expr ) => Expr ): void };

}

/** Last dispatch of a step: moves the sorted items to where their buckets' scanned counts say, run by run. */
export function scatterTileKernel( name: string, shape: PartitionShape, sorted: StorageExpr, scanned: StorageExpr, all: StorageExpr, { store, offsets, draw }: PartitionTargets ): ComputeNode {

	const { choice, rows, bucketCount, count } = shape;
	const { workgroupSize } = choice;
	const tileSize = partitionTile( shape );

	return computeKernel( name, workgroupSize, () => {

		const limit = count().toVar();
		const tiles = activeTiles( shape ).toVar();
		const tile = linearWorkgroupIdNode().toVar();
		const first = tile.mul( tileSize ).toVar();
		const items = new SharedArray( 'items', tileSize );

		for ( let k = 0; k < rows; k ++ ) {

			const place = invocationLocalIndex.add( k * workgroupSize ).toVar();
			const item = packed( uint( bucketCount ), uint( 0 ) ).toVar();
			If( first.add( place ).lessThan( limit ), () => { item.assign( sorted.element( first.add( place ) ) ); } );
			items.store( place, item );

		}

		workgroupBarrier();
		const runs = new Runs( items, workgroupSize, rows, bucketCount );

		runs.forEachItem( ( place, item ) => {

			If( bucketOf( item ).lessThan( bucketCount ), () => {

				const position = scanned.element( bucketOf( item ).mul( tiles ).add( tile ) ).add( runs.rank( place, item ) ).toVar();
				store( position, first.add( placeOf( item ) ).toVar() );

			} );

		} );

		If( tile.equal( 0 ), () => {

			const start = ( b: Expr ): Expr => {

				const offset = all.element( uint( 0 ) ).toVar();
				If( b.lessThan( bucketCount ), () => { offset.assign( scanned.element( b.mul( tiles ) ) ); } );
				return offset;

			};

			if ( offsets !== null ) Loop( { start: invocationLocalIndex, end: uint( bucketCount + 1 ), type: 'uint', condition: '<', update: workgroupSize }, ( { i } ) => { offsets.element( i ).assign( start( i ) ); } );
			draw.write( invocationLocalIndex, workgroupSize, k => start( k.add( 1 ) ).sub( start( k ) ) );

		} );

	} );

}

/** Where each bucket of a sorted sequence of buckets begins, by binary search, and the draws' counts by the same. */
export function bucketOffsetsKernel( name: string, workgroupSize: number, bucketCount: number, buckets: StorageExpr, count: () => Expr, offsets: StorageExpr ): ComputeNode {

	return computeKernel( name, workgroupSize, () => {

		const bucket = linearInvocationIndex( workgroupSize ).toVar();

		If( bucket.lessThan( bucketCount + 1 ), () => {

			offsets.element( bucket ).assign( binarySearch( count(), index => buckets.element( index ).greaterThanEqual( bucket ) ) );

		} );

	} );

}

/** Writes draw counts from finished offsets. */
export function bucketDrawsKernel( name: string, workgroupSize: number, offsets: StorageExpr, draw: PartitionTargets[ 'draw' ] ): ComputeNode {

	return computeKernel( name, workgroupSize, () => {

		draw.write( invocationLocalIndex, workgroupSize, k => offsets.element( k.add( 1 ) ).sub( offsets.element( k ) ) );

	} );

}
