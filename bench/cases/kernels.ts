import type { PassOptions } from 'three-scan';

/** The kernel variants that are measured side by side. */
export const KERNELS: Readonly<Record<string, PassOptions>> = {
	'default': {},
	'subgroup': { kernel: 'subgroup' },
	'hillis-steele': { kernel: 'shared-memory', sharedMemoryScan: 'hillis-steele' },
	'blelloch': { kernel: 'shared-memory', sharedMemoryScan: 'blelloch' },
	'single-pass': { algorithm: 'single-pass' },
};
