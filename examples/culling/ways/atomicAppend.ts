import { IndirectStorageBufferAttribute, StorageBufferAttribute } from 'three/webgpu';
import { atomicAdd, atomicLoad, atomicStore, Fn, If, instanceIndex, storage, uint } from 'three/tsl';
import type { FrustumPlanes } from '../../shared/frustum';
import type { Population } from '../population';
import { plainMesh } from './plainMesh';
import type { Way, World } from './index';

/** One atomic addition a survivor: simple, but the survivors come in another order every frame. */
export function atomicAppend( { populations, frustum, renderer }: World ): Way {

	const parts = populations.map( ( population ) => appendPart( population, frustum ) );
	const nodes = parts.flatMap( ( part ) => part.nodes );
	return {
		meshes: parts.map( ( { mesh } ) => mesh ),
		isOnGpu: true,
		policy: { kernel: 'atomic append' },
		cull() {

			parts.forEach( ( { append }, i ) => ( append.count = populations[ i ].size ) );
			renderer.compute( nodes );

		},
		async readVisible() {

			const counts = await Promise.all( parts.map( async ( { countData } ) => new Uint32Array( await renderer.getArrayBufferAsync( countData ) )[ 0 ] ) );
			return [ counts.reduce( ( sum, count ) => sum + count ) ];

		},
	};

}

function appendPart( population: Population, frustum: FrustumPlanes ) {

	const { capacity, spheres } = population;
	const geometry = population.levels[ 0 ].clone();
	// an indexed draw: index count, instance count, and three offsets
	const draw = new IndirectStorageBufferAttribute( new Uint32Array( [ geometry.index!.count, 0, 0, 0, 0 ] ), 1 );
	geometry.setIndirect( draw );

	const indices = storage( new StorageBufferAttribute( new Uint32Array( capacity ), 1 ), 'uint', capacity );
	const words = storage( draw, 'uint', 5 );
	const countData = new StorageBufferAttribute( new Uint32Array( 1 ), 1 );
	const survivors = storage( countData, 'uint', 1 ).toAtomic();

	const clear = Fn( () => {

		atomicStore( survivors.element( uint( 0 ) ), uint( 0 ) );

	} )().compute( 1 ).setName( 'Clear' );
	const append = Fn( () => {

		const sphere = spheres.element( instanceIndex );
		If( frustum.touches( sphere.xyz, sphere.w ), () => {

			const slot = atomicAdd( survivors.element( uint( 0 ) ), uint( 1 ) );
			indices.element( slot ).assign( instanceIndex );

		} );

	} )().compute( capacity ).setName( 'Append' );
	const publish = Fn( () => {

		words.element( uint( 1 ) ).assign( atomicLoad( survivors.element( uint( 0 ) ) ) );

	} )().compute( 1 ).setName( 'Publish' );

	return { append, countData, nodes: [ clear, append, publish ], mesh: plainMesh( population, ( k ) => indices.element( k ), geometry ) };

}
