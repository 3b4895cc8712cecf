import type { BufferGeometry } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';

/** Refuses a geometry that culled instances can't be drawn with. To be asked before each render: attributes and drawRange may be set late. */
export function checkGeometry( geometry: BufferGeometry ): void {

	const { isBufferGeometry, attributes, drawRange } = ( geometry as Partial<BufferGeometry> | undefined ) ?? {};
	if ( isBufferGeometry !== true || attributes?.position === undefined ) throw invalidArgument( `CulledInstancedMesh: geometry must be a BufferGeometry with a position attribute (got ${ isBufferGeometry === true ? 'one without' : describe( geometry ) }). Set it, or assign another geometry.` );
	const instanced = Object.keys( attributes ).find( name => isInstanced( attributes[ name ] ) );
	if ( instanced !== undefined ) throw invalidArgument( `CulledInstancedMesh: geometry must have no attributes by the instance, which follow the order of drawing (got '${ instanced }'). Read a storage buffer at mesh.instanceIndexNode in the material.` );
	if ( drawRange!.start !== 0 || drawRange!.count !== Infinity ) throw invalidArgument( 'CulledInstancedMesh: geometry.drawRange must be the whole geometry (got a part). Make a geometry of that part.' );

}

function isInstanced( attribute: unknown ): boolean {

	const { isInstancedBufferAttribute, data } = attribute as { isInstancedBufferAttribute?: boolean; data?: { isInstancedInterleavedBuffer?: boolean } };
	return isInstancedBufferAttribute === true || data?.isInstancedInterleavedBuffer === true;

}
