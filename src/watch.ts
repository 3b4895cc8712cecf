/**
 * Puts a check in front of a property, now and whenever it is set: a mistake is told where it is made.
 *
 * @param accept - Returns what to keep, or throws.
 * @returns Makes it a plain property again.
 */
export function watch<T>( owner: object, property: string, accept: ( next: T ) => T ): () => void {

	let value = accept( ( owner as Record<string, T> )[ property ] );
	Object.defineProperty( owner, property, { configurable: true, enumerable: true, get: () => value, set( next: T ) { value = accept( next ); } } );
	return () => Object.defineProperty( owner, property, { configurable: true, enumerable: true, writable: true, value } );

}
