import type { Camera, WebGPURenderer } from 'three/webgpu';
import { inNameOf, invalidArgument, ScanError } from '../errors';
import { checkRenderer } from '../passes/ComputePass';
import type { KernelPolicy } from '../plan/policy';
import { CullView, type CullSource } from './CullView';

const WHO = 'CulledInstancedMesh';
const IDLE_FRAMES = 300;

/** A view that no camera has, whose kernel the others take once `init()` has readied it. */
interface Pattern { readonly renderer: WebGPURenderer; readonly view: CullView; state: 'pending' | 'ready' | 'failed'; ready: Promise<unknown>; successor: Promise<unknown> | null }

/**
 * The views of a mesh: one for each camera that renders it, made when it first does and freed when the mesh was drawn often without it.
 */
export class CullViews {

	private readonly views = new Map<Camera, CullView>();
	private model: Pattern | null = null;
	private source: CullSource | null = null;
	/** Frames in which the mesh was drawn: those in which nothing is make nobody idle. */
	private frames = 0;
	private lastFrame = - 1;

	/**
	 * @param makeSource - What the views are to look at.
	 * @param changed - Called when cameras have other buffers than before, or none.
	 */
	constructor( private readonly makeSource: () => CullSource, private readonly changed: () => void ) {}

	/** The kernel in use: the device's once `init()` is done, until then that of the first view. */
	get policy(): Readonly<KernelPolicy> {

		const view = this.pattern ?? [ ...this.views.values() ].at( 0 );
		if ( view === undefined ) throw new ScanError( 'not-initialized', `${ WHO }.policy: the mesh has not been rendered yet (got no policy). Render it, or await mesh.init( renderer ).` );
		return view.policy;

	}

	/** Whose kernel the views take: the device's, once it is ready. */
	get pattern(): CullView | null {

		return this.model?.state === 'ready' ? this.model.view : null;

	}

	get( camera: Camera ): CullView | undefined {

		return this.views.get( camera );

	}

	/** The view of a camera that renders now. */
	open( renderer: WebGPURenderer, camera: Camera, isShadow: boolean, frame: number ): CullView {

		// whoever awaits init() hears of its failure; here it is said once, unless the mesh is gone
		if ( this.model === null ) this.init( renderer ).catch( ( error: unknown ) => { if ( ( error as ScanError ).code !== 'disposed' ) console.error( error ); } );
		this.checkSame( renderer );

		const isNewFrame = frame !== this.lastFrame;
		if ( isNewFrame ) this.frames ++;
		this.lastFrame = frame;

		let seen = this.views.get( camera );

		if ( seen === undefined ) {

			seen = new CullView( this.takeSource(), isShadow );
			this.views.set( camera, seen );

		}

		seen.lastFrame = this.frames;
		if ( isNewFrame ) this.freeIdle();
		return seen;

	}

	/** Readies the kernel that suits the device; anew after a failure. */
	init( renderer: WebGPURenderer ): Promise<unknown> {

		if ( this.model !== null && this.model.state !== 'failed' ) {

			this.checkSame( renderer );
			return this.model.ready;

		}

		this.model?.view.dispose();
		checkRenderer( WHO, renderer );

		const view = new CullView( this.takeSource(), false );
		const model: Pattern = { renderer, view, state: 'pending', ready: Promise.resolve(), successor: null };
		this.model = model;

		model.ready = view.init( renderer ).then( () => {

			if ( this.model !== model ) return;
			model.state = 'ready';
			// their next run takes the new kernel
			for ( const old of this.views.values() ) old.renew();
			this.changed();

		}, ( error: unknown ) => {

			if ( model.successor !== null ) return model.successor;
			model.state = 'failed';
			throw inNameOf( WHO, error );

		} );

		return model.ready;

	}

	/** Begins anew with another source. Whoever awaits `init()` goes on waiting. */
	restart(): void {

		const { model } = this;
		this.dispose();
		if ( model?.state === 'pending' ) model.successor = this.init( model.renderer );

	}

	/** Frees all; what renders next begins anew. */
	dispose(): void {

		for ( const old of this.views.values() ) old.dispose();
		this.views.clear();
		this.model?.view.dispose();
		this.model = null;
		this.source?.evaluated.dispose();
		this.source = null;
		this.changed();

	}

	private checkSame( renderer: WebGPURenderer ): void {

		if ( this.model !== null && this.model.renderer !== renderer ) throw invalidArgument( `${ WHO }: a mesh belongs to one renderer (got another). Dispose it first, or clone it.` );

	}

	/** One source for all views: the same nodes make the same shaders. */
	private takeSource(): CullSource {

		return this.source ??= this.makeSource();

	}

	private freeIdle(): void {

		for ( const [ camera, old ] of this.views ) {

			if ( this.frames - old.lastFrame <= IDLE_FRAMES ) continue;
			old.dispose();
			this.views.delete( camera );
			this.changed();

		}

	}

}
