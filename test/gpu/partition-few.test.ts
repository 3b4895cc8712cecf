import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { storage } from 'three/tsl';
import { IndirectDraws, PartitionPass } from 'three-scan';
import { referencePartition } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

/** Every number of buckets has a shader of its own: one device takes them all, the others one at their width. */
const BUCKETS = deviceName === 'swiftshader' || process.env.THREE_SCAN_LONG === '1' ? [ 1, 2, 3, 4 ] : [ 3 ];
const KERNELS = deviceName === 'swiftshader' || process.env.THREE_SCAN_LONG === '1' ? [ 'subgroup', 'shared-memory' ] as const : [ 'subgroup' ] as const;

/** Up to four buckets go by masks of bits, when no other tile is asked for. */
describe( `PartitionPass into few buckets on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( KERNELS )( 'kernel %s', kernel => {

		it.each( BUCKETS )( 'splits stably into %i, discarding what is in none', async bucketCount => {

			const capacity = 9000;
			const buckets = new Uint32Array( capacity );
			const attribute = new StorageBufferAttribute( buckets, 1 );
			const node = storage( attribute, 'uint', capacity );
			const payload = new StorageBufferAttribute( new Float32Array( capacity ).map( ( _, i ) => i / 3 ), 1 );
			const geometry = new BoxGeometry();
			const draws = new IndirectDraws( Array.from( { length: bucketCount }, () => geometry ) );
			const pass = await new PartitionPass( capacity, bucketCount, i => node.element( i ), { kernel, draws, workgroupSize: 32, gather: [ { from: payload } ] } ).init( renderer );

			expect( pass.policy.dispatches ).toBe( 2 );

			const fills: ( ( i: number ) => number )[] = [
				i => ( Math.imul( i + 1, 2654435761 ) >>> 8 ) % ( bucketCount + 1 ),
				() => bucketCount - 1,
				() => 0xffffffff,
			];

			for ( const fill of fills ) {

				buckets.forEach( ( _, i ) => { buckets[ i ] = fill( i ); } );
				attribute.needsUpdate = true;

				for ( const n of [ capacity, 0, 1, 33, 1023, 1024, 1025, 8191 ] ) {

					pass.count = n;
					pass.compute( renderer );
					const { indices, offsets } = referencePartition( n, bucketCount, i => buckets[ i ] );
					expect( await pass.readOffsets( renderer ), `offsets, n ${ n }` ).toEqual( offsets );
					expect( await pass.readIndices( renderer ), `indices, n ${ n }` ).toEqual( indices );
					expect( await draws.readCounts( renderer ) ).toEqual( Array.from( { length: bucketCount }, ( _, k ) => offsets[ k + 1 ] - offsets[ k ] ) );

				}

			}

			pass.dispose();

		} );

	} );

} );
