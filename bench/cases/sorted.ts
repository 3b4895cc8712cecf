import type { BufferAttribute } from 'three/webgpu';
import { ALL_BITS, indexOf, wordAt } from '../data';
import { windowsOf } from '../gpu/readWords';
import type { Workload } from '../Workload';

/** The input's words are all different, and each tells its index: sorted ones ascend, and come from an index of the input. */
export async function verifySorted( workload: Workload, keys: BufferAttribute, values?: BufferAttribute ): Promise<string | null> {

	const windows = windowsOf( workload.length );
	const keyContents = await workload.read( windows, keys );
	const valueContents = values === undefined ? keyContents.map( ( content ) => content.map( indexOf ) ) : await workload.read( windows, values );
	let last = - 1;

	for ( let w = 0; w < windows.length; w ++ ) {

		for ( let k = 0; k < windows[ w ].length; k ++ ) {

			const key = keyContents[ w ][ k ];
			const value = valueContents[ w ][ k ];
			const place = windows[ w ].start + k;

			if ( key <= last ) return `key ${ place } is ${ key }, not above the one before it, ${ last }`;
			if ( value >= workload.length || wordAt( ALL_BITS, value ) !== key ) return `value ${ place } is ${ value }, which does not belong to key ${ key }`;
			last = key;

		}

	}

	return null;

}
