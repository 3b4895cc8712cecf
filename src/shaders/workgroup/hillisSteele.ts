import { assignments, declare, declareArray } from '../operator';
import type { ThreadScan } from './sharedMemory';

/**
 * Hillis and Steele's inclusive scan (1986) in place in workgroup memory: log₂(n) steps; in step k
 * each thread combines the element 2ᵏ before its own. Two barriers a step: all have read before any writes, all have written before any
 * reads. Needs one element a thread, and n·log₂(n) combinations.
 */
export const hillisSteeleScan: ThreadScan = ( writer, operator, workgroupSize, thread, value ) => {

	const { at, store } = declareArray( writer, 'scan', operator, workgroupSize );
	const inclusive = declare( writer, 'inclusive', operator, value );
	const step = writer.name( 'step_' );

	writer.line( 'workgroupBarrier()' ); // an earlier use of the same memory, in a loop, has been read
	writer.line( `{ ${ store( thread, inclusive ) } }` );
	writer.line( `for ( var ${ step } = 1u; ${ step } < ${ workgroupSize }u; ${ step } <<= 1u ) {
		workgroupBarrier();
		if ( ${ thread } >= ${ step } ) { ${ assignments( writer, inclusive, operator.combine( at( `${ thread } - ${ step }` ), inclusive ) ) } }
		workgroupBarrier();
		${ store( thread, inclusive ) }
	}` );
	writer.line( 'workgroupBarrier()' );

	const before = declare( writer, 'before', operator, operator.identity );
	writer.line( `if ( ${ thread } > 0u ) { ${ assignments( writer, before, at( `${ thread } - 1u` ) ) } }` );

	return { before, total: declare( writer, 'total', operator, at( `${ workgroupSize - 1 }u` ) ) };

};
