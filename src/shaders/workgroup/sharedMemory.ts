import { invocationLocalIndex, type Expr } from '../../builder/tsl';
import type { WgslWriter } from '../../builder/wgsl';
import { declare, declareArray, type Operator, type Value } from '../operator';
import { blellochScan, ceilPowerOfTwo } from './blelloch';
import { emitCollective } from './collective';
import { hillisSteeleScan } from './hillisSteele';
import type { WorkgroupCollective } from './WorkgroupCollective';

export type SharedMemoryScan = 'hillis-steele' | 'blelloch';

/** Scans one value a thread through workgroup memory: what is in front of the thread, and the workgroup's total. */
export type ThreadScan = ( writer: WgslWriter, operator: Operator, workgroupSize: number, thread: string, value: Value ) => { before: Value; total: Value };

const scans: Record<SharedMemoryScan, ThreadScan> = { 'hillis-steele': hillisSteeleScan, blelloch: blellochScan };

/**
 * The collectives through workgroup memory, for devices without subgroups. A thread folds its rows, and the scan runs over threads; or, interleaved,
 * a row is an item of every thread, and all rows are scanned together: neighbours then access memory together, for more workgroup memory.
 */
export function sharedMemoryCollective( workgroupSize: number, scan: SharedMemoryScan, interleaved: boolean ): WorkgroupCollective {

	const extras: Expr[] = [ invocationLocalIndex ];

	return {

		position: ( k, rows ) => interleaved ? invocationLocalIndex.add( k * workgroupSize ) : invocationLocalIndex.mul( rows ).add( k ),

		scan( monoid, rows ) {

			const results = emitCollective( monoid, rows, extras, rows.length + 1, ( writer, operator, values, [ thread ] ) =>
				( interleaved && rows.length > 1 ? scanRows : scanThreads )( writer, operator, workgroupSize, thread, values, scans[ scan ] ) );

			return { prefixes: results.slice( 0, - 1 ), total: results[ rows.length ] };

		},

		reduce( monoid, input ) {

			return emitCollective( monoid, [ input ], extras, 1, ( writer, operator, [ value ], [ thread ] ) =>
				[ reduceThroughMemory( writer, operator, workgroupSize, thread, value ) ] )[ 0 ];

		}

	};

}

/** Each row's exclusive prefixes, and the total: a thread's rows follow each other. */
function scanThreads( writer: WgslWriter, operator: Operator, workgroupSize: number, thread: string, values: Value[], scan: ThreadScan ): Value[] {

	const running = [ values[ 0 ] ];
	for ( let k = 1; k < values.length; k ++ ) running.push( declare( writer, 'row_scan', operator, operator.combine( running[ k - 1 ], values[ k ] ) ) );

	const { before, total } = scan( writer, operator, workgroupSize, thread, running[ running.length - 1 ] );
	const prefixes = values.map( ( _, k ) => k === 0 ? before : declare( writer, 'prefix', operator, operator.combine( before, running[ k - 1 ] ) ) );
	return [ ...prefixes, total ];

}

/** The same where each row goes across the threads: the rows are scanned as one value of so many fields, then put behind each other. */
function scanRows( writer: WgslWriter, operator: Operator, workgroupSize: number, thread: string, values: Value[], scan: ThreadScan ): Value[] {

	const width = operator.types.length;
	const rowOf = ( value: Value, k: number ): Value => value.slice( k * width, ( k + 1 ) * width );
	const each = <T>( f: ( k: number ) => readonly T[] ): T[] => values.flatMap( ( _, k ) => f( k ) );

	const together: Operator = {
		types: each( () => operator.types ),
		identity: each( () => operator.identity ),
		combine: ( a, b ) => each( k => operator.combine( rowOf( a, k ), rowOf( b, k ) ) ),
		native: undefined
	};

	const { before, total } = scan( writer, together, workgroupSize, thread, values.flat() );

	let rowsBefore: Value = operator.identity;

	const prefixes = values.map( ( _, k ) => {

		const prefix = k === 0 ? rowOf( before, 0 ) : declare( writer, 'prefix', operator, operator.combine( rowsBefore, rowOf( before, k ) ) );
		rowsBefore = k === 0 ? rowOf( total, 0 ) : declare( writer, 'rows_before', operator, operator.combine( rowsBefore, rowOf( total, k ) ) );
		return prefix;

	} );

	return [ ...prefixes, rowsBefore ];

}

/** A tree over workgroup memory that halves the live threads each step; the first thread's element is the total. */
function reduceThroughMemory( writer: WgslWriter, operator: Operator, workgroupSize: number, thread: string, value: Value ): Value {

	const { at, store } = declareArray( writer, 'reduce', operator, workgroupSize );
	const step = writer.name( 'reduce_step_' );

	writer.line( 'workgroupBarrier()' );
	writer.line( store( thread, value ) );
	writer.line( 'workgroupBarrier()' );
	writer.line( `for ( var ${ step } = ${ ceilPowerOfTwo( workgroupSize ) / 2 }u; ${ step } > 0u; ${ step } >>= 1u ) {
		if ( ${ thread } < ${ step } && ${ thread } + ${ step } < ${ workgroupSize }u ) { ${ store( thread, operator.combine( at( thread ), at( `${ thread } + ${ step }` ) ) ) } }
		workgroupBarrier();
	}` );

	return declare( writer, 'total', operator, at( '0u' ) );

}
