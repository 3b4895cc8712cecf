import type { BufferGeometry } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { mergeGeometries, type DrawRange } from '../passes/mergeGeometries';

/** A level of detail. */
export interface Lod {

	/** With the attributes of the first level. */
	geometry: BufferGeometry;
	/** Shown from this distance on, from the eye to the instance's centre. Level 0 begins at 0. */
	distance: number;

}

/** Levels of detail as one geometry, a range of it each. */
export interface Levels {

	readonly lods: readonly Lod[];
	readonly geometry: BufferGeometry;
	readonly ranges: DrawRange[];
	/** Where the second level begins, the third … */
	readonly distances: number[];

}

/** By their own list of levels, so that a clone shares the geometry as clones of a mesh do. */
const known = new WeakMap<readonly Lod[], Levels>();

export function mergeLods( lods: readonly Lod[] ): Levels {

	const before = known.get( lods );
	if ( before !== undefined ) return before;

	if ( lods.length === 0 ) throw invalidArgument( 'CulledInstancedMesh: levels of detail must be at least one (got an empty array). Pass a geometry where there is but one.' );

	lods.forEach( ( lod: Lod | null, k ) => {

		if ( typeof lod?.distance !== 'number' ) throw invalidArgument( `CulledInstancedMesh: each level of detail must be { geometry, distance } (got ${ describe( lod ) } for level ${ k }). Begin with distance 0.` );
		const got = lods.map( each => each.distance ).join( ', ' );
		if ( k === 0 && lod.distance !== 0 ) throw invalidArgument( `CulledInstancedMesh: distances must ascend from 0 (got ${ got }). Begin with distance 0.` );
		if ( k > 0 && ! ( lod.distance >= lods[ k - 1 ].distance ) ) throw invalidArgument( `CulledInstancedMesh: distances must ascend from 0 (got ${ got }). Sort the levels.` );

	} );

	const { geometry, ranges } = mergeGeometries( 'CulledInstancedMesh', lods.map( lod => lod.geometry ) );

	// what holds each level, also where the user has enlarged one
	geometry.computeBoundingSphere();
	for ( const lod of lods ) if ( lod.geometry.boundingSphere !== null ) geometry.boundingSphere!.union( lod.geometry.boundingSphere );

	const levels: Levels = { lods: [ ...lods ], geometry, ranges, distances: lods.slice( 1 ).map( lod => lod.distance ) };
	known.set( levels.lods, levels );
	return levels;

}
