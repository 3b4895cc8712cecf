import type { BufferAttribute } from 'three/webgpu';
import { windowsOf } from './gpu/readWords';
import type { Workload } from './Workload';

/** Makes what gives the expected results from number `start` on, one by one. */
export type ExpectedFrom = ( start: number ) => () => number;

/** Floats are exact as long as all sums are below this; above, a fixed tree of additions is off by a few units in the last place. */
const EXACT_FLOAT = 2 ** 24;
const FLOAT_TOLERANCE = 1e-5;

/** Compares `words` words of a workload's output with what is expected, all or in many stretches. */
export async function verifyWords( workload: Workload, words: number, expectedFrom: ExpectedFrom, attribute = workload.output ): Promise<string | null> {

	const windows = windowsOf( words );
	const contents = await workload.read( windows, attribute );
	const isFloat = attribute.array instanceof Float32Array;

	for ( let w = 0; w < windows.length; w ++ ) {

		const { start } = windows[ w ];
		const next = expectedFrom( start );
		const content = contents[ w ];
		const values = isFloat ? new Float32Array( content.buffer, content.byteOffset, content.length ) : content;

		for ( let k = 0; k < values.length; k ++ ) {

			const expected = next();
			if ( ! isEqual( values[ k ], expected, isFloat ) ) return `word ${ start + k } of ${ words } is ${ values[ k ] }, expected ${ expected }`;

		}

	}

	return null;

}

/** Checks indices whose exact order is not known: each must be right for its place, and none may be there twice. */
export async function verifyIndices( workload: Workload, count: number, attribute: BufferAttribute, isRight: ( index: number, place: number ) => boolean ): Promise<string | null> {

	const windows = windowsOf( count );
	const contents = await workload.read( windows, attribute );
	const seen = new Uint8Array( workload.length );

	for ( let w = 0; w < windows.length; w ++ ) {

		const { start, length } = windows[ w ];
		const content = contents[ w ];

		for ( let k = 0; k < length; k ++ ) {

			const index = content[ k ];
			if ( index >= workload.length || ! isRight( index, start + k ) ) return `place ${ start + k } of ${ count } holds ${ index }, which does not belong there`;
			if ( seen[ index ] ++ > 0 ) return `${ index } is there twice`;

		}

	}

	return null;

}

/** Compares small results, exactly unless they are floats. */
export function verifyValues( what: string, got: ArrayLike<number>, expected: ArrayLike<number>, isFloat = false ): string | null {

	for ( let k = 0; k < expected.length; k ++ ) {

		if ( ! isEqual( got[ k ], expected[ k ], isFloat ) ) return `${ what } ${ k } is ${ got[ k ] }, expected ${ expected[ k ] }`;

	}

	return null;

}

function isEqual( value: number, expected: number, isFloat: boolean ): boolean {

	if ( value === expected ) return true;

	// a comparison that NaN fails
	return isFloat && expected >= EXACT_FLOAT && Math.abs( value - expected ) <= FLOAT_TOLERANCE * expected;

}
