import type { BufferAttribute, StorageBufferAttribute, WebGPURenderer } from 'three/webgpu';
import { ScanError } from '../errors';
import { allocate, view } from '../builder/buffers';
import { build, compile } from '../builder/compile';
import { asExpr, asNode, uniform } from '../builder/tsl';
import { Readback } from '../readback';
import { builtinMonoid } from '../shaders/monoids';
import { ELEMENTS_PER_WORD } from '../shaders/workgroup/MaskCollective';
import { internals } from '../three-types';
import type { DeviceCaps } from './caps';
import type { Plan } from './Plan';
import { planCompact } from './planCompact';
import { planScan } from './planScan';
import type { KernelChoice } from './selectKernel';

const checked = new WeakMap<GPUDevice, Map<string, Promise<ScanError | null>>>();

/**
 * Runs a kernel on a few tiles of known values, once a device and variant: a scan, and with `masks` a compaction too. Drivers exist on
 * which subgroup operations compile and compute wrong.
 *
 * @returns null, or what went wrong.
 */
export async function selfCheck( renderer: WebGPURenderer, choice: KernelChoice, caps: DeviceCaps, masks = false ): Promise<ScanError | null> {

	const { kernel, sharedMemoryScan, subgroupScan, subgroupId, workgroupSize } = choice;
	const variant = [ kernel, sharedMemoryScan, subgroupScan, subgroupId, workgroupSize ].join();

	return await once( renderer, variant, () => checkScan( renderer, choice, caps ) )
		?? ( masks ? await once( renderer, `${ variant },masks`, () => checkCompaction( renderer, choice, caps ) ) : null );

}

function once( renderer: WebGPURenderer, key: string, check: () => Promise<ScanError | null> ): Promise<ScanError | null> {

	const { device } = internals( renderer ).backend;
	const variants = checked.get( device ) ?? new Map<string, Promise<ScanError | null>>();
	checked.set( device, variants );

	const result = variants.get( key ) ?? check();
	variants.set( key, result );
	return result;

}

const WHO = 'Self-check';

function uints( length: number, value: ( i: number ) => number ): StorageBufferAttribute {

	const attribute = allocate( 'uint', length );
	for ( let i = 0; i < length; i ++ ) attribute.array[ i ] = value( i );
	return attribute;

}

/** An exclusive scan of hashes over three tiles, the last one torn. */
function checkScan( renderer: WebGPURenderer, choice: KernelChoice, caps: DeviceCaps ): Promise<ScanError | null> {

	const itemsPerThread = 4;
	const n = 2 * choice.workgroupSize * itemsPerThread + 7;
	const input = uints( n, i => Math.imul( i + 1, 2654435761 ) >>> 0 );
	const [ output, total ] = [ allocate( 'uint', n ), allocate( 'uint', 1 ) ];
	const count = uniform( n, 'uint' );

	const plan = planScan( {
		who: WHO, name: WHO, monoid: builtinMonoid( WHO, 'add', 'uint' ),
		input: { attribute: input, node: null, type: 'uint', length: n },
		output: { attribute: output, kind: 'exclusive' }, total,
		capacity: n, count: () => count, reverse: false
	}, { ...choice, itemsPerThread }, enoughWorkgroups( caps ) );

	let sum = 0;
	const expected = Array.from( { length: n }, ( _, i ) => {

		const before = sum;
		sum = ( sum + input.array[ i ] ) >>> 0;
		return before;

	} );

	return run( renderer, plan, n, caps, [ input ], [ [ output, expected ], [ total, [ sum ] ] ] );

}

/** A compaction of hashed flags over three tiles, the last one torn. */
function checkCompaction( renderer: WebGPURenderer, choice: KernelChoice, caps: DeviceCaps ): Promise<ScanError | null> {

	const n = 2 * choice.workgroupSize * ELEMENTS_PER_WORD + 7;
	const keep = ( i: number ): boolean => ( Math.imul( i + 1, 2654435761 ) >>> 13 ) % 3 === 0;
	const flags = uints( n, i => keep( i ) ? 1 : 0 );
	const [ indices, survivorCount, overflow ] = [ allocate( 'uint', n ), allocate( 'uint', 1 ), allocate( 'uint', 1 ) ];
	const count = uniform( n, 'uint' );
	const flag = view( flags, 'uint', 'flags' ).toReadOnly();

	const plan = planCompact( {
		who: WHO, name: WHO, predicate: i => asNode( flag.element( asExpr( i ) ).notEqual( 0 ) ), capacity: n, count: () => count, countIsBuffer: false,
		indices, outputCapacity: n, survivorCount, overflow, payloads: [], draws: []
	}, choice, enoughWorkgroups( caps ) );

	const expected = Array.from( { length: n }, ( _, i ) => i ).filter( keep );
	return run( renderer, plan, n, caps, [ flags, overflow ], [ [ survivorCount, [ expected.length ] ], [ indices, expected ] ] );

}

/** The check needs three workgroups, whatever limit a test injects. */
function enoughWorkgroups( caps: DeviceCaps ): DeviceCaps {

	return { ...caps, maxComputeWorkgroupsPerDimension: Math.max( caps.maxComputeWorkgroupsPerDimension, 3 ) };

}

async function run( renderer: WebGPURenderer, plan: Plan, n: number, caps: DeviceCaps, inputs: BufferAttribute[], results: [ BufferAttribute, number[] ][] ): Promise<ScanError | null> {

	const readback = new Readback( WHO );

	try {

		plan.setCount( n );
		build( renderer, WHO, plan.nodes, caps );
		await compile( renderer, WHO, plan.nodes );
		renderer.compute( plan.nodes );

		const outputs = await Promise.all( results.map( ( [ attribute, expected ] ) => readback.words( renderer, attribute, expected.length ) ) );

		for ( const [ k, [ , expected ] ] of results.entries() ) {

			const wrong = expected.findIndex( ( value, i ) => outputs[ k ][ i ] !== value );
			if ( wrong >= 0 ) return new ScanError( 'self-check-failed', `it computed ${ outputs[ k ][ wrong ] } instead of ${ expected[ wrong ] } at element ${ wrong } of ${ expected.length }` );

		}

		return null;

	} catch ( error ) {

		if ( error instanceof ScanError ) return error;
		throw error;

	} finally {

		readback.dispose();
		for ( const node of plan.nodes ) node.dispose();
		for ( const attribute of [ ...inputs, ...results.map( ( [ attribute ] ) => attribute ), ...plan.scratch ] ) attribute.dispose();

	}

}
