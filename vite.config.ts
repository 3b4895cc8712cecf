import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'vite';
import { sourceAliases } from './scripts/sourceAliases.mjs';

const ENTRIES = [ 'index', 'tsl', 'reference' ];
const EXAMPLES = [ 'index.html', 'culling/index.html', 'particles/index.html' ];

const path = ( relative: string ): string => fileURLToPath( new URL( relative, import.meta.url ) );

const library: UserConfig = {
	publicDir: false,
	build: {
		target: 'es2022',
		minify: false,
		sourcemap: true,
		lib: {
			entry: Object.fromEntries( ENTRIES.map( ( name ) => [ name, path( `src/${ name }.ts` ) ] ) ),
			formats: [ 'es' ],
		},
		rolldownOptions: {
			external: /^three(\/|$)/,
			output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
		},
	},
};

const examples: UserConfig = {
	root: path( 'examples' ),
	base: './',
	cacheDir: path( '.cache/vite' ),
	resolve: {
		alias: [
			...sourceAliases,
			// add-ons import plain `three`: a page must have one copy of it
			{ find: /^three$/, replacement: 'three/webgpu' },
		],
	},
	// of pages that vite does not look through for what they import: found late, it reloads them with two copies of three
	optimizeDeps: { include: [ 'three/webgpu', 'three/tsl', 'react', 'react-dom/client', '@react-three/fiber' ] },
	build: {
		target: 'es2022',
		outDir: path( 'dist-examples' ),
		emptyOutDir: true,
		chunkSizeWarningLimit: 4096,
		rolldownOptions: { input: EXAMPLES.map( ( page ) => path( `examples/${ page }` ) ).filter( ( page ) => existsSync( page ) ) },
	},
};

// `vite` serves the examples, `vite build` builds the library, `vite build --mode examples` the examples.
export default defineConfig( ( { command, mode } ) => command === 'serve' || mode === 'examples' ? examples : library );
