import type { BufferAttribute, Matrix4, Node, Vector3 } from 'three/webgpu';
import { view } from '../builder/buffers';
import { asExpr, asNode, uint, vec4, type Expr, type UniformExpr } from '../builder/tsl';
import { choose, wgslExpression } from '../builder/wgsl';

/**
 * World-space bounding sphere of an instance from its matrix: the local one's centre, transformed, and its radius times an upper bound of how
 * much the matrix stretches. Not drawn, so of a radius below any distance: matrices of zeros, NaN and infinities.
 */
export function instanceSphere( matrices: BufferAttribute, world: UniformExpr<Matrix4>, local: { centre: UniformExpr<Vector3>; radius: UniformExpr<number> } ): ( i: Node<'uint'> ) => Node<'vec4'> {

	// by columns: four coalesced loads, and no matrix in registers
	const columns = view( matrices, 'vec4', 'instanceColumns' ).toReadOnly();

	return i => {

		const first = asExpr( i ).mul( uint( 4 ) ).toVar();
		const [ x, y, z, w ] = [ 0, 1, 2, 3 ].map( c => columns.element( first.add( c ) ).xyz.toVar() );
		const centre = x.mul( local.centre.x ).add( y.mul( local.centre.y ) ).add( z.mul( local.centre.z ) ).add( w ).toVar();

		const placed = world.mul( vec4( centre, 1 ) ).xyz.toVar();
		const [ wx, wy, wz ] = [ vec4( 1, 0, 0, 0 ), vec4( 0, 1, 0, 0 ), vec4( 0, 0, 1, 0 ) ].map( axis => world.mul( axis ).xyz );
		const radius = stretch( x, y, z ).mul( stretch( wx, wy, wz ) ).mul( local.radius ).toVar();

		// NaN would pass every comparison that culls
		const isDrawn = isFinite( placed.x ).and( isFinite( placed.y ), isFinite( placed.z ), isFinite( radius ), stretch( x, y, z ).greaterThan( 0 ) );
		return asNode( choose( 'vec4', isDrawn, vec4( placed, radius ), vec4( 0, 0, 0, - 1e30 ) ).toVar() );

	};

}

/**
 * At least the largest factor by which the matrix of these columns stretches: the square root of the largest row sum of its Gram matrix (an upper
 * bound of its largest eigenvalue, exact where the columns are at right angles; three's getMaxScaleOnAxis is too small for a sheared one).
 */
function stretch( x: Expr, y: Expr, z: Expr ): Expr {

	const [ xy, xz, yz ] = [ x.dot( y ).abs().toVar(), x.dot( z ).abs().toVar(), y.dot( z ).abs().toVar() ];
	return x.dot( x ).add( xy, xz ).max( y.dot( y ).add( xy, yz ) ).max( z.dot( z ).add( xz, yz ) ).sqrt();

}

/** By its bits: a compiler may assume that there are no NaN and no infinities. */
function isFinite( value: Expr ): Expr {

	const own = value.toVar();
	return wgslExpression( 'bool', writer => `( bitcast<u32>( ${ writer.text( own, 'float' ) } ) & 0x7f800000u ) != 0x7f800000u` );

}
