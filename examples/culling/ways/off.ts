import { plainMesh } from './plainMesh';
import type { Way, World } from './index';

export function off( { populations }: World ): Way {

	const meshes = populations.map( ( population ) => plainMesh( population, ( k ) => k ) );
	return {
		meshes,
		isOnGpu: false,
		policy: { kernel: 'none: all are drawn' },
		cull() {

			meshes.forEach( ( mesh, i ) => ( mesh.count = populations[ i ].size ) );

		},
		readVisible: () => Promise.resolve( [ meshes.reduce( ( sum, mesh ) => sum + mesh.count, 0 ) ] ),
	};

}
