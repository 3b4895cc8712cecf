import * as threeScan from 'three-scan';
import type { PassOptions } from 'three-scan';
import type { BufferAttribute } from 'three/webgpu';
import { ALL_BITS } from '../data';
import { Skip, type Case } from './Case';
import { KERNELS } from './kernels';
import { passRun, type Pass } from './passRun';
import { verifySorted } from './sorted';

interface RadixSortPass extends Pass { readonly keys: BufferAttribute; readonly values: BufferAttribute }

type RadixSortConstructor = new ( keys: BufferAttribute, options: PassOptions ) => RadixSortPass;

/** 32-bit keys with their indices as values. */
export const sortCases: Case[] = Object.keys( KERNELS ).map( ( kernel ) => ( {
	group: 'sort', name: 'radix sort', kernel, type: 'uint', pattern: ALL_BITS,
	async prepare( workload ) {

		// older builds do not have it
		const { RadixSortPass } = threeScan as { RadixSortPass?: RadixSortConstructor };
		if ( RadixSortPass === undefined ) throw new Skip( 'this build has no RadixSortPass.' );

		return passRun( workload.context, () => new RadixSortPass( workload.input, KERNELS[ kernel ] ), ( pass ) => verifySorted( workload, pass.keys, pass.values ), ( pass ) => pass.keys );

	},
} ) );
