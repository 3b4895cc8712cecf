/** What a pass does, as far as tuning tells apart. Scans and reductions of scalars only: wider elements take the default. */
export type TuningKey = 'scan' | 'reduce' | 'compact' | 'partition';

/** A tile shape that was measured to be the fastest. */
export interface TuningRow {

	/** What the adapter's description begins with. */
	adapter: string;
	key: TuningKey;
	kernel: 'subgroup' | 'shared-memory';
	/** From this capacity on, up to the next row's. */
	from: number;
	workgroupSize: number;
	itemsPerThread: number;
	/** Rows of flags evaluated together. Default 1. */
	batchRows?: number;

}

const H200 = 'nvidia nvidia-h200';

/**
 * Tile shapes by device, one row a measured fact (`npm run bench -- --sweep`; docs/performance.md has the figures). A device without
 * rows takes the pass's default; so does a capacity below its first row. A row that the device's limits don't allow is passed over: three asks
 * for 256 invocations a workgroup unless the app asks for more.
 */
export const TUNING: readonly TuningRow[] = [
	{ adapter: H200, key: 'scan', kernel: 'subgroup', from: 2 ** 13, workgroupSize: 256, itemsPerThread: 4 },
	{ adapter: H200, key: 'scan', kernel: 'subgroup', from: 2 ** 19, workgroupSize: 256, itemsPerThread: 16 },
	{ adapter: H200, key: 'scan', kernel: 'subgroup', from: 2 ** 25, workgroupSize: 256, itemsPerThread: 32 },
	{ adapter: H200, key: 'scan', kernel: 'subgroup', from: 2 ** 23, workgroupSize: 512, itemsPerThread: 16 },
	{ adapter: H200, key: 'scan', kernel: 'subgroup', from: 2 ** 27, workgroupSize: 512, itemsPerThread: 32 },
	{ adapter: H200, key: 'scan', kernel: 'shared-memory', from: 2 ** 13, workgroupSize: 64, itemsPerThread: 8 },
	{ adapter: H200, key: 'scan', kernel: 'shared-memory', from: 2 ** 19, workgroupSize: 256, itemsPerThread: 16 },
	{ adapter: H200, key: 'scan', kernel: 'shared-memory', from: 2 ** 25, workgroupSize: 256, itemsPerThread: 32 },
	{ adapter: H200, key: 'compact', kernel: 'subgroup', from: 0, workgroupSize: 128, itemsPerThread: 32, batchRows: 8 },
	{ adapter: H200, key: 'compact', kernel: 'subgroup', from: 2 ** 19, workgroupSize: 256, itemsPerThread: 32, batchRows: 8 },
	{ adapter: H200, key: 'compact', kernel: 'subgroup', from: 2 ** 21, workgroupSize: 512, itemsPerThread: 32, batchRows: 8 },
	{ adapter: H200, key: 'compact', kernel: 'shared-memory', from: 0, workgroupSize: 64, itemsPerThread: 32, batchRows: 8 },
	{ adapter: H200, key: 'compact', kernel: 'shared-memory', from: 2 ** 19, workgroupSize: 256, itemsPerThread: 32, batchRows: 8 }
];

/** The last row that fits: rows of larger workgroups stand behind those of smaller ones. */
export function tunedShape( adapter: string, key: TuningKey | undefined, kernel: TuningRow[ 'kernel' ], capacity: number, fits: ( workgroupSize: number, itemsPerThread: number ) => boolean ): TuningRow | undefined {

	if ( key === undefined ) return undefined;
	return TUNING.findLast( row => adapter.startsWith( row.adapter ) && row.key === key && row.kernel === kernel && capacity >= row.from && fits( row.workgroupSize, row.itemsPerThread ) );

}
