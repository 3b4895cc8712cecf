import { readFileSync } from 'node:fs';
import { REVISION } from 'three/webgpu';
import type { Environment } from './report/Results';

/** The commit the bench was built from. */
declare const __COMMIT__: string;

export function describeEnvironment( { info }: GPUAdapter, runs: number ): Environment {

	const { vendor, architecture, device, description, subgroupMinSize = 0, subgroupMaxSize = 0 } = info;

	return {
		date: new Date().toISOString(),
		adapter: { vendor, architecture, device, driver: description, subgroupMinSize, subgroupMaxSize },
		versions: { 'three-scan': __COMMIT__, three: REVISION, webgpu: versionOf( 'webgpu' ), node: process.versions.node },
		runs,
	};

}

function versionOf( name: string ): string {

	const file = new URL( 'package.json', import.meta.resolve( name ) );
	return ( JSON.parse( readFileSync( file, 'utf8' ) ) as { version: string } ).version;

}
