import { Mesh, type BufferGeometry, type Node } from 'three/webgpu';
import { Fn, instanceIndex, normalLocal, positionGeometry, vec4 } from 'three/tsl';
import { makeMaterial } from '../looks';
import type { Population } from '../population';

/** Says which instance the k-th that is drawn is, e.g. `(k) => compact.element(k)`. */
export type Lookup = ( k: Node<'uint'> ) => Node<'uint'>;

/** The finest level of detail, for want of another. Set `count`, or draw it indirectly. */
export function plainMesh( { kind, levels, matrices }: Population, lookup: Lookup, geometry: BufferGeometry = levels[ 0 ].clone() ): Mesh {

	const index = lookup( instanceIndex );
	const material = makeMaterial( kind, index );
	material.positionNode = Fn( () => {

		const matrix = matrices.element( index ).toVar();
		normalLocal.assign( matrix.mul( vec4( normalLocal, 0 ) ).xyz.normalize() );
		return matrix.mul( vec4( positionGeometry, 1 ) ).xyz;

	} )();
	const mesh = new Mesh( geometry, material );
	mesh.frustumCulled = false; // three knows the bounds of one instance only
	mesh.castShadow = kind.castsShadow;
	mesh.receiveShadow = true;
	return mesh;

}
