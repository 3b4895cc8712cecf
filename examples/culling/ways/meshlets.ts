import { InstancedBufferAttribute, InstancedMesh, StandardDrawingPipeline, type MeshLambertNodeMaterial } from 'three/webgpu';
import { instanceIndex } from 'three/tsl';
import { MeshletDrawingPipeline } from 'three/addons/pipelines/MeshletDrawingPipeline.js';
import { makeMaterial } from '../looks';
import type { Population } from '../population';
import type { Way, World } from './index';

/** three's own pipeline, to compare with: it splits the finest level into clusters, and culls and simplifies those. */
export function meshlets( { populations, renderer }: World ): Way {

	const pipeline = new MeshletDrawingPipeline();
	const usual = new StandardDrawingPipeline();
	const meshes = populations.map( makeMesh );
	return {
		meshes,
		isOnGpu: true,
		get policy() {

			return { kernel: `MeshletDrawingPipeline of three.js, ${ pipeline.info.clusters.toLocaleString() } clusters` };

		},
		cull() {

			if ( renderer.drawingPipeline !== pipeline ) renderer.drawingPipeline = pipeline;
			meshes.forEach( ( mesh, i ) => {

				if ( mesh.count === populations[ i ].size ) return;
				mesh.count = populations[ i ].size;
				mesh.instanceMatrix.needsUpdate = true;

			} );

		},
		readVisible: () => Promise.resolve( null ),
		leave: () => ( renderer.drawingPipeline = usual ),
	};

}

function makeMesh( { kind, levels, matrixData }: Population ): InstancedMesh<typeof levels[ number ], MeshLambertNodeMaterial> {

	const mesh = new InstancedMesh( levels[ 0 ].clone(), makeMaterial( kind, instanceIndex ), 0 );
	mesh.instanceMatrix = new InstancedBufferAttribute( matrixData.array, 16 ).setUsage( matrixData.usage );
	mesh.frustumCulled = false; // its clusters are
	mesh.castShadow = kind.castsShadow;
	mesh.receiveShadow = true;
	return mesh;

}
