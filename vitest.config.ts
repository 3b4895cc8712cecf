import { defineConfig } from 'vitest/config';
import { environmentFor } from './scripts/drivers.mjs';
import { sourceAliases } from './scripts/sourceAliases.mjs';

const device = process.env.THREE_SCAN_DEVICE;
const isLong = process.env.THREE_SCAN_LONG === '1';

const exclude = isLong ? [] : [ '**/*.long.test.ts' ];
const testTimeout = isLong ? 600_000 : 120_000;

// The projects `gpu` and `firefox` run one file after the other, each in a process of its own: the drivers use every core
// by themselves, and a driver that crashes takes one file with it. Vitest ends such a process by a signal once its
// results are in, so that no native destructor runs and a crash in one cannot change the outcome.
export default defineConfig( {
	resolve: { alias: sourceAliases },
	test: {
		reporters: [ 'default' ],
		projects: [
			{
				extends: true,
				test: { name: 'unit', include: [ 'test/unit/**/*.test.ts' ], exclude, testTimeout },
			},
			{
				extends: true,
				test: {
					name: 'gpu',
					include: [ 'test/gpu/**/*.test.ts' ],
					exclude,
					testTimeout,
					hookTimeout: testTimeout,
					pool: 'forks',
					fileParallelism: false,
					setupFiles: [ 'test/support/webgpuGlobals.ts' ],
					env: device === undefined ? {} : environmentFor( device ),
				},
			},
			{
				extends: true,
				test: { name: 'firefox', include: [ 'test/firefox/**/*.test.ts' ], exclude, testTimeout: 600_000, hookTimeout: 600_000, pool: 'forks', fileParallelism: false },
			},
		],
	},
} );
