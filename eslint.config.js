import js from '@eslint/js';
import stylistic from '@stylistic/eslint-plugin';
import tseslint from 'typescript-eslint';

// The folders of src/, from what users construct down to one subgroup. Imports point downwards only.
const LEVELS = [ 'culling', 'passes', 'plan', 'shaders/device', 'shaders/workgroup', 'shaders/subgroup', 'builder' ];

const ONLY_THREE = { regex: '^(?!three/(webgpu|tsl)$|\\.{1,2}/)', message: 'src/ imports nothing but three/webgpu, three/tsl and its own files.' };

const levelRules = LEVELS.map( ( level, i ) => {

	const above = LEVELS.slice( 0, i ).map( ( name ) => name.replace( 'shaders/', '' ) );
	const upwards = { regex: `^(\\.\\./)+(shaders/)?(${ above.join( '|' ) })/`, message: `${ level } is below: imports point downwards.` };

	return {
		files: [ `src/${ level }/**/*.ts` ],
		rules: { 'no-restricted-imports': [ 'error', { patterns: [ ONLY_THREE, ...( i > 0 ? [ upwards ] : [] ) ] } ] },
	};

} );

export default tseslint.config(

	{ ignores: [ 'dist/', 'dist-examples/', 'bench-dist/', '.cache/', 'test-results/', 'node_modules/' ] },

	js.configs.recommended,
	tseslint.configs.recommendedTypeChecked,

	{
		languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			'eqeqeq': 'error',
			'no-var': 'error',
			'object-shorthand': 'error',
			'prefer-const': 'error',
			'@typescript-eslint/consistent-type-imports': [ 'error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false } ],
			'@typescript-eslint/no-explicit-any': 'error',
			// three's compute() returns a promise only before the renderer's init()
			'@typescript-eslint/no-floating-promises': [ 'error', { allowForKnownSafeCalls: [ { from: 'package', package: 'three', name: 'compute' }, { from: 'package', package: '@types/three', name: 'compute' } ] } ],
			'@typescript-eslint/no-unused-vars': [ 'error', { argsIgnorePattern: '^_' } ],
			'@typescript-eslint/unbound-method': 'off', // TSL's functions are taken from its namespace
			'@typescript-eslint/require-await': 'off',
			'@typescript-eslint/restrict-template-expressions': [ 'error', { allowNumber: true, allowBoolean: true } ],
		},
	},

	{
		files: [ 'src/**/*.ts' ],
		rules: { 'no-restricted-imports': [ 'error', { patterns: [ ONLY_THREE ] } ] },
	},

	levelRules,

	{
		files: [ 'examples/**/*.ts' ],
		rules: { 'no-restricted-imports': [ 'error', { patterns: [ { regex: '(^|/)src/', message: 'Examples import the public entry points only.' } ] } ] },
	},

	{
		files: [ '**/*.{js,mjs}' ],
		extends: [ tseslint.configs.disableTypeChecked ],
		languageOptions: { globals: { Buffer: 'readonly', URL: 'readonly', console: 'readonly', process: 'readonly', setTimeout: 'readonly', clearTimeout: 'readonly' } },
	},

	{
		plugins: { stylistic },
		rules: {
			'stylistic/array-bracket-spacing': [ 'error', 'always' ],
			'stylistic/comma-spacing': 'error',
			'stylistic/computed-property-spacing': [ 'error', 'always' ],
			'stylistic/eol-last': 'error',
			'stylistic/indent': [ 'error', 'tab', { SwitchCase: 1 } ],
			'stylistic/keyword-spacing': 'error',
			'stylistic/no-multiple-empty-lines': [ 'error', { max: 1, maxEOF: 0 } ],
			'stylistic/no-trailing-spaces': 'error',
			'stylistic/object-curly-spacing': [ 'error', 'always' ],
			'stylistic/quotes': [ 'error', 'single', { avoidEscape: true, allowTemplateLiterals: 'always' } ],
			'stylistic/semi': 'error',
			'stylistic/space-before-blocks': 'error',
			'stylistic/space-in-parens': [ 'error', 'always' ],
			'stylistic/space-infix-ops': 'error',
			'stylistic/template-curly-spacing': [ 'error', 'always' ],
		},
	},

);
