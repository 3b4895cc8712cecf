import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { storage } from 'three/tsl';
import { CompactPass, IndirectDraws } from 'three-scan';
import { referenceCompact } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors } from '../support/gpu';

describe( `CompactPass on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	describe.each( [ 'subgroup', 'shared-memory' ] as const )( 'kernel %s', kernel => {

		it( 'keeps survivors in order at every tile edge', async () => {

			const capacity = 20000;
			const flags = new Uint32Array( capacity ).map( ( _, i ) => Math.imul( i, 2654435761 ) >>> 13 & 3 );
			const flagNode = storage( new StorageBufferAttribute( flags, 1 ), 'uint', capacity );
			const draws = new IndirectDraws( new BoxGeometry() );
			const pass = await new CompactPass( capacity, i => flagNode.element( i ).greaterThan( 1 ), { kernel, draws, workgroupSize: 64 } ).init( renderer );

			for ( const n of [ 0, 1, 31, 32, 33, 2047, 2048, 2049, 10000, 20000, 7 ] ) {

				pass.count = n;
				pass.compute( renderer );
				const expected = referenceCompact( n, i => flags[ i ] > 1 );
				expect( await pass.readIndices( renderer ), `n ${ n }` ).toEqual( expected );
				expect( await pass.readSurvivorCount( renderer ) ).toBe( expected.length );
				expect( await pass.readOverflow( renderer ) ).toBe( 0 );
				expect( await draws.readCounts( renderer ) ).toEqual( [ expected.length ] );

			}

			pass.dispose();

		} );

	} );

} );
