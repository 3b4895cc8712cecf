import type { Node } from 'three/webgpu';
import { asExpr, asNode, uint, type Expr } from '../builder/tsl';
import { binarySearch } from './binarySearch';
import { wgslExpression } from '../builder/wgsl';
import { deferStatements } from './deferred';
import { linearWorkgroupIdNode } from './device/linearWorkgroupId';

/**
 * The workgroup's number in a dispatch of one, two or three dimensions.
 *
 * ```js
 * const tile = linearWorkgroupId();
 * ```
 */
export function linearWorkgroupId(): Node<'uint'> {

	return asNode( linearWorkgroupIdNode() );

}

/**
 * Loads an element of workgroup memory so that the value counts as uniform: it may decide a branch with a barrier in it.
 * Has a barrier before and after. All invocations must reach it with the same index.
 *
 * ```js
 * const shared = workgroupArray( 'uint', 1 );
 * const count = workgroupUniformLoad( shared.element( uint( 0 ) ) );
 * ```
 */
export function workgroupUniformLoad<T>( element: Node<T> ): Node<T> {

	const target = asExpr( element );
	const [ value ] = deferStatements( 1, builder => target.getNodeType( builder ), builder => {

		const type = target.getNodeType( builder );
		return [ wgslExpression( type, writer => `workgroupUniformLoad( &${ writer.text( target, type ) } )` ).toVar() ];

	} );

	return asNode<T>( value );

}

/** A sorted sequence of uints: a storage buffer, or a closure from an index. */
export type SortedSource = { element( index: Node<'uint'> ): unknown } | ( ( index: Node<'uint'> ) => Node<'uint'> );

/**
 * The index of the first of `length` sorted values that is greater than `value`, or `length`. Over the inclusive scan of counts it
 * finds the owner of an output: expansion, the inverse of compaction.
 *
 * ```js
 * // particle i is emitted by the first emitter whose running count exceeds i
 * const emitter = upperBound( scan.outputNode, emitterCount, instanceIndex );
 * ```
 *
 * @param sorted - Ascending values.
 * @param length - How many: a number or a uint node.
 */
export function upperBound( sorted: SortedSource, length: Node<'uint'> | number, value: Node ): Node<'uint'> {

	const at = ( index: Expr ): Expr => asExpr( ( typeof sorted === 'function' && ! ( 'element' in sorted ) ? sorted( asNode( index ) ) : ( sorted as { element( i: Node<'uint'> ): Node } ).element( asNode( index ) ) ) );

	const target = asExpr( value ).toVar();
	return asNode( binarySearch( typeof length === 'number' ? uint( length ) : asExpr( length ), index => at( index ).greaterThan( target ) ) );

}
