import { expect } from 'vitest';
import { ScanError, type ScanErrorCode } from 'three-scan';

/** The {@link ScanError} that `act` throws or rejects with. */
export async function refusal( act: () => unknown ): Promise<ScanError> {

	let error: unknown;

	try {

		await act();

	} catch ( caught ) {

		error = caught;

	}

	if ( ! ( error instanceof ScanError ) ) throw new Error( error instanceof Error ? `Got ${ error.name }: ${ error.message } (expected a ScanError).` : 'Nothing was refused.', { cause: error } );
	return error;

}

export type Refuses = ( act: () => unknown, code: ScanErrorCode, ...says: ( string | RegExp )[] ) => Promise<ScanError>;

/** Asserts that something is refused with a code, by a message that says who, and all of `says`. */
export function refusedBy( who: RegExp ): Refuses {

	return async ( act, code, ...says ) => {

		const error = await refusal( act );
		for ( const part of [ who, ...says ] ) expect( error.message ).toMatch( part );
		expect( error.code, error.message ).toBe( code );
		return error;

	};

}

/** What TypeScript would refuse, as JavaScript users may write it. */
export function wrong<T>( value: unknown ): T {

	return value as T;

}
