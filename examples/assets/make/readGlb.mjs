/** The triangles of a GLB: those of the first mesh, a part for each primitive, unpacked from Draco where need be. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const ARRAYS = { 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3 };

/**
 * @param {Buffer} glb
 * @returns {Promise<{ positions: Float32Array, normals: Float32Array, indices: Uint32Array, material: string }[]>}
 */
export async function readGlb( glb ) {
	const jsonLength = glb.readUInt32LE( 12 );
	const json = JSON.parse( glb.subarray( 20, 20 + jsonLength ).toString() );
	const bytes = glb.subarray( 20 + jsonLength + 8 );
	const bytesOf = ( { byteOffset = 0, byteLength } ) => bytes.subarray( byteOffset, byteOffset + byteLength );

	const array = ( id ) => {
		const { bufferView, byteOffset = 0, componentType, count, type } = json.accessors[ id ];
		const Kind = ARRAYS[ componentType ];
		const data = bytesOf( json.bufferViews[ bufferView ] ).subarray( byteOffset, byteOffset + count * WIDTHS[ type ] * Kind.BYTES_PER_ELEMENT );
		return new Kind( Uint8Array.from( data ).buffer );
	};

	return Promise.all( json.meshes[ 0 ].primitives.map( async ( { attributes, indices, material, extensions } ) => {
		const draco = extensions?.KHR_draco_mesh_compression;
		const arrays = draco
			? await decode( bytesOf( json.bufferViews[ draco.bufferView ] ), draco.attributes )
			: { positions: array( attributes.POSITION ), normals: array( attributes.NORMAL ), indices: Uint32Array.from( array( indices ) ) };
		return { ...arrays, material: json.materials?.[ material ]?.name ?? '' };
	} ) );
}

/** Draco's own decoder, as three ships it. */
async function decode( bytes, attributes ) {
	const require = createRequire( import.meta.url );
	const path = require.resolve( 'three/addons/libs/draco/gltf/draco_decoder.js' );
	const load = new Function( 'require', '__dirname', `${ readFileSync( path, 'utf8' ) }; return DracoDecoderModule;` ); // a classic script
	const draco = await load( require, dirname( path ) )();
	const decoder = new draco.Decoder();
	const mesh = new draco.Mesh();
	const status = decoder.DecodeArrayToMesh( bytes, bytes.length, mesh );
	if ( !status.ok() ) throw new Error( status.error_msg() );

	const floats = ( id ) => {
		const values = new draco.DracoFloat32Array();
		decoder.GetAttributeFloatForAllPoints( mesh, decoder.GetAttributeByUniqueId( mesh, id ), values );
		return Float32Array.from( { length: values.size() }, ( _, i ) => values.GetValue( i ) );
	};
	const face = new draco.DracoInt32Array();
	const triangles = Array.from( { length: mesh.num_faces() }, ( _, i ) => {
		decoder.GetFaceFromMesh( mesh, i, face );
		return [ face.GetValue( 0 ), face.GetValue( 1 ), face.GetValue( 2 ) ];
	} );
	return { positions: floats( attributes.POSITION ), normals: floats( attributes.NORMAL ), indices: Uint32Array.from( triangles.flat() ) };
}
