/** Levels of detail by meshoptimizer. A model is { positions, normals, colors, indices }. */
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { MeshoptSimplifier } from 'meshoptimizer/simplifier';

await Promise.all( [ MeshoptSimplifier.ready, MeshoptEncoder.ready ] );

const NORMAL_WEIGHT = 0.25, COLOR_WEIGHT = 0.35; // how much these count beside a moved vertex

/** Joins parts, each of one colour, into one model. */
export function join( parts ) {
	const indices = [];
	let vertices = 0;
	for ( const part of parts ) {
		for ( const index of part.indices ) indices.push( index + vertices );
		vertices += part.positions.length / 3;
	}
	const all = ( of ) => Float32Array.from( parts.flatMap( ( part ) => Array.from( of( part ) ) ) );
	return {
		positions: all( ( part ) => part.positions ), normals: all( ( part ) => part.normals ),
		colors: all( ( { positions, colors, color } ) => colors ?? Array.from( positions, ( _, i ) => color[ i % 3 ] ) ),
		indices: Uint32Array.from( indices ),
	};
}

/** Moves a model onto the ground and makes it 1 high. */
export function standOnGround( { positions } ) {
	const low = [ Infinity, Infinity, Infinity ], high = [ -Infinity, -Infinity, -Infinity ];
	positions.forEach( ( value, i ) => {
		low[ i % 3 ] = Math.min( low[ i % 3 ], value );
		high[ i % 3 ] = Math.max( high[ i % 3 ], value );
	} );
	const origin = [ ( low[ 0 ] + high[ 0 ] ) / 2, low[ 1 ], ( low[ 2 ] + high[ 2 ] ) / 2 ];
	positions.forEach( ( value, i ) => ( positions[ i ] = ( value - origin[ i % 3 ] ) / ( high[ 1 ] - low[ 1 ] ) ) );
}

/** A level of about so many triangles; thin ones get a back of their own, and sloppy ones may fall to pieces that are not seen from afar. */
export function simplify( model, triangles, { isThin = false, isSloppy = false, flags = [] } = {} ) {
	if ( isThin ) return compact( withBacks( simplify( model, triangles / 2, { isSloppy, flags } ) ) );
	if ( isSloppy ) return compact( { ...model, indices: MeshoptSimplifier.simplifySloppy( model.indices, model.positions, 3, null, triangles * 3, 1 )[ 0 ] } );
	const indices = model.indices.slice();
	const positions = model.positions.slice();
	const attributes = Float32Array.from( { length: positions.length * 2 }, ( _, i ) => i % 6 < 3
		? model.normals[ Math.floor( i / 6 ) * 3 + i % 6 ]
		: model.colors[ Math.floor( i / 6 ) * 3 + i % 6 - 3 ] );
	const weights = [ ...Array( 3 ).fill( NORMAL_WEIGHT ), ...Array( 3 ).fill( COLOR_WEIGHT ) ];
	const [ length ] = MeshoptSimplifier.simplifyWithUpdate( indices, positions, 3, attributes, 6, weights, null, triangles * 3, 1, flags );
	const level = {
		positions, indices: indices.slice( 0, length ),
		normals: unit( attributes.filter( ( _, i ) => i % 6 < 3 ) ), colors: attributes.filter( ( _, i ) => i % 6 >= 3 ).map( ( value ) => Math.min( Math.max( value, 0 ), 1 ) ),
	};
	return compact( level );
}

/** Leaves a trunk, the first so many indices, what it is while the rest falls to pieces. */
export function simplifyApart( model, firstIndices, [ first, rest ] ) {
	return compact( join( [
		simplify( { ...model, indices: model.indices.slice( 0, firstIndices ) }, first, { flags: [ 'Prune' ] } ),
		simplify( { ...model, indices: model.indices.slice( firstIndices ) }, rest, { isSloppy: true } ),
	] ) );
}

/** Only the vertices in use, in an order that suits the vertex cache. */
function compact( model ) {
	const [ remap, unique ] = MeshoptEncoder.reorderMesh( model.indices, true, true );
	const gather = ( from ) => {
		const to = new Float32Array( unique * 3 );
		remap.forEach( ( target, source ) => target < unique && to.set( from.subarray( source * 3, source * 3 + 3 ), target * 3 ) );
		return to;
	};
	return { positions: gather( model.positions ), normals: gather( model.normals ), colors: gather( model.colors ), indices: Uint16Array.from( model.indices ) };
}

function withBacks( front ) {
	const back = { ...front, normals: front.normals.map( ( value ) => - value ), indices: front.indices.slice().reverse() };
	return join( [ front, back ] );
}

export function unit( vectors ) {
	for ( let i = 0; i < vectors.length; i += 3 ) {
		const length = Math.hypot( vectors[ i ], vectors[ i + 1 ], vectors[ i + 2 ] ) || 1;
		for ( let k = 0; k < 3; k++ ) vectors[ i + k ] /= length;
	}
	return vectors;
}
