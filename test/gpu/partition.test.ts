import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { storage } from 'three/tsl';
import { IndirectDraws, PartitionPass } from 'three-scan';
import { referencePartition } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

describe( `PartitionPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( [ 'subgroup', 'shared-memory' ] as const )( 'kernel %s', kernel => {

		it.each( [ 1, 2, 7, 256, 257, 4096 ] )( 'splits stably into %i buckets, discarding what is in none', async bucketCount => {

			const capacity = 5000;
			const buckets = new Uint32Array( capacity ).map( ( _, i ) => ( Math.imul( i + 1, 2654435761 ) >>> 8 ) % ( bucketCount + Math.ceil( bucketCount / 5 ) ) );
			const node = storage( new StorageBufferAttribute( buckets, 1 ), 'uint', capacity );
			const geometry = new BoxGeometry();
			const draws = new IndirectDraws( Array.from( { length: Math.min( bucketCount, 5 ) }, () => geometry ) );
			const pass = await new PartitionPass( capacity, bucketCount, i => node.element( i ), { kernel, draws, workgroupSize: 64 } ).init( renderer );

			for ( const n of [ 5000, 0, 1, 511, 512, 513, 1025, 4999 ] ) {

				pass.count = n;
				pass.compute( renderer );
				const { indices, offsets } = referencePartition( n, bucketCount, i => buckets[ i ] );
				expect( await pass.readOffsets( renderer ), `offsets, n ${ n }` ).toEqual( offsets );
				expect( await pass.readIndices( renderer ), `indices, n ${ n }` ).toEqual( indices );
				expect( await draws.readCounts( renderer ) ).toEqual( Array.from( { length: draws.length }, ( _, k ) => offsets[ k + 1 ] - offsets[ k ] ) );

			}

			pass.dispose();

		} );

	} );

} );
