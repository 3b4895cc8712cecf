import { Frustum, Matrix4, Vector4, type Camera, type Node } from 'three/webgpu';
import { uniformArray, vec4 } from 'three/tsl';

/** A camera's six planes as a uniform that compute passes may read; `update` it before they run. */
export class FrustumPlanes {

	readonly planes = Array.from( { length: 6 }, () => new Vector4() );
	private readonly node = uniformArray<'vec4'>( this.planes, 'vec4' );
	private readonly frustum = new Frustum();
	private readonly clipFromWorld = new Matrix4();

	update( camera: Camera ): void {

		camera.updateMatrixWorld();
		this.clipFromWorld.multiplyMatrices( camera.projectionMatrix, camera.matrixWorldInverse );
		this.frustum.setFromProjectionMatrix( this.clipFromWorld, camera.coordinateSystem, camera.reversedDepth );
		this.planes.forEach( ( plane, i ) => {

			const { normal, constant } = this.frustum.planes[ i ];
			plane.set( normal.x, normal.y, normal.z, constant );

		} );

	}

	/** Whether any part of a world-space sphere is inside. */
	touches( centre: Node<'vec3'>, radius: Node<'float'> ): Node<'bool'> {

		const inFront = this.planes.map( ( _, i ) => this.node.element( i ).dot( vec4( centre, 1 ) ).greaterThan( radius.negate() ) );
		return inFront.reduce( ( all, one ) => all.and( one ) );

	}

	/** The same on the CPU. */
	touchesSphere( x: number, y: number, z: number, radius: number ): boolean {

		return this.planes.every( ( plane ) => plane.x * x + plane.y * y + plane.z * z + plane.w > -radius );

	}

}
