import { CulledInstancedMesh } from 'three-scan';
import { makeMaterial } from '../looks';
import type { Population } from '../population';
import type { Way, World } from './index';

/** This package: meshes that cull themselves for the camera and for the sun's shadow, each in three levels of detail. */
export async function culledMeshes( { populations, renderer }: World ): Promise<Way> {

	const meshes = populations.map( makeMesh );
	await Promise.all( meshes.map( ( mesh ) => mesh.init( renderer ) ) );

	return {
		meshes,
		isOnGpu: true,
		policy: { ...meshes[ 0 ].policy },
		cull( isFrozen ) {

			meshes.forEach( ( mesh, i ) => {

				mesh.count = populations[ i ].size;
				mesh.culling = isFrozen ? 'frozen' : 'on';

			} );

		},
		async readVisible() {

			const counts = await Promise.all( meshes.map( ( mesh ) => mesh.readVisibleCounts( renderer ) ) );
			return counts[ 0 ].map( ( _, level ) => counts.reduce( ( sum, ofMesh ) => sum + ofMesh[ level ], 0 ) );

		},
	};

}

function makeMesh( { kind, levels, matrixData, capacity }: Population ): CulledInstancedMesh {

	const { distances, maxDistance, castsShadow } = kind;
	const lods = levels.map( ( geometry, level ) => ( { geometry, distance: distances[ level ] } ) );
	const mesh = new CulledInstancedMesh( lods, null, capacity, { matrices: matrixData, maxDistance, shadowLodBias: 1 } );
	mesh.material = makeMaterial( kind, mesh.instanceIndexNode );
	mesh.castShadow = castsShadow;
	mesh.receiveShadow = true;
	return mesh;

}
