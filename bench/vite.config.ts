import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = ( relative: string ): string => fileURLToPath( new URL( relative, import.meta.url ) );

/** The commit that is measured, for the results. */
function commit(): string {

	try {

		return execFileSync( 'git', [ 'describe', '--always', '--dirty' ], { cwd: path( '.' ), encoding: 'utf8', stdio: [ 'ignore', 'pipe', 'ignore' ] } ).trim();

	} catch {

		return 'unknown';

	}

}

// Plain JavaScript that measures the built package beside it, so that it runs where there is Node.js and a GPU but nothing to build with.
export default defineConfig( {
	root: path( '.' ),
	define: { __COMMIT__: JSON.stringify( commit() ) },
	plugins: [ {
		name: 'built-package',
		enforce: 'pre',
		resolveId: ( id ) => /^three-scan(\/|$)/.test( id ) ? { id: `../dist/${ id.split( '/' ).at( 1 ) ?? 'index' }.js`, external: true } : null,
	} ],
	build: {
		target: 'node20',
		minify: false,
		outDir: path( '../bench-dist' ),
		emptyOutDir: true,
		lib: { entry: path( 'main.ts' ), formats: [ 'es' ] },
		rolldownOptions: {
			external: /^(three\/|webgpu$|node:)/,
			output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
		},
	},
} );
