/** A tree: trunk and branches as three's TreeGenerator grows them, and lumps of foliage around the tips. */
import { IcosahedronGeometry, Vector3 } from 'three/webgpu';
import { TreeGenerator } from 'three/addons/generators/TreeGenerator.js';
import { mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';

const BARK = [ 0.16, 0.1, 0.065 ];

export function growTree( { seed = 5, lumps = 13, size = 1.75 } = {} ) {
	const { geometry } = new TreeGenerator().setSeed( seed ).setLevels( 3 ).setChildren( [ 9, 4 ] ).setTrunkLength( 7 ).setTrunkRadius( 0.34 )
		.setBranchAngle( [ 62, 48 ] ).setLengthRatio( 0.46 ).setTrunkClear( 0.38 ).setBranchLengthFalloff( 0.35 ).setRadialSegments( 7 ).build();
	const { position, normal } = geometry.attributes;
	const wood = { positions: position.array, normals: normal.array, indices: geometry.index.array, color: BARK };

	const points = Array.from( { length: position.count }, ( _, i ) => new Vector3().fromBufferAttribute( position, i ) ).filter( ( point ) => point.y > 3.6 );
	const centres = spread( points, lumps );
	const middle = centres.reduce( ( sum, point ) => sum.add( point ), new Vector3() ).divideScalar( lumps );
	const spheres = centres.map( ( centre, i ) => ( { centre, radius: size * ( 1 - 0.28 * ( ( i * 7 ) % 5 ) / 5 ) * ( centre.y > 6.6 ? 0.78 : 1 ) } ) );
	return [ wood, ...spheres.map( ( sphere ) => foliage( sphere, spheres, middle ) ) ];
}

/** As far from each other as can be: each next point is the farthest from those before. */
function spread( points, count ) {
	const chosen = [ points.reduce( ( top, point ) => point.y > top.y ? point : top ) ];
	const gap = ( point ) => Math.min( ...chosen.map( ( other ) => point.distanceTo( other ) ) );
	while ( chosen.length < count ) chosen.push( points.reduce( ( best, point ) => gap( point ) > gap( best ) ? point : best ) );
	return chosen;
}

function foliage( { centre, radius }, all, middle ) {
	const sphere = new IcosahedronGeometry( 1, 5 );
	sphere.deleteAttribute( 'uv' );
	sphere.deleteAttribute( 'normal' );
	const geometry = mergeVertices( sphere );
	const { position } = geometry.attributes;
	const positions = [], normals = [], colors = [];
	const point = new Vector3(), out = new Vector3();
	for ( let i = 0; i < position.count; i++ ) {
		out.fromBufferAttribute( position, i );
		const { x, y, z } = out;
		const seed = centre.x * 3 + centre.z * 5;
		const bumps = Math.sin( x * 5.1 + seed ) * Math.sin( y * 4.3 + seed ) * Math.sin( z * 4.7 - seed ) * 0.14 + Math.sin( x * 11 + y * 9 - z * 10 + seed ) * 0.045;
		point.set( x, y * 0.82, z ).multiplyScalar( radius * ( 1 + bumps ) ).add( centre );
		positions.push( ...point );
		// shaded partly as one crown
		const round = point.clone().sub( middle ).normalize().multiplyScalar( 0.7 ).add( out ).normalize();
		normals.push( ...round );
		// light on top and outside, dark below and within
		const height = Math.min( Math.max( ( point.y - 2.6 ) / 7, 0 ), 1 );
		const light = 0.34 + 0.42 * height + 0.16 * y + bumps * 1.1;
		colors.push( 0.25 * light, 0.36 * light, 0.095 * light );
	}
	const inside = ( i, j, k ) => all.some( ( other ) => other.centre !== centre && [ i, j, k ].every( ( v ) => {
		point.fromArray( positions, v * 3 ).sub( other.centre );
		point.y /= 0.82;
		return point.length() < other.radius * 0.84;
	} ) );
	const indices = [];
	for ( let i = 0; i < geometry.index.count; i += 3 ) {
		const [ a, b, c ] = geometry.index.array.subarray( i, i + 3 );
		if ( !inside( a, b, c ) ) indices.push( a, b, c );
	}
	return { positions: Float32Array.from( positions ), normals: Float32Array.from( normals ), colors: Float32Array.from( colors ), indices: Uint32Array.from( indices ) };
}
