/** What kind of mistake or failure a {@link ScanError} reports; switch on this, not on the message. */
export type ScanErrorCode =
	| 'webgpu-required'
	| 'not-initialized'
	| 'feature-missing'
	| 'limit-exceeded'
	| 'invalid-argument'
	| 'shader-error'
	| 'self-check-failed'
	| 'device-lost'
	| 'out-of-memory'
	| 'disposed';

/**
 * Thrown (or rejected with) by everything in this package that refuses something, before the GPU sees it.
 * The message says who refuses, what, what was got, and what to do about it.
 */
export class ScanError extends Error {

	readonly isScanError = true;
	readonly code: ScanErrorCode;

	constructor( code: ScanErrorCode, message: string, options?: ErrorOptions ) {

		super( message, options );
		this.name = 'ScanError';
		this.code = code;

	}

}

/** An `invalid-argument` error, the most frequent kind. */
export function invalidArgument( message: string ): ScanError {

	return new ScanError( 'invalid-argument', message );

}

/** The same error in the name of whom the user asked: passes inside are not the user's. */
export function inNameOf( who: string, error: unknown ): unknown {

	return error instanceof ScanError ? new ScanError( error.code, error.message.replace( /^\w+/, who ), { cause: error } ) : error;

}

/** Shows a wrong value in a message without ever printing pages. */
export function describe( value: unknown ): string {

	if ( typeof value === 'function' ) return 'a function';
	if ( typeof value === 'string' ) return `'${ value }'`;
	if ( value === null || typeof value !== 'object' ) return String( value );
	if ( ArrayBuffer.isView( value ) || Array.isArray( value ) ) return `${ value.constructor.name } of length ${ ( value as { length?: number } ).length ?? '?' }`;

	return ( value ).constructor?.name ?? 'an object';

}

/** Refuses an option that is none of its values; omitting it is fine. */
export function checkOption( who: string, name: string, value: unknown, allowed: string[] ): void {

	if ( value !== undefined && ! allowed.includes( value as string ) ) throw invalidArgument( `${ who }: ${ name } must be one of '${ allowed.join( '\', \'' ) }' (got ${ describe( value ) }).` );

}
