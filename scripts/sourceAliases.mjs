// @ts-check
import { fileURLToPath } from 'node:url';

const source = fileURLToPath( new URL( '../src', import.meta.url ) );

/** Tests and examples import the package by its name and get the sources. */
export const sourceAliases = [
	{ find: /^three-scan$/, replacement: `${ source }/index.ts` },
	{ find: /^three-scan\/(tsl|reference)$/, replacement: `${ source }/$1.ts` },
];
