// @ts-check
// Looks at dist/ as a user's tools would: every entry point is there, imports nothing but three's two, and type-checks
// in the strictest module mode.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath( new URL( '..', import.meta.url ) );
const DIST = join( ROOT, 'dist' );
const CONSUMER = join( ROOT, '.cache/consumer' );

const { exports: entryPoints } = JSON.parse( readFileSync( join( ROOT, 'package.json' ), 'utf8' ) );

const problems = [ ...findMissingFiles(), ...findForeignImports(), ...findTypeErrors() ];

for ( const problem of problems ) console.error( problem );
console.log( problems.length === 0 ? `package: ${ Object.keys( entryPoints ).length } entry points checked` : `package: ${ problems.length } problems` );
process.exitCode = problems.length === 0 ? 0 : 1;

function findMissingFiles() {

	/** @type {string[]} */
	const files = Object.values( entryPoints ).flatMap( ( entry ) => Object.values( entry ) );
	return files.filter( ( file ) => existsSync( join( ROOT, file ) ) === false ).map( ( file ) => `package.json names ${ file }, which was not built.` );

}

function findForeignImports() {

	return readdirSync( DIST, { recursive: true, encoding: 'utf8' } )
		.filter( ( file ) => /\.(js|d\.ts)$/.test( file ) )
		.flatMap( ( file ) => {

			const imports = readFileSync( join( DIST, file ), 'utf8' ).matchAll( /^\s*(?:import|export|\})[^'"\n]*\bfrom\s+['"]([^'"]+)|^\s*import\s+['"]([^'"]+)|\bimport\(\s*['"]([^'"]+)/gm );

			return [ ...imports ].map( ( match ) => match[ 1 ] ?? match[ 2 ] ?? match[ 3 ] ?? '' )
				.filter( ( specifier ) => /^(\.{1,2}\/|three\/(webgpu|tsl)$)/.test( specifier ) === false )
				.map( ( specifier ) => `dist/${ file } imports '${ specifier }'.` );

		} );

}

/** A consumer's project with the package linked into its node_modules. */
function findTypeErrors() {

	rmSync( CONSUMER, { recursive: true, force: true } );
	mkdirSync( join( CONSUMER, 'node_modules' ), { recursive: true } );
	symlinkSync( ROOT, join( CONSUMER, 'node_modules/three-scan' ), 'junction' );

	const names = Object.keys( entryPoints ).map( ( entry ) => entry.replace( '.', 'three-scan' ) );

	writeFileSync( join( CONSUMER, 'consumer.ts' ), names.map( ( name, i ) => `export * as entry${ i } from '${ name }';` ).join( '\n' ) );
	writeFileSync( join( CONSUMER, 'package.json' ), '{ "type": "module" }' );
	writeFileSync( join( CONSUMER, 'tsconfig.json' ), JSON.stringify( {
		compilerOptions: { target: 'ES2022', module: 'NodeNext', strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
		files: [ 'consumer.ts' ],
	} ) );

	const { stdout } = spawnSync( process.execPath, [ join( ROOT, 'node_modules/typescript/bin/tsc' ), '-p', CONSUMER ], { encoding: 'utf8' } );

	// three's own declarations are not ours to judge
	return stdout.split( '\n' ).filter( ( line ) => /error TS/.test( line ) && line.includes( 'node_modules/@types/' ) === false );

}
