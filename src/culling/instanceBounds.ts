import { Box3, Matrix4, Mesh, Sphere, Vector3, type BufferGeometry, type Intersection, type Material, type Raycaster } from 'three/webgpu';
import type { InstanceBuffers } from './InstanceBuffers';

/** The instance that is being looked at. */
const current = { index: 0, matrix: new Matrix4() };
const scale = new Vector3();
const sphere = new Sphere();
const box = new Box3();
const proxy = new Mesh();

/** The first `count` instances that have a place and a size, one after the other in the same object. */
function* placed( instances: InstanceBuffers, count: number ): Generator<typeof current> {

	const { matrix } = current;

	for ( let i = 0; i < count; i ++ ) {

		current.index = i;
		instances.getMatrix( i, matrix );
		if ( matrix.elements.every( Number.isFinite ) && scale.setFromMatrixScale( matrix ).lengthSq() > 0 ) yield current;

	}

}

/** Unites the spheres of the first `count` instances, each of which is `local` where it is placed. */
export function uniteSpheres( instances: InstanceBuffers, count: number, local: Sphere ): Sphere {

	const bounds = new Sphere().makeEmpty();
	for ( const { matrix } of placed( instances, count ) ) bounds.union( sphere.copy( local ).applyMatrix4( matrix ) );
	return bounds;

}

/** Unites the boxes of the first `count` instances. */
export function uniteBoxes( instances: InstanceBuffers, count: number, local: Box3 ): Box3 {

	const bounds = new Box3();
	for ( const { matrix } of placed( instances, count ) ) bounds.union( box.copy( local ).applyMatrix4( matrix ) );
	return bounds;

}

/** Where a ray meets those of the first `count` instances that are shown, in the order of their index. */
export function raycastInstances( instances: InstanceBuffers, count: number, shape: { geometry: BufferGeometry; material: Material; matrixWorld: Matrix4 }, raycaster: Raycaster ): Intersection[] {

	const all: Intersection[] = [];
	const hits: Intersection[] = [];
	proxy.geometry = shape.geometry;
	proxy.material = shape.material;

	for ( const { index, matrix } of placed( instances, count ) ) {

		if ( ! instances.isShown( index ) ) continue;

		proxy.matrixWorld.multiplyMatrices( shape.matrixWorld, matrix );
		proxy.raycast( raycaster, hits );

		for ( const hit of hits ) all.push( { ...hit, instanceId: index } );
		hits.length = 0;

	}

	return all;

}
