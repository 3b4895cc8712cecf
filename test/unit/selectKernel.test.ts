import { describe, expect, it } from 'vitest';
import { ScanError } from '../../src/errors';
import type { DeviceCaps } from '../../src/plan/caps';
import { dispatchSize } from '../../src/plan/dispatchSize';
import type { KernelOptions } from '../../src/plan/policy';
import { selectKernel, type KernelChoice, type KernelRequest } from '../../src/plan/selectKernel';

/** WebGPU's default limits, with subgroups. */
const CAPS: DeviceCaps = {
	subgroups: true, subgroupId: true, subgroupMinSize: 32, subgroupMaxSize: 32,
	maxComputeWorkgroupsPerDimension: 65535, maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupSizeX: 256,
	maxComputeWorkgroupStorageSize: 16384, maxStorageBuffersPerShaderStage: 8, maxStorageBufferBindingSize: 2 ** 27, maxBufferSize: 2 ** 28,
	adapter: '',
};

const REQUEST: KernelRequest = { who: 'ScanPass', native: true, workgroupBytes: () => 0, collectiveBytes: 4, itemsPerThread: 16, itemsMultiple: 1, workgroupSize: 256, capacity: 1000 };

function select( caps: Partial<DeviceCaps>, options: KernelOptions, request: Partial<KernelRequest> = {} ): KernelChoice {

	return selectKernel( { ...CAPS, ...caps }, options, { ...REQUEST, ...request } );

}

type Row = [ what: string, caps: Partial<DeviceCaps>, options: KernelOptions, request: Partial<KernelRequest>, expected: Partial<KernelChoice>, reason: RegExp ];

const rows: Row[] = [
	[ 'subgroups, native', {}, {}, {}, { kernel: 'subgroup', subgroupScan: 'native', algorithm: 'reduce-then-scan', workgroupSize: 256, itemsPerThread: 16 }, /has subgroups/ ],
	[ 'auto spelled out', {}, { kernel: 'auto', algorithm: 'auto', sharedMemoryScan: 'auto', subgroupScan: 'auto' }, {}, { kernel: 'subgroup', subgroupScan: 'native', sharedMemoryScan: 'hillis-steele' }, /has subgroups/ ],
	[ 'an operator without a native scan', {}, {}, { native: false }, { kernel: 'subgroup', subgroupScan: 'shuffle' }, /shuffles/ ],
	[ 'shuffles on request', {}, { subgroupScan: 'shuffle' }, {}, { kernel: 'subgroup', subgroupScan: 'shuffle' }, /./ ],
	[ 'no subgroup_id', { subgroupId: false }, {}, {}, { kernel: 'subgroup', subgroupId: false }, /subgroup_id/ ],
	[ 'no subgroups', { subgroups: false }, {}, {}, { kernel: 'shared-memory', sharedMemoryScan: 'hillis-steele' }, /subgroups/ ],
	[ 'widths reported as 0', { subgroupMinSize: 0, subgroupMaxSize: 0 }, {}, {}, { kernel: 'subgroup', workgroupSize: 256 }, /./ ],
	[ 'forced subgroup', {}, { kernel: 'subgroup' }, {}, { kernel: 'subgroup' }, /forced/ ],
	[ 'forced shared memory', {}, { kernel: 'shared-memory' }, {}, { kernel: 'shared-memory', sharedMemoryScan: 'hillis-steele' }, /forced/ ],
	[ 'forced blelloch', {}, { kernel: 'shared-memory', sharedMemoryScan: 'blelloch' }, {}, { kernel: 'shared-memory', sharedMemoryScan: 'blelloch' }, /forced/ ],
	[ 'sizes on request', {}, { workgroupSize: 64, itemsPerThread: 4 }, {}, { workgroupSize: 64, itemsPerThread: 4 }, /./ ],
	[ 'a device of 128 invocations', { maxComputeInvocationsPerWorkgroup: 128, maxComputeWorkgroupSizeX: 128 }, {}, {}, { workgroupSize: 128 }, /./ ],
	[ 'a device of 128 invocations in x', { maxComputeWorkgroupSizeX: 128 }, {}, {}, { workgroupSize: 128 }, /./ ],
	[ 'a larger device, by default the same', { maxComputeInvocationsPerWorkgroup: 1024, maxComputeWorkgroupSizeX: 1024 }, {}, {}, { workgroupSize: 256 }, /./ ],
	[ 'a larger device, on request', { maxComputeInvocationsPerWorkgroup: 1024, maxComputeWorkgroupSizeX: 1024 }, { workgroupSize: 1024 }, {}, { workgroupSize: 1024 }, /./ ],
	[ 'a pass with workgroup memory of its own', { maxComputeWorkgroupStorageSize: 4096 }, {}, { workgroupBytes: ( threads ) => 32 * threads, collectiveBytes: 0 }, { kernel: 'subgroup', workgroupSize: 128 }, /./ ],
	[ 'operators that need much workgroup memory', { subgroups: false, maxComputeWorkgroupStorageSize: 4096 }, {}, { collectiveBytes: 32 }, { kernel: 'shared-memory', workgroupSize: 128 }, /./ ],
];

describe( 'selectKernel', () => {

	it.each( rows )( '%s', ( _, caps, options, request, expected, reason ) => {

		const choice = select( caps, options, request );
		expect( choice ).toMatchObject( expected );
		expect( choice.reason ).toMatch( reason );
		expect( choice.reason ).toMatch( /^[^.]+\.$/ );

	} );

	it( 'is pure', () => {

		const caps = Object.freeze( { ...CAPS } ), options = Object.freeze( { workgroupSize: 64 } ), request = Object.freeze( { ...REQUEST } );
		expect( selectKernel( caps, options, request ) ).toEqual( selectKernel( caps, options, request ) );

	} );

	it( 'is plain data', () => {

		const choice = select( {}, {} );
		expect( JSON.parse( JSON.stringify( choice ) ) ).toEqual( choice );

	} );

	const refusals: [ what: string, code: string, caps: Partial<DeviceCaps>, options: object, request: Partial<KernelRequest>, message: RegExp ][] = [
		[ 'subgroup without the feature', 'feature-missing', { subgroups: false }, { kernel: 'subgroup' }, {}, /'subgroups'/ ],
		[ 'native for an operator without', 'feature-missing', {}, { subgroupScan: 'native' }, { native: false }, /native/ ],
		[ 'single-pass', 'feature-missing', {}, { algorithm: 'single-pass' }, {}, /single-pass/ ],
		[ 'an unknown kernel', 'invalid-argument', {}, { kernel: 'warp' }, {}, /got 'warp'/ ],
		[ 'an unknown algorithm', 'invalid-argument', {}, { algorithm: 'magic' }, {}, /got 'magic'/ ],
		[ 'an unknown shared-memory scan', 'invalid-argument', {}, { sharedMemoryScan: 'brent-kung' }, {}, /got 'brent-kung'/ ],
		[ 'an unknown subgroup scan', 'invalid-argument', {}, { subgroupScan: 'fast' }, {}, /got 'fast'/ ],
		[ 'a workgroup of 300', 'invalid-argument', {}, { workgroupSize: 300 }, {}, /power of two ≤ 256 \(got 300\)/ ],
		[ 'a workgroup of none', 'invalid-argument', {}, { workgroupSize: 0 }, {}, /got 0/ ],
		[ 'a workgroup of a half', 'invalid-argument', {}, { workgroupSize: 0.5 }, {}, /got 0\.5/ ],
		[ 'a workgroup above the limit', 'limit-exceeded', {}, { workgroupSize: 512 }, {}, /256.*got 512.*requiredLimits.*512/ ],
		[ 'workgroup memory above the limit', 'limit-exceeded', { subgroups: false }, { workgroupSize: 256 }, { collectiveBytes: 128 }, /32768.*16384.*requiredLimits.*32768/ ],
		[ 'no items', 'invalid-argument', {}, { itemsPerThread: 0 }, {}, /itemsPerThread.*got 0/ ],
		[ 'items that fill no vector', 'invalid-argument', {}, { itemsPerThread: 6 }, { itemsMultiple: 4 }, /multiple of 4.*got 6/ ],
	];

	it.each( refusals )( 'refuses %s', ( _, code, caps, options, request, message ) => {

		let error: unknown;
		try { select( caps, options, request ); } catch ( caught ) { error = caught; }
		expect( error ).toBeInstanceOf( ScanError );
		expect( error ).toMatchObject( { code, message: expect.stringMatching( message ) as string } );
		expect( ( error as ScanError ).message ).toMatch( /^ScanPass: / );

	} );

} );

describe( 'dispatchSize', () => {

	it.each( [
		[ 0, 65535, [ 1, 1, 1 ] ],
		[ 1, 65535, [ 1, 1, 1 ] ],
		[ 65535, 65535, [ 65535, 1, 1 ] ],
		[ 65536, 65535, [ 65535, 2, 1 ] ],
		[ 2, 2, [ 2, 1, 1 ] ],
		[ 3, 2, [ 2, 2, 1 ] ],
		[ 5, 2, [ 2, 2, 2 ] ],
		[ 8, 2, [ 2, 2, 2 ] ],
	] )( '%i workgroups within %i', ( workgroups, limit, expected ) => {

		expect( dispatchSize( 'ScanPass', workgroups, limit ) ).toEqual( expected );

	} );

	it( 'holds all workgroups and stays within the limit', () => {

		for ( const limit of [ 1, 2, 3, 7, 65535 ] ) {

			for ( const workgroups of [ 1, 2, 3, 6, 7, 8, 26, 27, 48, 49, 50, 342, 343, 65536, 2 ** 24, 2 ** 32 + 1, 65535 ** 2 + 1 ] ) {

				if ( workgroups > limit ** 3 ) continue;
				const [ x, y, z ] = dispatchSize( 'ScanPass', workgroups, limit );
				expect( x * y * z ).toBeGreaterThanOrEqual( workgroups );
				for ( const size of [ x, y, z ] ) expect( size ).toBeLessThanOrEqual( limit );

			}

		}

	} );

	it.each( [ [ 9, 2 ], [ 2, 1 ], [ 28, 3 ] ] )( 'refuses %i workgroups within %i', ( workgroups, limit ) => {

		expect( () => dispatchSize( 'ScanPass', workgroups, limit ) ).toThrow( expect.objectContaining( { code: 'limit-exceeded', message: expect.stringMatching( new RegExp( `${ workgroups }.*maxComputeWorkgroupsPerDimension.*${ limit }` ) ) as string } ) as Error );

	} );

} );
