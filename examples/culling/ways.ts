/** Four ways to draw a herd: all of it, or what a test on the CPU or in a compute pass leaves of it. */
import { IndirectStorageBufferAttribute, StorageBufferAttribute, type BufferGeometry, type Mesh, type WebGPURenderer } from 'three/webgpu';
import { atomicAdd, atomicLoad, atomicStore, Fn, If, instanceIndex, storage, uint } from 'three/tsl';
import { CompactPass, IndirectDraws } from 'three-scan';
import type { FrustumPlanes } from '../shared/frustum';
import type { Herd } from './herd';
import { makeGeometries, makeMeshes } from './looks';

export const WAYS = [ 'scan', 'atomic append', 'CPU', 'off' ] as const;
export type WayName = ( typeof WAYS )[ number ];

export interface Way {
	readonly meshes: Mesh[];
	readonly isOnGpu: boolean;
	/** In a word or two, how the survivors are found. */
	readonly policy: Readonly<Record<string, unknown>>;
	/** Finds what the planes touch; to be called before a render, after the planes have moved. */
	cull( renderer: WebGPURenderer ): void;
	readVisible( renderer: WebGPURenderer ): Promise<number>;
}

interface World {
	model: BufferGeometry;
	herd: Herd;
	frustum: FrustumPlanes;
	renderer: WebGPURenderer;
}

export async function makeWay( name: WayName, world: World ): Promise<Way> {

	switch ( name ) {

		case 'scan': return scan( world );
		case 'atomic append': return atomicAppend( world );
		case 'CPU': return onCpu( world );
		case 'off': return off( world );

	}

}

/** This package: the survivors in the order of the herd, and their number in every draw. */
async function scan( { model, herd, frustum, renderer }: World ): Promise<Way> {

	const geometries = makeGeometries( model );
	const draws = new IndirectDraws( geometries );
	draws.attach();
	const compact = new CompactPass( herd.capacity, ( i ) => frustum.touches( herd.centre( i ), herd.radius( i ) ), { draws } );
	await compact.init( renderer );
	return {
		meshes: makeMeshes( geometries, herd, ( k ) => compact.element( k ) ),
		isOnGpu: true,
		policy: { ...compact.policy },
		cull() {

			compact.count = herd.size;
			compact.compute( renderer );

		},
		readVisible: () => compact.readSurvivorCount( renderer ),
	};

}

/** One atomic addition a survivor: simple, but the survivors come in another order every frame. */
function atomicAppend( { model, herd, frustum }: World ): Way {

	const WORDS = 5; // of an indexed draw: index count, instance count, and three offsets
	const geometries = makeGeometries( model );
	const records = new Uint32Array( geometries.length * WORDS );
	const draws = new IndirectStorageBufferAttribute( records, 1 );
	geometries.forEach( ( geometry, i ) => {

		records[ i * WORDS ] = geometry.index!.count;
		geometry.setIndirect( draws, i * WORDS * Uint32Array.BYTES_PER_ELEMENT );

	} );

	const indexData = new StorageBufferAttribute( new Uint32Array( herd.capacity ), 1 );
	const indices = storage( indexData, 'uint', herd.capacity );
	const words = storage( draws, 'uint', records.length );
	const countData = new StorageBufferAttribute( new Uint32Array( 1 ), 1 );
	const survivors = storage( countData, 'uint', 1 ).toAtomic();

	const clear = Fn( () => {

		atomicStore( survivors.element( uint( 0 ) ), uint( 0 ) );

	} )().compute( 1 ).setName( 'Clear' );
	const append = Fn( () => {

		If( frustum.touches( herd.centre( instanceIndex ), herd.radius( instanceIndex ) ), () => {

			const slot = atomicAdd( survivors.element( uint( 0 ) ), uint( 1 ) );
			indices.element( slot ).assign( instanceIndex );

		} );

	} )().compute( herd.capacity ).setName( 'Append' );
	const publish = Fn( () => {

		for ( let i = 0; i < geometries.length; i++ ) words.element( uint( i * WORDS + 1 ) ).assign( atomicLoad( survivors.element( uint( 0 ) ) ) );

	} )().compute( 1 ).setName( 'Publish' );

	return {
		meshes: makeMeshes( geometries, herd, ( k ) => indices.element( k ) ),
		isOnGpu: true,
		policy: { kernel: 'atomic append' },
		cull( renderer ) {

			append.count = herd.size;
			renderer.compute( [ clear, append, publish ] );

		},
		readVisible: async ( renderer ) => new Uint32Array( await renderer.getArrayBufferAsync( countData ) )[ 0 ],
	};

}

/** A loop over the herd, and an upload of the survivors. */
function onCpu( { model, herd, frustum }: World ): Way {

	const survivors = new Uint32Array( herd.capacity );
	const indexData = new StorageBufferAttribute( survivors, 1 );
	const indices = storage( indexData, 'uint', herd.capacity ).toReadOnly();
	const meshes = makeMeshes( makeGeometries( model ), herd, ( k ) => indices.element( k ) );
	let visible = 0;
	return {
		meshes,
		isOnGpu: false,
		policy: { kernel: 'none: a loop on the CPU' },
		cull() {

			visible = herd.collect( frustum, survivors );
			indexData.addUpdateRange( 0, visible );
			indexData.needsUpdate = true;
			for ( const mesh of meshes ) mesh.count = visible;

		},
		readVisible: () => Promise.resolve( visible ),
	};

}

function off( { model, herd }: World ): Way {

	const meshes = makeMeshes( makeGeometries( model ), herd, ( k ) => k );
	return {
		meshes,
		isOnGpu: false,
		policy: { kernel: 'none: all are drawn' },
		cull() {

			for ( const mesh of meshes ) mesh.count = herd.size;

		},
		readVisible: () => Promise.resolve( herd.size ),
	};

}
