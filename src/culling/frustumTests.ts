import type { Node } from 'three/webgpu';
import { asExpr, asNode, bool, float, uint, type Expr } from '../builder/tsl';
import { choose } from '../builder/wgsl';

/** Six planes (normal, constant), inside where normal · p + constant ≥ 0, from `first` on in an array of vec4. */
export type PlaneArray = { element( index: Node<'uint'> ): unknown };

const planeAt = ( planes: PlaneArray, index: Expr ): Expr => asExpr( planes.element( asNode( index ) ) as Node );

/**
 * Whether no plane has the sphere wholly on its outer side; touching is inside.
 *
 * ```js
 * const planes = uniformArray( frustum.planes.map( p => new Vector4( ...p.normal, p.constant ) ), 'vec4' );
 * const keep = sphereInFrustum( planes, sphere.xyz, sphere.w );
 * ```
 *
 * @param planes - An array of six vec4: normals of length 1, and constants.
 * @param first - Index of the first plane. Default 0.
 */
export function sphereInFrustum( planes: PlaneArray, centre: Node<'vec3'>, radius: Node<'float'>, first: Node<'uint'> | number = 0 ): Node<'bool'> {

	const [ c, r ] = [ asExpr( centre ).toVar(), asExpr( radius ).toVar() ];
	return everyPlane( planes, first, plane => plane.xyz.dot( c ).add( plane.w ).lessThan( r.negate() ) );

}

/**
 * Whether no plane has the axis-aligned box wholly on its outer side: the corner farthest along the normal decides.
 *
 * ```js
 * const keep = boxInFrustum( planes, boxMin.element( i ), boxMax.element( i ) );
 * ```
 */
export function boxInFrustum( planes: PlaneArray, min: Node<'vec3'>, max: Node<'vec3'>, first: Node<'uint'> | number = 0 ): Node<'bool'> {

	const [ low, high ] = [ asExpr( min ).toVar(), asExpr( max ).toVar() ];

	return everyPlane( planes, first, plane => {

		const far = ( axis: 'x' | 'y' | 'z' ): Expr => plane[ axis ].mul( choose( 'float', plane[ axis ].greaterThan( 0 ), high[ axis ], low[ axis ] ) );
		return far( 'x' ).add( far( 'y' ) ).add( far( 'z' ) ).add( plane.w ).lessThan( 0 );

	} );

}

function everyPlane( planes: PlaneArray, first: Node<'uint'> | number, outside: ( plane: Expr ) => Expr ): Node<'bool'> {

	const start = typeof first === 'number' ? uint( first ) : asExpr( first );
	const anyOutside = bool( false ).toVar();

	// no early exit: six dot products are cheaper than lanes that part ways
	for ( let k = 0; k < 6; k ++ ) {

		const plane = planeAt( planes, start.add( k ) ).toVar();
		anyOutside.assign( anyOutside.or( outside( plane ) ) );

	}

	return asNode( anyOutside.not() );

}

/**
 * The radius of a sphere on screen, in pixels: radius · focalLength / w, with the clip-space w of the centre. Immense (1e30) as soon as the sphere
 * reaches w = 0, around the eye.
 *
 * ```js
 * // w = row · ( centre, 1 ), the last row of projectionMatrix × viewMatrix; focalLength = |projection[ 5 ]| · height / 2
 * const pixels = projectedRadius( centre, radius, row, focalLength );
 * ```
 */
export function projectedRadius( centre: Node<'vec3'>, radius: Node<'float'>, row: Node<'vec4'>, focalLength: Node<'float'> ): Node<'float'> {

	const [ c, r, w4 ] = [ asExpr( centre ).toVar(), asExpr( radius ).toVar(), asExpr( row ).toVar() ];
	const w = w4.xyz.dot( c ).add( w4.w ).toVar();
	const reach = r.mul( w4.xyz.length() );

	return asNode( choose( 'float', w.greaterThan( reach ), r.mul( asExpr( focalLength ) ).div( w ), float( 1e30 ) ) );

}
