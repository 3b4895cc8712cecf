/**
 * Makes rabbit.glb: the `bunny` of @pmndrs/assets (CC0), unpacked from Draco, stood on the ground at unit height,
 * and simplified by meshoptimizer to three levels of detail. Run it again after changing LEVELS:
 *
 *   node examples/assets/make-model.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import bunny from '@pmndrs/assets/models/bunny.glb.js';

const LEVELS = [ 320, 110, 36 ]; // triangles
const NORMAL_WEIGHT = 0.25; // how much a bent normal counts beside a moved vertex

const { positions, normals, indices } = await decode( Buffer.from( bunny.slice( bunny.indexOf( ',' ) + 1 ), 'base64' ) );
standOnGround( positions );
await Promise.all( [ MeshoptSimplifier.ready, MeshoptEncoder.ready ] );
const levels = LEVELS.map( ( triangles ) => simplify( triangles ) );
writeFileSync( new URL( 'rabbit.glb', import.meta.url ), toGlb( levels ) );
for ( const level of levels ) console.log( `${ level.name }: ${ level.indices.length / 3 } triangles, ${ level.positions.length / 3 } vertices` );

/** The only primitive of a Draco-compressed GLB, decoded by the decoder that three ships. */
async function decode( glb ) {
	const jsonLength = glb.readUInt32LE( 12 );
	const json = JSON.parse( glb.subarray( 20, 20 + jsonLength ).toString() );
	const bytes = glb.subarray( 20 + jsonLength + 8 );
	const compressed = json.meshes[ 0 ].primitives[ 0 ].extensions.KHR_draco_mesh_compression;
	const view = json.bufferViews[ compressed.bufferView ];

	const require = createRequire( import.meta.url );
	const path = require.resolve( 'three/addons/libs/draco/gltf/draco_decoder.js' );
	const load = new Function( 'require', '__dirname', `${ readFileSync( path, 'utf8' ) }; return DracoDecoderModule;` ); // a classic script
	const draco = await load( require, dirname( path ) )();
	const decoder = new draco.Decoder();
	const mesh = new draco.Mesh();
	const status = decoder.DecodeArrayToMesh( bytes.subarray( view.byteOffset ?? 0 ), view.byteLength, mesh );
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
	return {
		positions: floats( compressed.attributes.POSITION ),
		normals: floats( compressed.attributes.NORMAL ),
		indices: Uint32Array.from( triangles.flat() ),
	};
}

function standOnGround( points ) {
	const low = [ Infinity, Infinity, Infinity ];
	const high = [ -Infinity, -Infinity, -Infinity ];
	points.forEach( ( value, i ) => {
		low[ i % 3 ] = Math.min( low[ i % 3 ], value );
		high[ i % 3 ] = Math.max( high[ i % 3 ], value );
	} );
	const origin = [ ( low[ 0 ] + high[ 0 ] ) / 2, low[ 1 ], ( low[ 2 ] + high[ 2 ] ) / 2 ];
	points.forEach( ( value, i ) => ( points[ i ] = ( value - origin[ i % 3 ] ) / ( high[ 1 ] - low[ 1 ] ) ) );
}

function simplify( triangles ) {
	const level = { positions: positions.slice(), normals: normals.slice(), indices: indices.slice() };
	const weights = [ NORMAL_WEIGHT, NORMAL_WEIGHT, NORMAL_WEIGHT ];
	const [ length ] = MeshoptSimplifier.simplifyWithUpdate( level.indices, level.positions, 3, level.normals, 3, weights, null, triangles * 3, 1 );
	const [ remap, unique ] = MeshoptEncoder.reorderMesh( level.indices = level.indices.slice( 0, length ), true, true );
	const gather = ( from ) => {
		const to = new Float32Array( unique * 3 );
		remap.forEach( ( target, source ) => target < unique && to.set( from.subarray( source * 3, source * 3 + 3 ), target * 3 ) );
		return to;
	};
	return { name: `rabbit-${ triangles }`, positions: gather( level.positions ), normals: unit( gather( level.normals ) ), indices: Uint16Array.from( level.indices ) };
}

function unit( vectors ) {
	for ( let i = 0; i < vectors.length; i += 3 ) {
		const length = Math.hypot( vectors[ i ], vectors[ i + 1 ], vectors[ i + 2 ] ) || 1;
		for ( let k = 0; k < 3; k++ ) vectors[ i + k ] /= length;
	}
	return vectors;
}

function toGlb( meshes ) {
	const FLOAT = 5126, SHORT = 5123, VERTICES = 34962, INDICES = 34963;
	const json = {
		asset: { version: '2.0', generator: 'three-scan', copyright: 'CC0 1.0, after the Stanford bunny of @pmndrs/assets' },
		scene: 0, scenes: [ { nodes: meshes.map( ( _, i ) => i ) } ],
		nodes: meshes.map( ( mesh, i ) => ( { name: mesh.name, mesh: i } ) ),
		materials: [ { name: 'fur', pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 } } ],
		meshes: [], accessors: [], bufferViews: [], buffers: [],
	};
	const chunks = [];
	let end = 0;
	const accessor = ( array, type, componentType, target, bounds ) => {
		const bytes = Buffer.alloc( Math.ceil( array.byteLength / 4 ) * 4 );
		bytes.set( new Uint8Array( array.buffer, array.byteOffset, array.byteLength ) );
		json.bufferViews.push( { buffer: 0, byteOffset: end, byteLength: array.byteLength, target } );
		chunks.push( bytes );
		end += bytes.length;
		return json.accessors.push( { bufferView: json.bufferViews.length - 1, componentType, count: array.length / ( type === 'VEC3' ? 3 : 1 ), type, ...bounds } ) - 1;
	};
	for ( const mesh of meshes ) {
		const column = ( k ) => mesh.positions.filter( ( _, i ) => i % 3 === k );
		const bounds = { min: [ 0, 1, 2 ].map( ( k ) => Math.min( ...column( k ) ) ), max: [ 0, 1, 2 ].map( ( k ) => Math.max( ...column( k ) ) ) };
		const attributes = {
			POSITION: accessor( mesh.positions, 'VEC3', FLOAT, VERTICES, bounds ),
			NORMAL: accessor( mesh.normals, 'VEC3', FLOAT, VERTICES ),
		};
		json.meshes.push( { name: mesh.name, primitives: [ { attributes, indices: accessor( mesh.indices, 'SCALAR', SHORT, INDICES ), material: 0 } ] } );
	}
	json.buffers.push( { byteLength: end } );
	const text = Buffer.from( JSON.stringify( json ) );
	const head = Buffer.concat( [ text, Buffer.alloc( ( 4 - ( text.length % 4 ) ) % 4, ' ' ) ] );
	const body = Buffer.concat( chunks );
	const chunk = ( kind, data ) => Buffer.concat( [ u32( data.length ), Buffer.from( kind ), data ] );
	const all = Buffer.concat( [ chunk( 'JSON', head ), chunk( 'BIN\0', body ) ] );
	return Buffer.concat( [ Buffer.from( 'glTF' ), u32( 2 ), u32( all.length + 12 ), all ] );
}

function u32( value ) {
	const bytes = Buffer.alloc( 4 );
	bytes.writeUInt32LE( value );
	return bytes;
}
