import { describe, invalidArgument } from '../errors';
import { checkCount } from './types';

const maxCount = 2 ** 32 - 1;
const maxBuckets = 4096;

/**
 * The indices from 0 to `count` − 1 for which `predicate` holds, ascending. The predicate is called once for each
 * index, in order.
 *
 * @example
 * referenceCompact( 6, i => i % 2 === 1 );	// 1 3 5
 */
export function referenceCompact( count: number, predicate: ( index: number ) => boolean ): Uint32Array {

	checkCount( count, maxCount, 'referenceCompact' );

	const survivors = new Uint32Array( count );
	let survivorCount = 0;

	for ( let index = 0; index < count; index ++ ) {

		if ( predicate( index ) ) survivors[ survivorCount ++ ] = index;

	}

	return survivors.slice( 0, survivorCount );

}

export interface ReferencePartitionResult {

	/** `offsets[ bucketCount ]` source indices: bucket after bucket, ascending inside each. */
	indices: Uint32Array;
	/** `bucketCount` + 1 of them: bucket k lies from `offsets[ k ]` up to, but without, `offsets[ k + 1 ]`. */
	offsets: Uint32Array;

}

/**
 * Splits the indices from 0 to `count` − 1 into `bucketCount` (1 to 4,096) buckets and keeps their order inside each. A
 * bucket ≥ `bucketCount` (read as u32, so −1 too) means in none. `bucketOf` is called once for each index, in order.
 *
 * @example
 * referencePartition( 5, 2, i => i % 2 );	// indices 0 2 4 1 3, offsets 0 3 5
 */
export function referencePartition( count: number, bucketCount: number, bucketOf: ( index: number ) => number ): ReferencePartitionResult {

	checkCount( count, maxCount, 'referencePartition' );

	if ( ! Number.isInteger( bucketCount ) || bucketCount < 1 || bucketCount > maxBuckets ) {

		throw invalidArgument( `referencePartition: bucketCount must be an integer from 1 to ${ maxBuckets } (got ${ describe( bucketCount ) }). Partition twice for more buckets.` );

	}

	const buckets = new Uint32Array( count );
	const offsets = new Uint32Array( bucketCount + 1 );

	for ( let index = 0; index < count; index ++ ) {

		const bucket = bucketOf( index ) >>> 0;
		buckets[ index ] = bucket;
		if ( bucket < bucketCount ) offsets[ bucket + 1 ] ++;

	}

	for ( let bucket = 0; bucket < bucketCount; bucket ++ ) offsets[ bucket + 1 ] += offsets[ bucket ];

	const indices = new Uint32Array( offsets[ bucketCount ] );
	const next = offsets.slice( 0, bucketCount );

	for ( let index = 0; index < count; index ++ ) {

		if ( buckets[ index ] < bucketCount ) indices[ next[ buckets[ index ] ] ++ ] = index;

	}

	return { indices, offsets };

}
