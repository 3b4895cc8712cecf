import { Loop, invocationLocalIndex, uint, type Expr } from '../../builder/tsl';
import { emitWgsl } from '../../builder/wgsl';
import { ELEMENTS_PER_WORD, type MaskCollective } from './MaskCollective';
import { placeOf } from './subgroupMask';

/**
 * Mask words through workgroup memory. A thread gathers the flags of its column, 32 rows a workgroup wide, and the
 * workgroup transposes the bits, so that a word is for 32 consecutive elements.
 */
export function sharedMask( workgroupSize: number, batchRows: number ): MaskCollective {

	const element = ( j: Expr ): Expr => j.mul( workgroupSize ).add( invocationLocalIndex );
	const thread = { node: invocationLocalIndex, type: 'uint' };
	let arrays: string[] | undefined;

	return {

		word: invocationLocalIndex,
		element,

		collect( planes, valuesOf ) {

			const columns = Array.from( { length: planes }, () => uint( 0 ).toVar() );

			Loop( { start: uint( 0 ), end: uint( ELEMENTS_PER_WORD ), type: 'uint', condition: '<', update: batchRows }, ( { i } ) => {

				const first = i.toVar(); // a loop inside names its counter i, too
				const values = valuesOf( { count: batchRows, element: k => element( first.add( k ) ) } );
				values.forEach( ( value, k ) => columns.forEach( ( column, plane ) => column.assign( column.bitOr( value.shiftRight( plane ).bitAnd( 1 ).shiftLeft( first.add( k ) ) ) ) ) );

			} );

			return columns.map( column => transpose( workgroupSize, column ) );

		},

		distribute( word, offset, visit ) {

			emitWgsl( [ thread, ...[ word, offset ].map( node => ( { node, type: 'uint' } ) ) ], [], ( writer, [ t, ...values ] ) => {

				arrays ??= [ 'words', 'offsets' ].map( name => writer.workgroupArray( name, 'u32', workgroupSize ) );
				writer.line( 'workgroupBarrier()' ); // an earlier word has been handed out
				arrays.forEach( ( name, k ) => writer.line( `${ name }[ ${ t } ] = ${ values[ k ] }` ) );
				writer.line( 'workgroupBarrier()' );
				return [];

			} );

			Loop( { start: uint( 0 ), end: uint( ELEMENTS_PER_WORD ), type: 'uint', condition: '<', update: batchRows }, ( { i } ) => {

				for ( let u = 0; u < batchRows; u ++ ) {

					const own = element( i.add( u ) ).toVar();
					const [ mask, start ] = emitWgsl( [ { node: own, type: 'uint' } ], [ 'uint', 'uint' ], ( _, [ e ] ) => arrays!.map( name => `${ name }[ ${ e } >> 5u ]` ) );
					visit( own, placeOf( mask, start, own ) );

				}

			} );

		}

	};

}

/** From a bit a row of the thread's column to 32 bits that follow each other, through workgroup memory. */
function transpose( workgroupSize: number, column: Expr ): Expr {

	return emitWgsl( [ { node: invocationLocalIndex, type: 'uint' }, { node: column, type: 'uint' } ], [ 'uint' ], ( writer, [ t, bits ] ) => {

		const columns = writer.workgroupArray( 'columns', 'u32', workgroupSize );
		const [ result, k, i, e ] = [ 'mask_', 'mask_step_', 'mask_bit_', 'mask_element_' ].map( name => writer.name( name ) );

		writer.line( `${ columns }[ ${ t } ] = ${ bits }` );
		writer.line( 'workgroupBarrier()' );
		writer.line( `var ${ result } = 0u` );
		// each thread begins at another bit: neighbours read different banks
		writer.line( `for ( var ${ k } = 0u; ${ k } < 32u; ${ k }++ ) {
		let ${ i } = ( ${ k } + ${ t } ) & 31u;
		let ${ e } = 32u * ${ t } + ${ i };
		${ result } |= ( ( ${ columns }[ ${ e } % ${ workgroupSize }u ] >> ( ${ e } / ${ workgroupSize }u ) ) & 1u ) << ${ i };
	}` );
		return [ result ];

	} )[ 0 ];

}
