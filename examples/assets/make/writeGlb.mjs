const FLOAT = 5126, SHORT = 5123, VERTICES = 34962, INDICES = 34963;

/**
 * @param {{ name: string, positions: Float32Array, normals: Float32Array, colors: Float32Array, indices: Uint16Array }[]} meshes
 * @param {string} copyright
 * @returns {Buffer} a GLB with a node for each mesh
 */
export function writeGlb( meshes, copyright ) {
	const json = {
		asset: { version: '2.0', generator: 'three-scan', copyright },
		scene: 0, scenes: [ { nodes: meshes.map( ( _, i ) => i ) } ],
		nodes: meshes.map( ( mesh, i ) => ( { name: mesh.name, mesh: i } ) ),
		materials: [ { name: 'matte', pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 } } ],
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
	for ( const { name, positions, normals, colors, indices } of meshes ) {
		const column = ( k ) => positions.filter( ( _, i ) => i % 3 === k );
		const bounds = { min: [ 0, 1, 2 ].map( ( k ) => Math.min( ...column( k ) ) ), max: [ 0, 1, 2 ].map( ( k ) => Math.max( ...column( k ) ) ) };
		const attributes = {
			POSITION: accessor( positions, 'VEC3', FLOAT, VERTICES, bounds ),
			NORMAL: accessor( normals, 'VEC3', FLOAT, VERTICES ),
			COLOR_0: accessor( colors, 'VEC3', FLOAT, VERTICES ),
		};
		json.meshes.push( { name, primitives: [ { attributes, indices: accessor( indices, 'SCALAR', SHORT, INDICES ), material: 0 } ] } );
	}
	json.buffers.push( { byteLength: end } );
	const text = Buffer.from( JSON.stringify( json ) );
	const head = Buffer.concat( [ text, Buffer.alloc( ( 4 - ( text.length % 4 ) ) % 4, ' ' ) ] );
	const chunk = ( kind, data ) => Buffer.concat( [ u32( data.length ), Buffer.from( kind ), data ] );
	const all = Buffer.concat( [ chunk( 'JSON', head ), chunk( 'BIN\0', Buffer.concat( chunks ) ) ] );
	return Buffer.concat( [ Buffer.from( 'glTF' ), u32( 2 ), u32( all.length + 12 ), all ] );
}

function u32( value ) {
	const bytes = Buffer.alloc( 4 );
	bytes.writeUInt32LE( value );
	return bytes;
}
