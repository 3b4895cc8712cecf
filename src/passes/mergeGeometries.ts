import { BufferAttribute, BufferGeometry, type InterleavedBufferAttribute, type TypedArray } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';

/** Name of the vertex attribute that says which geometry a vertex came from. */
export const BUCKET_ATTRIBUTE = 'bucket';

export interface DrawRange { elements: number; first: number }

/** Several geometries in one, each a range of its index. */
export interface MergedGeometry { geometry: BufferGeometry; ranges: DrawRange[] }

/**
 * Concatenates geometries without morph targets into one indexed geometry, with a uint attribute `bucket` that tells their vertices apart. Keeps the attributes
 * that the first has, which all must have. Each geometry's drawRange is taken as it is now.
 */
export function mergeGeometries( who: string, geometries: BufferGeometry[] ): MergedGeometry {

	if ( ! Array.isArray( geometries ) || geometries.length === 0 ) throw invalidArgument( `${ who }: needs an array of at least one geometry (got ${ describe( geometries ) }).` );

	geometries.forEach( ( candidate, k ) => {

		if ( candidate?.isBufferGeometry !== true || candidate.attributes.position === undefined ) throw invalidArgument( `${ who }: geometries[ ${ k } ] must be a BufferGeometry with a position attribute (got ${ describe( candidate ) }).` );
		if ( Object.keys( candidate.morphAttributes ).length > 0 ) throw invalidArgument( `${ who }: geometries[ ${ k } ] must have no morph targets, which can't be merged (got some). Draw it by itself.` );

	} );

	const vertexCounts = geometries.map( ( { attributes } ) => attributes.position.count );
	const vertexTotal = vertexCounts.reduce( ( a, b ) => a + b );
	const merged = new BufferGeometry();

	for ( const name of Object.keys( geometries[ 0 ].attributes ) ) {

		merged.setAttribute( name, mergeAttribute( `${ who }: attribute '${ name }'`, geometries.map( ( { attributes } ) => attributes[ name ] ), vertexCounts, vertexTotal ) );

	}

	const bucket = new Uint32Array( vertexTotal );
	const ranges: DrawRange[] = [];
	const index: number[][] = [];
	let firstVertex = 0;
	let firstIndex = 0;

	geometries.forEach( ( geometry, k ) => {

		bucket.fill( k, firstVertex, firstVertex + vertexCounts[ k ] );

		const { drawRange } = geometry;
		const available = geometry.index?.count ?? vertexCounts[ k ];
		const start = Math.min( drawRange.start, available );
		const length = Math.max( 0, Math.min( drawRange.count, available - start ) );
		const vertexOffset = firstVertex;

		index.push( Array.from( { length }, ( _, i ) => vertexOffset + ( geometry.index?.getX( start + i ) ?? start + i ) ) );
		ranges.push( { elements: length, first: firstIndex } );
		firstVertex += vertexCounts[ k ];
		firstIndex += length;

	} );

	merged.setAttribute( BUCKET_ATTRIBUTE, new BufferAttribute( bucket, 1 ) );
	merged.setIndex( new BufferAttribute( new Uint32Array( index.flat() ), 1 ) );

	return { geometry: merged, ranges };

}

function mergeAttribute( who: string, attributes: readonly ( BufferAttribute | InterleavedBufferAttribute | undefined )[], counts: readonly number[], total: number ): BufferAttribute {

	const [ model ] = attributes as readonly ( BufferAttribute | InterleavedBufferAttribute )[];
	const { itemSize, normalized } = model;
	const array = new ( model.array.constructor as new ( length: number ) => TypedArray )( total * itemSize );
	const merged = new BufferAttribute( array, itemSize, normalized );
	let offset = 0;

	attributes.forEach( ( attribute, k ) => {

		if ( attribute === undefined || attribute.itemSize !== itemSize || attribute.normalized !== normalized || attribute.array.constructor !== model.array.constructor ) throw invalidArgument( `${ who } of geometries[ ${ k } ] must be as in the first geometry: ${ array.constructor.name } of itemSize ${ itemSize } (got ${ attribute === undefined ? 'none' : `${ attribute.array.constructor.name } of itemSize ${ attribute.itemSize }` }).` );

		for ( let i = 0; i < counts[ k ]; i ++ ) for ( let c = 0; c < itemSize; c ++ ) merged.setComponent( offset + i, c, attribute.getComponent( i, c ) );
		offset += counts[ k ];

	} );

	return merged;

}
