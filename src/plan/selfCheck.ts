import type { WebGPURenderer } from 'three/webgpu';
import { ScanError } from '../errors';
import { allocate } from '../builder/buffers';
import { compile } from '../builder/compile';
import { uniform } from '../builder/tsl';
import { Readback } from '../readback';
import { builtinMonoid } from '../shaders/monoids';
import { internals } from '../three-types';
import type { DeviceCaps } from './caps';
import { planScan } from './planScan';
import type { KernelChoice } from './selectKernel';

const checked = new WeakMap<GPUDevice, Map<string, Promise<ScanError | null>>>();

/**
 * Scans a few tiles of known values with a kernel, once a device and variant. Drivers exist on
 * which subgroup operations compile and compute wrong.
 *
 * @returns null, or what went wrong.
 */
export function selfCheck( renderer: WebGPURenderer, choice: KernelChoice, caps: DeviceCaps ): Promise<ScanError | null> {

	const { device } = internals( renderer ).backend;
	const variants = checked.get( device ) ?? new Map<string, Promise<ScanError | null>>();
	checked.set( device, variants );

	const { kernel, sharedMemoryScan, subgroupScan, subgroupId, workgroupSize } = choice;
	const variant = [ kernel, sharedMemoryScan, subgroupScan, subgroupId, workgroupSize ].join();

	const result = variants.get( variant ) ?? check( renderer, { ...choice, itemsPerThread: 4 }, caps );
	variants.set( variant, result );
	return result;

}

async function check( renderer: WebGPURenderer, choice: KernelChoice, caps: DeviceCaps ): Promise<ScanError | null> {

	const who = 'Self-check';
	const n = 2 * choice.workgroupSize * choice.itemsPerThread + 7;
	const input = allocate( 'uint', n );
	const output = allocate( 'uint', n );
	const total = allocate( 'uint', 1 );
	const values = input.array as Uint32Array;
	for ( let i = 0; i < n; i ++ ) values[ i ] = Math.imul( i + 1, 2654435761 ) >>> 0;

	const count = uniform( n, 'uint' );
	const plan = planScan( {
		who, name: who, monoid: builtinMonoid( who, 'add', 'uint' ),
		input: { attribute: input, node: null, type: 'uint', length: n },
		output: { attribute: output, kind: 'exclusive' }, total,
		capacity: n, count: () => count, reverse: false
	}, choice, { ...caps, maxComputeWorkgroupsPerDimension: Math.max( caps.maxComputeWorkgroupsPerDimension, 3 ) } );

	const readback = new Readback( who );

	try {

		plan.setCount( n );
		await compile( renderer, who, plan.nodes, caps );
		renderer.compute( plan.nodes );

		const [ { data }, [ sum ] ] = await Promise.all( [ readback.array( renderer, output, n ), readback.words( renderer, total, 1 ) ] );

		let expected = 0;

		for ( let i = 0; i < n; i ++ ) {

			if ( data[ i ] !== expected ) return new ScanError( 'self-check-failed', `it computed ${ data[ i ] } instead of ${ expected } at element ${ i } of ${ n }` );
			expected = ( expected + values[ i ] ) >>> 0;

		}

		return sum === expected ? null : new ScanError( 'self-check-failed', `it computed a total of ${ sum } instead of ${ expected }` );

	} catch ( error ) {

		if ( error instanceof ScanError ) return error;
		throw error;

	} finally {

		readback.dispose();
		for ( const node of plan.nodes ) node.dispose();
		for ( const attribute of [ input, output, total, ...plan.scratch ] ) attribute.dispose();

	}

}
