import { ScanError, checkOption, describe, invalidArgument } from '../errors';
import type { DeviceCaps } from './caps';
import type { KernelOptions, KernelPolicy } from './policy';
import { tunedShape, type TuningKey } from './tuning';

/** What a pass needs of its kernel. */
export interface KernelRequest {

	/** Class name, for messages. */
	who: string;
	/** Whether the operator has a native subgroup scan; why not, if not. */
	native: boolean;
	/** Bytes of workgroup memory that so many invocations take, apart from the kernel's own. */
	workgroupBytes: ( threads: number ) => number;
	/** Bytes that a collective keeps a value: one a thread in the shared-memory kernel, one a subgroup in the other. */
	collectiveBytes: number;
	/** Whether the kernel works on masks of flags: its self-check covers them too. */
	masks?: boolean;
	/** Default elements a thread, and what `itemsPerThread` must be a multiple of. */
	itemsPerThread: number;
	itemsMultiple: number;
	/** What `itemsPerThread` may be at most. Default 64. */
	itemsMost?: number;
	/** Default workgroup size, lowered to what the device can. */
	workgroupSize: number;
	/** Row of the tuning table, and the number of elements that it goes by. */
	tuning?: TuningKey;
	capacity: number;

}

export type KernelChoice = Omit<KernelPolicy, 'dispatches'> & { subgroupId: boolean; batchRows: number };

/**
 * Picks the kernel from what the device can and what the user asks for. Pure: the same
 * caps and options give the same policy.
 *
 * @throws {ScanError} `feature-missing` for a forced kernel that the device can't run, `limit-exceeded`, `invalid-argument`.
 */
export function selectKernel( caps: DeviceCaps, options: KernelOptions, request: KernelRequest ): KernelChoice {

	const { who } = request;

	checkOption( who, 'kernel', options.kernel, [ 'auto', 'subgroup', 'shared-memory' ] );
	checkOption( who, 'algorithm', options.algorithm, [ 'auto', 'reduce-then-scan', 'single-pass' ] );
	checkOption( who, 'sharedMemoryScan', options.sharedMemoryScan, [ 'auto', 'hillis-steele', 'blelloch' ] );
	checkOption( who, 'subgroupScan', options.subgroupScan, [ 'auto', 'native', 'shuffle' ] );

	if ( options.algorithm === 'single-pass' ) throw new ScanError( 'feature-missing', `${ who }: algorithm 'single-pass' is not there yet (got it forced). Omit algorithm, or use 'reduce-then-scan'.` );
	if ( options.kernel === 'subgroup' && ! caps.subgroups ) throw new ScanError( 'feature-missing', `${ who }: kernel 'subgroup' needs the WebGPU feature 'subgroups' on the device (got a device without it). Omit kernel to let the device decide.` );
	if ( options.subgroupScan === 'native' && ! request.native ) throw new ScanError( 'feature-missing', `${ who }: subgroupScan 'native' needs an operator that the subgroup scans natively: add or mul, without segments (got another). Omit subgroupScan.` );

	const kernel = options.kernel === 'subgroup' || options.kernel === 'shared-memory' ? options.kernel : caps.subgroups ? 'subgroup' : 'shared-memory';
	const native = request.native && options.subgroupScan !== 'shuffle';

	const reason = options.kernel === 'subgroup' || options.kernel === 'shared-memory'
		? `kernel '${ kernel }' was forced by the options.`
		: kernel === 'subgroup'
			? `The device has subgroups${ native ? '' : '; the operator takes shuffles' }${ caps.subgroupId ? '' : '; subgroup_id is missing, so subgroups draw tickets' }.`
			: 'The device does not have the feature \'subgroups\' enabled, so the scan runs in workgroup memory.';

	const tuned = tunedShape( caps.adapter, request.tuning, kernel, request.capacity, ( size, items ) => fitsDevice( caps, request, kernel, size ) && items % request.itemsMultiple === 0 );

	return {
		kernel, reason,
		algorithm: 'reduce-then-scan',
		sharedMemoryScan: options.sharedMemoryScan === 'blelloch' ? 'blelloch' : 'hillis-steele',
		subgroupScan: native ? 'native' : 'shuffle',
		subgroupId: caps.subgroupId,
		batchRows: tuned?.batchRows ?? 1,
		workgroupSize: workgroupSize( caps, options, { ...request, workgroupSize: tuned?.workgroupSize ?? request.workgroupSize }, kernel ),
		itemsPerThread: itemsPerThread( options, { ...request, itemsPerThread: tuned?.itemsPerThread ?? request.itemsPerThread } )
	};

}

/** Bytes of workgroup memory: subgroups keep one value a subgroup of at least 4 lanes, the shared-memory kernel one a thread. */
function workgroupBytes( { workgroupBytes: own, collectiveBytes }: KernelRequest, kernel: KernelPolicy[ 'kernel' ], threads: number ): number {

	return own( threads ) + collectiveBytes * ( kernel === 'subgroup' ? Math.ceil( threads / 4 ) : threads );

}

function fitsDevice( caps: DeviceCaps, request: KernelRequest, kernel: KernelPolicy[ 'kernel' ], threads: number ): boolean {

	return threads <= Math.min( caps.maxComputeInvocationsPerWorkgroup, caps.maxComputeWorkgroupSizeX ) && workgroupBytes( request, kernel, threads ) <= caps.maxComputeWorkgroupStorageSize;

}

function workgroupSize( caps: DeviceCaps, options: KernelOptions, request: KernelRequest, kernel: KernelPolicy[ 'kernel' ] ): number {

	const { who } = request;
	const size = options.workgroupSize;
	const limit = Math.min( caps.maxComputeInvocationsPerWorkgroup, caps.maxComputeWorkgroupSizeX );
	const memory = caps.maxComputeWorkgroupStorageSize;

	if ( size === undefined ) {

		let chosen = request.workgroupSize;
		while ( chosen > 1 && ! fitsDevice( caps, request, kernel, chosen ) ) chosen /= 2;
		return chosen;

	}

	if ( ! Number.isInteger( size ) || size < 1 || ( size & ( size - 1 ) ) !== 0 ) throw invalidArgument( `${ who }: workgroupSize must be a power of two ≤ ${ limit } (got ${ describe( size ) }). Omit it to let the device decide.` );
	if ( size > limit ) throw new ScanError( 'limit-exceeded', `${ who }: workgroupSize must be a power of two ≤ ${ limit } (got ${ size }), the device's maxComputeInvocationsPerWorkgroup. Omit it, or ask for more: requiredLimits: { maxComputeInvocationsPerWorkgroup: ${ size }, maxComputeWorkgroupSizeX: ${ size } }.` );
	const bytes = workgroupBytes( request, kernel, size );
	if ( bytes > memory ) throw new ScanError( 'limit-exceeded', `${ who }: workgroupSize ${ size } needs ${ bytes } bytes of workgroup memory, above the device's maxComputeWorkgroupStorageSize of ${ memory }. Make it smaller, or ask for more: requiredLimits: { maxComputeWorkgroupStorageSize: ${ bytes } }.` );

	return size;

}

function itemsPerThread( { itemsPerThread: items }: KernelOptions, { who, itemsPerThread: preferred, itemsMultiple, itemsMost = 64 }: KernelRequest ): number {

	if ( items === undefined ) return preferred;
	if ( ! Number.isInteger( items ) || items < 1 || items > itemsMost || items % itemsMultiple !== 0 ) throw invalidArgument( `${ who }: itemsPerThread must be a ${ itemsMultiple === 1 ? 'positive integer' : `multiple of ${ itemsMultiple }` } ≤ ${ itemsMost } (got ${ describe( items ) }). Omit it to let the device decide.` );
	return items;

}
