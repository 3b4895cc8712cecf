import { ScanError } from '../errors';

/**
 * Spreads workgroups over three dimensions, each within the device's limit. May be more than
 * asked: kernels linearise the workgroup's id and mask the spare ones.
 */
export function dispatchSize( who: string, workgroups: number, limit: number ): [ number, number, number ] {

	const x = Math.min( Math.max( workgroups, 1 ), limit );
	const y = Math.min( Math.ceil( Math.max( workgroups, 1 ) / x ), limit );
	const z = Math.ceil( Math.max( workgroups, 1 ) / ( x * y ) );

	if ( z > limit ) throw new ScanError( 'limit-exceeded', `${ who } needs ${ workgroups } workgroups, above what maxComputeWorkgroupsPerDimension of ${ limit } allows (${ limit ** 3 }). Lower the capacity, raise workgroupSize or itemsPerThread, or ask for more: requiredLimits: { maxComputeWorkgroupsPerDimension: ${ Math.ceil( Math.cbrt( workgroups ) ) } }.` );

	return [ x, y, z ];

}
