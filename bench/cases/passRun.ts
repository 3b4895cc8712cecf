import type { KernelPolicy } from 'three-scan';
import { ScanError } from 'three-scan';
import type { BufferAttribute, ComputeNode, WebGPURenderer } from 'three/webgpu';
import type { Context } from '../gpu/context';
import { nodesWork, Skip, type Run } from './Case';

/** What every pass of the library has. */
export interface Pass {

	readonly nodes: ComputeNode[];
	readonly policy: Readonly<KernelPolicy>;
	init( renderer: WebGPURenderer ): Promise<unknown>;
	compute( renderer: WebGPURenderer ): void;
	dispose(): void;

}

/** Initialises a pass, timed, counts its scratch, and makes a run of it. */
export async function passRun<P extends Pass>( { renderer, ledger }: Context, create: () => P, verify: ( pass: P ) => Promise<string | null>, result?: ( pass: P ) => BufferAttribute ): Promise<Run> {

	const bytes = ledger.liveBytes;
	const start = performance.now();
	const pass = create();

	try {

		await pass.init( renderer );

	} catch ( error ) {

		pass.dispose();
		if ( error instanceof ScanError && ( error.code === 'feature-missing' || error.code === 'limit-exceeded' ) ) throw new Skip( error.message );
		throw error;

	}

	const initMilliseconds = performance.now() - start;
	pass.compute( renderer );

	return {
		work: nodesWork( renderer, pass.nodes ),
		policy: pass.policy,
		initMilliseconds,
		scratchBytes: ledger.liveBytes - bytes,
		result: result?.( pass ),
		verify: () => verify( pass ),
		dispose: () => pass.dispose(),
	};

}
