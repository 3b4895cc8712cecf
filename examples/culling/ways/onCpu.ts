import { StorageBufferAttribute } from 'three/webgpu';
import { storage } from 'three/tsl';
import { plainMesh } from './plainMesh';
import type { Way, World } from './index';

/** A loop over all instances, and an upload of the survivors. */
export function onCpu( { populations, frustum }: World ): Way {

	const parts = populations.map( ( population ) => {

		const survivors = new Uint32Array( population.capacity );
		const indexData = new StorageBufferAttribute( survivors, 1 );
		const indices = storage( indexData, 'uint', population.capacity ).toReadOnly();
		return { population, survivors, indexData, mesh: plainMesh( population, ( k ) => indices.element( k ) ) };

	} );
	return {
		meshes: parts.map( ( { mesh } ) => mesh ),
		isOnGpu: false,
		policy: { kernel: 'none: a loop on the CPU' },
		cull() {

			for ( const { population, survivors, indexData, mesh } of parts ) {

				mesh.count = population.collect( frustum, survivors );
				indexData.addUpdateRange( 0, mesh.count );
				indexData.needsUpdate = true;

			}

		},
		readVisible: () => Promise.resolve( [ parts.reduce( ( sum, { mesh } ) => sum + mesh.count, 0 ) ] ),
	};

}
