import { IndirectStorageBufferAttribute, type BufferGeometry, type WebGPURenderer } from 'three/webgpu';
import { internals } from '../three-types';

type Indirect = Pick<BufferGeometry, 'indirect' | 'indirectOffset'>;

/** What geometries are drawn by themselves, while a mesh has its own records there. */
const lent = new WeakMap<BufferGeometry, Indirect>();

/** Puts a mesh's draw records into a geometry, which others may share. Twice is fine: three leaves a draw out that is not compiled yet, and what comes after it. */
export function lendIndirect( geometry: BufferGeometry, records: BufferGeometry[ 'indirect' ], offsets: number[] ): void {

	const { indirect, indirectOffset } = geometry;
	if ( ! lent.has( geometry ) ) lent.set( geometry, { indirect, indirectOffset } );
	geometry.setIndirect( records, offsets );

}

/** A record of no instance. */
const nothing = new IndirectStorageBufferAttribute( new Uint32Array( 5 ), 1 );

/** Lets the geometry draw nothing. */
export function lendNothing( renderer: WebGPURenderer, geometry: BufferGeometry ): void {

	const { backend } = internals( renderer );
	if ( backend.get( nothing ).buffer === undefined ) backend.createIndirectStorageAttribute( nothing ); // three looked for records before this one came
	lendIndirect( geometry, nothing, [ 0 ] );

}

/** Makes a geometry again what it was. */
export function returnIndirect( geometry: BufferGeometry ): void {

	const own = lent.get( geometry );
	if ( own === undefined ) return;

	geometry.setIndirect( own.indirect, own.indirectOffset );
	lent.delete( geometry );

}
