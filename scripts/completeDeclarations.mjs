// @ts-check
// Appends `.js` to the relative imports in dist/**/*.d.ts, so that the declarations resolve in every module mode.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath( new URL( '../dist/', import.meta.url ) );

for ( const file of readdirSync( DIST, { recursive: true, encoding: 'utf8' } ) ) {

	if ( file.endsWith( '.d.ts' ) === false ) continue;

	const path = join( DIST, file );
	const text = readFileSync( path, 'utf8' );
	const complete = text.replace( /((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\2/g, ( match, start, quote, specifier ) => specifier.endsWith( '.js' ) ? match : `${ start }${ quote }${ specifier }.js${ quote }` );

	if ( complete !== text ) writeFileSync( path, complete );

}
