/** A stretch of a buffer, in words of 4 bytes. */
export interface Window { start: number; length: number }

/** Up to this many words are checked one by one; of more, stretches all over. */
const ALL_WORDS = 2 ** 22;
const WINDOWS = 256;
const WINDOW_WORDS = 4096;

/** What to read of `words` results: all, or stretches from the first to the last one, whose starts fall anywhere in a tile. */
export function windowsOf( words: number ): Window[] {

	if ( words <= ALL_WORDS ) return words === 0 ? [] : [ { start: 0, length: words } ];

	return Array.from( { length: WINDOWS }, ( _, k ) => ( { start: 4 * Math.floor( k * ( words - WINDOW_WORDS ) / ( WINDOWS - 1 ) / 4 ), length: WINDOW_WORDS } ) );

}

/** Reads stretches of a buffer, one after the other. */
export async function readWords( device: GPUDevice, buffer: GPUBuffer, windows: readonly Window[] ): Promise<Uint32Array[]> {

	const words = windows.reduce( ( sum, { length } ) => sum + length, 0 );
	if ( words === 0 ) return [];

	const staging = device.createBuffer( { size: words * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST } );
	const encoder = device.createCommandEncoder();
	const offsets: number[] = [];
	let offset = 0;

	for ( const { start, length } of windows ) {

		encoder.copyBufferToBuffer( buffer, start * 4, staging, offset * 4, length * 4 );
		offsets.push( offset );
		offset += length;

	}

	device.queue.submit( [ encoder.finish() ] );
	await staging.mapAsync( GPUMapMode.READ );
	const data = new Uint32Array( staging.getMappedRange().slice( 0 ) );
	staging.destroy();

	return windows.map( ( { length }, k ) => data.subarray( offsets[ k ], offsets[ k ] + length ) );

}
