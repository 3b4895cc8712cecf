import type { BufferAttribute, ComputeNode, WebGPURenderer } from 'three/webgpu';
import { ScanError, describe, invalidArgument } from '../errors';
import type { Count } from '../builder/buffers';
import { setProducer, type UpdateFrame } from '../builder/producers';
import { build, compile } from '../builder/compile';
import { readCaps, type DeviceCaps } from '../plan/caps';
import type { CountSource } from '../plan/counts';
import type { Plan } from '../plan/Plan';
import type { KernelOptions, KernelPolicy } from '../plan/policy';
import { selectKernel, type KernelChoice, type KernelRequest } from '../plan/selectKernel';
import { selfCheck } from '../plan/selfCheck';
import { Readback } from '../readback';
import { internals } from '../three-types';

/** Options of every pass. */
export interface PassOptions extends KernelOptions {

	/** Makes the pass run by itself, once a frame or once a render, before the first draw of a material that uses one of its nodes. Default: you call `compute()`. */
	autoCompute?: 'frame' | 'render';
	/** Overrides what is read from the device: for drivers known to be bad, and for tests. */
	caps?: Partial<DeviceCaps>;
	/** Prefix of the compute nodes' names. Default: the class name. */
	name?: string;

}

type State = { kind: 'new' } | { kind: 'ready'; renderer: WebGPURenderer; policy: Readonly<KernelPolicy>; plan: Plan; choice: KernelChoice } | { kind: 'disposed' };

/** The policy of a pass that has nothing to choose. */
const ONE_THREAD: KernelChoice = {
	kernel: 'shared-memory', algorithm: 'reduce-then-scan', sharedMemoryScan: 'hillis-steele', subgroupScan: 'shuffle', subgroupId: false, batchRows: 1,
	workgroupSize: 1, itemsPerThread: 1, reason: 'The pass is one thread\'s work: there is nothing to choose.'
};

const warned = new WeakSet<GPUDevice>();
const lost = new WeakSet<GPUDevice>();
const watched = new WeakSet<GPUDevice>();

/**
 * A device-wide algorithm as a list of compute nodes. Construct it (no GPU is touched), `await init( renderer )`
 * once, then `compute( renderer )` as often as you like.
 */
export abstract class ComputePass {

	readonly isComputePass = true;
	/** Prefix of the compute nodes' names. */
	readonly name: string;

	protected readonly options: PassOptions;
	protected readonly readback: Readback;

	private state: State = { kind: 'new' };
	private initialising: { renderer: WebGPURenderer; promise: Promise<unknown> } | null = null;
	private generation = 0;
	/** Frame or render that `autoCompute` last ran in. */
	private lastAutoRun = - 1;

	protected constructor( protected readonly who: string, options: PassOptions ) {

		if ( options === null || typeof options !== 'object' ) throw invalidArgument( `${ who }: options must be an object (got ${ describe( options ) }).` );
		if ( options.autoCompute !== undefined && options.autoCompute !== 'frame' && options.autoCompute !== 'render' ) throw invalidArgument( `${ who }: autoCompute must be 'frame', 'render' or omitted (got ${ describe( options.autoCompute ) }).` );

		this.options = options;
		this.name = options.name ?? who;
		this.readback = new Readback( who );

	}

	/** What the pass asks of a kernel; null if it has no choice of kernels. */
	protected abstract request(): KernelRequest | null;
	/** Makes the nodes for a kernel. */
	protected abstract plan( choice: KernelChoice, caps: DeviceCaps ): Plan;
	/** The pass's own buffers, freed with it. */
	protected abstract owned(): BufferAttribute[];
	/** The number of inputs. */
	protected abstract readonly counts: CountSource;
	/** The most inputs: what is dispatched for a count that stays on the GPU. */
	abstract readonly capacity: number;

	/** The compute nodes, in order: empty before `init()`, the same from then on, whatever the count. Batch them: `renderer.compute( [ ...a.nodes, ...b.nodes ] )`. */
	get nodes(): ComputeNode[] {

		return this.state.kind === 'ready' ? this.state.plan.nodes : [];

	}

	/** What `init()` picked, and why. */
	get policy(): Readonly<KernelPolicy> {

		return this.ready( 'policy' ).policy;

	}

	/** The number of inputs, or the buffer whose element 0 holds it. A number may be set between runs, up to the capacity. */
	get count(): Count {

		return this.counts.value;

	}

	set count( count: Count ) {

		this.counts.value = count;

	}

	/**
	 * Picks the kernel and compiles every pipeline. Idempotent. The first init on a device also checks the kernel on known values.
	 *
	 * @throws {ScanError} (rejects) whatever keeps the pass from running: see {@link ScanErrorCode}.
	 */
	init( renderer: WebGPURenderer ): Promise<this> {

		if ( this.initialising !== null && this.initialising.renderer === renderer ) return this.initialising.promise as Promise<this>;

		const promise = this.initialise( renderer ).catch( ( error: unknown ) => {

			if ( this.initialising?.promise === promise ) this.initialising = null;
			throw error;

		} );

		this.initialising = { renderer, promise };
		return promise;

	}

	/**
	 * Readies the pass at once, without a check: with the kernel of a pass of its kind that `init()` has readied, or the shared-memory one, which
	 * runs everywhere. three compiles it when it is first computed.
	 *
	 * @internal
	 */
	initNow( renderer: WebGPURenderer, like?: ComputePass ): this {

		checkRenderer( this.who, renderer );
		if ( this.state.kind === 'ready' ) return this;

		const caps = { ...readCaps( renderer ), ...this.options.caps };
		const known = like?.state.kind === 'ready' ? like.state.choice : undefined;
		const request = this.request();
		const isForced = this.options.kernel !== undefined && this.options.kernel !== 'auto';
		const choice = known ?? ( request === null ? ONE_THREAD : isForced ? selectKernel( caps, this.options, request ) : { ...selectKernel( { ...caps, subgroups: false }, this.options, request ), reason: 'It begins in workgroup memory, until init() has readied the kernel that suits the device.' } );

		this.become( renderer, choice, this.build( renderer, choice, caps ) );
		return this;

	}

	private become( renderer: WebGPURenderer, choice: KernelChoice, plan: Plan ): void {

		const { kernel, algorithm, sharedMemoryScan, subgroupScan, workgroupSize, itemsPerThread, reason } = choice;
		const policy = Object.freeze( { kernel, algorithm, sharedMemoryScan, subgroupScan, workgroupSize, itemsPerThread, dispatches: plan.nodes.length, reason } );

		this.readback.revive();
		this.state = { kind: 'ready', renderer, policy, plan, choice };

	}

	private async initialise( renderer: WebGPURenderer ): Promise<this> {

		const { who } = this;
		checkRenderer( who, renderer );

		if ( this.state.kind === 'ready' ) {

			if ( this.state.renderer === renderer ) return this;
			throw invalidArgument( `${ who }: init() got another renderer than before. A pass belongs to one renderer: dispose it first, or make another pass.` );

		}

		const generation = ++ this.generation;
		const caps = { ...readCaps( renderer ), ...this.options.caps };
		const request = this.request();
		const choice = request === null ? ONE_THREAD : selectKernel( caps, this.options, request );

		const stillWanted = (): void => {

			if ( generation !== this.generation ) throw new ScanError( 'disposed', `${ who }: the pass was disposed during init().` );

		};

		// what is refused is refused before the GPU is touched, the self-check included
		let ready = { choice, plan: this.build( renderer, choice, caps ) };

		try {

			if ( request !== null ) ready = await this.checked( renderer, ready, caps, request );
			await compile( renderer, who, ready.plan.nodes, stillWanted );
			stillWanted();

		} catch ( error ) {

			disposePlan( ready.plan );
			throw error;

		}

		this.become( renderer, ready.choice, ready.plan );
		return this;

	}

	private build( renderer: WebGPURenderer, choice: KernelChoice, caps: DeviceCaps ): Plan {

		const plan = this.plan( choice, caps );

		try {

			plan.setCount( this.counts.number ?? this.capacity );
			build( renderer, this.who, plan.nodes, caps );
			return plan;

		} catch ( error ) {

			disposePlan( plan );
			throw error;

		}

	}

	/** The kernel, or another one if it fails its self-check and nobody forced it. */
	private async checked( renderer: WebGPURenderer, ready: { choice: KernelChoice; plan: Plan }, caps: DeviceCaps, request: KernelRequest ): Promise<{ choice: KernelChoice; plan: Plan }> {

		const { who, options } = this;
		const { choice } = ready;
		const problem = await selfCheck( renderer, choice, caps, request.masks );
		if ( problem === null ) return ready;

		const forced = options.kernel === choice.kernel;
		if ( forced || choice.kernel === 'shared-memory' ) throw new ScanError( problem.code, `${ who }: kernel '${ choice.kernel }' failed its self-check on this device: ${ problem.message }.${ forced ? ' Omit kernel to let the device decide.' : '' }`, { cause: problem } );

		const { device } = internals( renderer ).backend;

		if ( ! warned.has( device ) ) {

			warned.add( device );
			console.warn( `three-scan: the subgroup kernel failed its self-check on this device (${ problem.message }); passes use workgroup memory instead.` );

		}

		const fallback = selectKernel( { ...caps, subgroups: false }, options, request );
		const again = await selfCheck( renderer, fallback, caps, request.masks );
		if ( again !== null ) throw new ScanError( again.code, `${ who }: no kernel passed its self-check on this device: ${ again.message }.`, { cause: again } );

		const reason = `The subgroup kernel failed its self-check (${ problem.message }), so the scan runs in workgroup memory.`;
		const plan = this.build( renderer, fallback, caps );
		disposePlan( ready.plan );
		return { choice: { ...fallback, reason }, plan };

	}

	/** Runs the pass: `renderer.compute( pass.nodes )`. No readback, no allocation, no await. */
	compute( renderer: WebGPURenderer ): void {

		this.check( 'compute()', renderer );
		renderer.compute( this.nodes );

	}

	/** Frees what the pass owns. Twice is fine; borrowed buffers stay; a later `init()` revives it. */
	dispose(): void {

		this.generation ++;
		this.initialising = null;
		this.readback.dispose();
		if ( this.state.kind === 'ready' ) disposePlan( this.state.plan );
		for ( const attribute of this.owned() ) attribute.dispose();
		this.state = { kind: 'disposed' };

	}

	/** Registers what the pass writes, so that its readers bring it along. Before any view of those buffers is made. */
	protected produces( ...attributes: BufferAttribute[] ): void {

		const { autoCompute } = this.options;
		if ( autoCompute === undefined ) return;

		const run = ( frame: UpdateFrame ): void => {

			const { state } = this;
			const id = autoCompute === 'frame' ? frame.frameId : frame.renderId;

			// not before init(), not twice, and not for its own kernels
			if ( state.kind !== 'ready' || state.renderer !== frame.renderer || id === this.lastAutoRun ) return;
			if ( frame.compute && state.plan.nodes.includes( frame.compute ) ) return;

			this.lastAutoRun = id;
			frame.renderer.compute( state.plan.nodes );

		};

		for ( const attribute of attributes ) setProducer( attribute, { every: autoCompute, run } );

	}

	/** Called when the number of elements has changed. */
	protected countChanged(): void {

		if ( this.state.kind === 'ready' && this.counts.number !== null ) this.state.plan.setCount( this.counts.number );

	}

	/** Refuses to do `what` unless the pass is ready on this renderer. */
	protected check( what: string, renderer: WebGPURenderer ): void {

		const state = this.ready( what );
		if ( state.renderer !== renderer ) throw invalidArgument( `${ this.who }: ${ what } got another renderer than init(). A pass belongs to one renderer.` );

		const { device } = internals( renderer ).backend;
		if ( lost.has( device ) ) throw new ScanError( 'device-lost', `${ this.who }: ${ what } on a lost device. Dispose the pass and initialise it with a new renderer.` );

	}

	private ready( what: string ): Extract<State, { kind: 'ready' }> {

		const { state, who } = this;
		if ( state.kind === 'disposed' ) throw new ScanError( 'disposed', `${ who }: ${ what } after dispose(). Call await pass.init( renderer ) to revive it.` );
		if ( state.kind === 'new' ) throw new ScanError( 'not-initialized', `${ who }: ${ what } before init(). Call await pass.init( renderer ) first.` );
		return state;

	}

}

function disposePlan( plan: Plan ): void {

	for ( const node of plan.nodes ) node.dispose();
	for ( const attribute of plan.scratch ) attribute.dispose();

}

/** Refuses what is no initialised WebGPURenderer with a WebGPU backend. */
export function checkRenderer( who: string, renderer: WebGPURenderer ): void {

	if ( ( renderer as Partial<WebGPURenderer> | null )?.isWebGPURenderer !== true ) throw invalidArgument( `${ who }: init() needs a WebGPURenderer (got ${ describe( renderer ) }).` );
	if ( ! internals( renderer ).initialized ) throw new ScanError( 'not-initialized', `${ who }: the renderer is not initialised. Call await renderer.init() first.` );

	const { backend } = internals( renderer );
	if ( backend.isWebGPUBackend !== true ) throw new ScanError( 'webgpu-required', `${ who }: the renderer runs on its WebGL 2 backend, which has no compute shaders as needed here. Use a browser with WebGPU.` );

	const { device } = backend;

	if ( ! watched.has( device ) ) {

		watched.add( device );
		void device.lost.then( () => lost.add( device ) );

	}

	if ( lost.has( device ) ) throw new ScanError( 'device-lost', `${ who }: the renderer's device is lost. Make a new renderer.` );

}
