import { Vector4, type BufferAttribute } from 'three/webgpu';
import { view } from '../builder/buffers';
import { If, Loop, uint, uniformArray, type Expr, type StorageExpr } from '../builder/tsl';

/** Rows of a table: 64 KiB, what every device can bind as a uniform buffer. */
const MAX_ROWS = 4096;

/** Words of a draw record: enough for an indexed draw. */
export const RECORD_WORDS = 5;

/** Draw records that a kernel can write: what the planner sees of `IndirectDraws`. */
export interface DrawRecords {

	readonly attribute: BufferAttribute;
	/** How many indices or vertices draw `index` has now, and where they begin. */
	elementRange( index: number ): { elements: number; first: number };

}

/** A draw record, and whose count it takes. */
export interface DrawRecord { readonly draws: DrawRecords; readonly index: number }

export interface DrawWriter {

	/** Storage buffers that it binds. */
	readonly attributes: number;
	/** Writes the records, `threads` of them at a time; `instances` gives the count for the k-th of `records`. */
	write( thread: Expr, threads: number, instances: ( k: Expr ) => Expr ): void;

}

/** One table and one view an attribute: two views that may write would alias. */
export function drawWriter( records: readonly DrawRecord[] ): DrawWriter {

	const tables = new Map<DrawRecords, { k: number; index: number }[]>();
	records.forEach( ( { draws, index }, k ) => tables.set( draws, [ ...( tables.get( draws ) ?? [] ), { k, index } ] ) );

	return {

		attributes: tables.size,

		write( thread, threads, instances ) {

			let t = 0;

			for ( const [ draws, entries ] of tables ) {

				const words = view( draws.attribute, 'uint', `draws${ t ++ }` );
				for ( let k = 0; k < entries.length; k += MAX_ROWS ) writeTable( draws, words, entries.slice( k, k + MAX_ROWS ), thread, threads, instances );

			}

		}

	};

}

function writeTable( draws: DrawRecords, words: StorageExpr, entries: { k: number; index: number }[], thread: Expr, threads: number, instances: ( k: Expr ) => Expr ): void {

	const rows = entries.map( ( { k, index } ) => new Vector4( k, index * RECORD_WORDS, 0, 0 ) );
	const table = uniformArray( rows, 'uvec4' );

	// element counts as the geometries have them when the nodes run, batched or not
	table.onRenderUpdate( () => entries.forEach( ( { index }, row ) => {

		const { elements, first } = draws.elementRange( index );
		rows[ row ].z = elements;
		rows[ row ].w = first;

	} ) );

	const writeRow = ( row: Expr ): void => {

		const entry = table.element( row ).toVar();
		const word = ( offset: number ): Expr => words.element( entry.y.add( offset ) );
		word( 0 ).assign( entry.z );
		word( 1 ).assign( instances( entry.x ) );
		word( 2 ).assign( entry.w );

	};

	if ( entries.length === 1 ) If( thread.equal( 0 ), () => writeRow( uint( 0 ) ) );
	else Loop( { start: thread, end: uint( entries.length ), type: 'uint', condition: '<', update: threads }, ( { i } ) => writeRow( i ) );

}
