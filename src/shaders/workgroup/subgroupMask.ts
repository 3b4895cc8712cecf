import { Loop, countOneBits, uint, type Expr } from '../../builder/tsl';
import { emitWgsl } from '../../builder/wgsl';
import type { SubgroupOrder } from '../subgroup/SubgroupOrder';
import { bitOf, ELEMENTS_PER_WORD, type MaskCollective } from './MaskCollective';

/**
 * Mask words by ballots. A subgroup owns 32 rows of its width, which is one word a lane at any width: a row's ballot
 * is part of a word (widths below 32), a word, or several. Words and offsets stay in registers and are handed to the rows by shuffles.
 */
export function subgroupMask( order: SubgroupOrder, batchRows: number ): MaskCollective {

	const { rank, active, first } = order;
	const inSubgroup = ( j: Expr ): Expr => j.mul( active ).add( rank );
	const element = ( j: Expr ): Expr => first.mul( ELEMENTS_PER_WORD ).add( inSubgroup( j ) );

	return {

		word: first.add( rank ),
		element,

		collect( planes, valuesOf ) {

			const words = Array.from( { length: planes }, () => uint( 0 ).toVar() );

			Loop( { start: uint( 0 ), end: uint( ELEMENTS_PER_WORD ), type: 'uint', condition: '<', update: batchRows }, ( { i } ) => {

				const row = i.toVar(); // a loop inside names its counter i, too
				const values = valuesOf( { count: batchRows, element: k => element( row.add( k ) ) } );
				values.forEach( ( value, k ) => words.forEach( ( word, plane ) => word.assign( word.bitOr( ballotPart( order, row.add( k ), bitOf( value, plane ) ) ) ) ) );

			} );

			return words;

		},

		distribute( word, offset, visit ) {

			Loop( { start: uint( 0 ), end: uint( ELEMENTS_PER_WORD ), type: 'uint', condition: '<', update: batchRows }, ( { i } ) => {

				for ( let u = 0; u < batchRows; u ++ ) {

					const own = inSubgroup( i.add( u ) ).toVar();
					const [ mask, start ] = emitWgsl( [ word, offset, own ].map( node => ( { node, type: 'uint' } ) ), [ 'uint', 'uint' ], ( _, [ w, o, e ] ) =>
						[ w, o ].map( value => `subgroupShuffle( ${ value }, ${ e } >> 5u )` ) );
					visit( first.mul( ELEMENTS_PER_WORD ).add( own ), placeOf( mask, start, own ) );

				}

			} );

		}

	};

}

/** The lane's part of a row's ballot: the bits of its own word. */
function ballotPart( { active, rank }: SubgroupOrder, j: Expr, flag: Expr ): Expr {

	const inputs = [ { node: flag, type: 'bool' }, ...[ j, active, rank ].map( node => ( { node, type: 'uint' } ) ) ];

	return emitWgsl( inputs, [ 'uint' ], ( writer, [ on, row, width, lane ] ) => {

		const [ ballot, start, part, result ] = [ 'ballot_', 'ballot_start_', 'ballot_part_', 'ballot_bits_' ].map( name => writer.name( name ) );

		writer.line( `let ${ ballot } = subgroupBallot( ${ on } )` );
		writer.line( `let ${ start } = ( ${ row } ) * ${ width }` );
		writer.line( `let ${ part } = ${ lane } - ( ${ start } >> 5u )` ); // huge for lanes in front: in none
		writer.line( `var ${ result } = 0u` );
		writer.line( `if ( ${ width } <= 32u ) { if ( ${ part } == 0u ) { ${ result } = ${ ballot }.x << ( ${ start } & 31u ); } }` );
		writer.line( `else { if ( ${ part } < ${ width } / 32u ) { ${ result } = ${ ballot }[ ${ part } ]; } }` );
		return [ result ];

	} )[ 0 ];

}

/** Reads a word at an element's bit. */
export function placeOf( mask: Expr, offset: Expr, element: Expr ): { survives: Expr; position: Expr } {

	const bit = uint( 1 ).shiftLeft( element.bitAnd( 31 ) ).toVar();
	return { survives: mask.bitAnd( bit ).notEqual( 0 ), position: offset.add( countOneBits( mask.bitAnd( bit.sub( 1 ) ) ) ) };

}
