import { declare, declareArray } from '../operator';
import type { ThreadScan } from './sharedMemory';

/** The power of two at or above n, at least 2. */
export function ceilPowerOfTwo( n: number ): number {

	return 2 ** Math.max( 1, Math.ceil( Math.log2( n ) ) );

}

/**
 * Blelloch's work-efficient exclusive scan (1990) in workgroup memory: an up-sweep builds a tree of partial
 * results in place, a down-sweep hands each node what is in front of it. 2·log₂(n) steps, about 3·n combinations. The array is filled up with
 * identities to a power of two.
 */
export const blellochScan: ThreadScan = ( writer, operator, workgroupSize, thread, value ) => {

	const size = ceilPowerOfTwo( workgroupSize );
	const { at, store } = declareArray( writer, 'scan', operator, size );
	const [ up, down, left, right ] = [ 'up_', 'down_', 'left_', 'right_' ].map( prefix => writer.name( prefix ) );

	writer.line( 'workgroupBarrier()' ); // an earlier use of the same memory, in a loop, has been read
	writer.line( `{ ${ store( thread, value ) } }` );
	if ( size > workgroupSize ) writer.line( `if ( ${ thread } < ${ size - workgroupSize }u ) { ${ store( `${ thread } + ${ workgroupSize }u`, operator.identity ) } }` );

	const children = ( stride: string ): string =>
		`let ${ left } = ( 2u * ${ thread } + 1u ) * ${ stride } - 1u; let ${ right } = ${ left } + ${ stride };`;

	writer.line( `for ( var ${ up } = 1u; ${ up } < ${ size }u; ${ up } <<= 1u ) {
		workgroupBarrier();
		if ( ${ thread } < ${ size / 2 }u / ${ up } ) { ${ children( up ) } ${ store( right, operator.combine( at( left ), at( right ) ) ) } }
	}` );
	writer.line( 'workgroupBarrier()' );

	const total = declare( writer, 'total', operator, at( `${ size - 1 }u` ) );
	writer.line( 'workgroupBarrier()' );
	writer.line( `if ( ${ thread } == 0u ) { ${ store( `${ size - 1 }u`, operator.identity ) } }` );

	// the right child is preceded by what precedes the node, then by the left child
	const half = size / 2;
	writer.line( `for ( var ${ down } = ${ half }u; ${ down } > 0u; ${ down } >>= 1u ) {
		workgroupBarrier();
		if ( ${ thread } < ${ half }u / ${ down } ) { ${ children( down ) } ${ writeDown( left, right ) } }
	}` );
	writer.line( 'workgroupBarrier()' );

	return { before: declare( writer, 'before', operator, at( thread ) ), total };

	function writeDown( l: string, r: string ): string {

		const [ leftSum, prefix ] = [ 'left_sum_', 'node_prefix_' ].map( name => operator.types.map( () => writer.name( name ) ) );
		return [
			...leftSum.map( ( name, k ) => `let ${ name } = ${ at( l )[ k ] };` ),
			...prefix.map( ( name, k ) => `let ${ name } = ${ at( r )[ k ] };` ),
			store( l, prefix ), store( r, operator.combine( prefix, leftSum ) )
		].join( ' ' );

	}

};
