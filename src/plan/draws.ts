import type { BufferAttribute } from 'three/webgpu';
import { view } from '../builder/buffers';
import type { Expr, StorageExpr } from '../builder/tsl';

/** Draw records that a kernel can write: what the planner sees of `IndirectDraws`. */
export interface DrawRecords {

	readonly attribute: BufferAttribute;
	/** Makes the statements that write record `index`, under a view of the kernel's own. */
	writer( records: StorageExpr, index: number ): ( instances: Expr ) => void;

}

export interface DrawRecord { readonly draws: DrawRecords; readonly index: number }

/** One writer a record, in order, over one view an attribute: two views that may write would alias. */
export function drawWriters( records: readonly DrawRecord[] ): { attributes: number; writers: ( ( instances: Expr ) => void )[] } {

	const views = new Map<DrawRecords, StorageExpr>();
	for ( const { draws } of records ) if ( ! views.has( draws ) ) views.set( draws, view( draws.attribute, 'uint', `draws${ views.size }` ) );

	return { attributes: views.size, writers: records.map( ( { draws, index } ) => draws.writer( views.get( draws )!, index ) ) };

}
