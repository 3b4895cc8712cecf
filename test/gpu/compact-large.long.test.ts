import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { storage } from 'three/tsl';
import { CompactPass, PartitionPass } from 'three-scan';
import { referenceCompact, referencePartition } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

const COUNTS = [ 16_777_217, 16_777_215, 4_194_305, 1 ];
const CAPACITY = COUNTS[ 0 ];

/** The first place where two arrays differ: a failing comparison of 16 million numbers would print for minutes. */
function firstDifference( got: Uint32Array, expected: Uint32Array ): number {

	return got.length === expected.length ? expected.findIndex( ( value, i ) => got[ i ] !== value ) : Math.min( got.length, expected.length );

}

describe( `16,777,217 candidates on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	const values = new Uint32Array( CAPACITY ).map( ( _, i ) => Math.imul( i + 1, 2654435761 ) >>> 13 );
	const node = storage( new StorageBufferAttribute( values, 1 ), 'uint', CAPACITY );

	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( [ 'subgroup', 'shared-memory' ] as const )( 'kernel %s', kernel => {

		it( 'are compacted in order', async () => {

			const pass = await new CompactPass( CAPACITY, i => node.element( i ).bitAnd( 3 ).greaterThan( 1 ), { kernel } ).init( renderer );

			for ( const n of COUNTS ) {

				pass.count = n;
				pass.compute( renderer );
				expect( firstDifference( await pass.readIndices( renderer ), referenceCompact( n, i => ( values[ i ] & 3 ) > 1 ) ), `n ${ n }` ).toBe( - 1 );

			}

			pass.dispose();

		} );

		it.each( [ 3, 8 ] )( 'are split stably into %i buckets', async bucketCount => {

			const pass = await new PartitionPass( CAPACITY, bucketCount, i => node.element( i ).mod( bucketCount + 1 ), { kernel } ).init( renderer );

			for ( const n of COUNTS ) {

				pass.count = n;
				pass.compute( renderer );
				const { indices, offsets } = referencePartition( n, bucketCount, i => values[ i ] % ( bucketCount + 1 ) );
				expect( await pass.readOffsets( renderer ), `n ${ n }` ).toEqual( offsets );
				expect( firstDifference( await pass.readIndices( renderer ), indices ), `n ${ n }` ).toBe( - 1 );

			}

			pass.dispose();

		} );

	} );

} );
