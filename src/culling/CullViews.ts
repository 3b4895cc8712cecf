import type { Camera, WebGPURenderer } from 'three/webgpu';
import { ScanError } from '../errors';
import type { KernelPolicy } from '../plan/policy';
import { CullView, type CullSource } from './CullView';

const IDLE_FRAMES = 300;

/**
 * The views of a mesh: one for each camera that renders it, made when it first does and freed when it has not for a while.
 */
export class CullViews {

	private readonly views = new Map<Camera, CullView>();
	private model: { view: CullView; ready: Promise<unknown>; isReady: boolean } | null = null;
	private source: CullSource | null = null;

	/**
	 * @param makeSource - What the views are to look at.
	 * @param changed - Called when cameras have other buffers than before, or none.
	 */
	constructor( private readonly makeSource: () => CullSource, private readonly changed: () => void ) {}

	/** The kernel in use: the device's once `init()` is done, until then that of the first view. */
	get policy(): Readonly<KernelPolicy> {

		const view = this.pattern ?? [ ...this.views.values() ].at( 0 );
		if ( view === undefined ) throw new ScanError( 'not-initialized', 'CulledInstancedMesh.policy: the mesh has not been rendered yet (got no policy). Render it, or await mesh.init( renderer ).' );
		return view.policy;

	}

	get( camera: Camera ): CullView | undefined {

		return this.views.get( camera );

	}

	/** The view of a camera that renders now. */
	open( renderer: WebGPURenderer, camera: Camera, isShadow: boolean, frame: number ): CullView {

		void this.init( renderer );
		this.freeIdle( frame );

		let seen = this.views.get( camera );

		if ( seen === undefined ) {

			seen = new CullView( this.takeSource(), isShadow );
			this.views.set( camera, seen );

		}

		seen.lastFrame = frame;
		return seen;

	}

	/** Whose kernel the views take: the device's, once it is ready. */
	get pattern(): CullView | null {

		return this.model?.isReady === true ? this.model.view : null;

	}

	/** Readies the kernel that suits the device. */
	init( renderer: WebGPURenderer ): Promise<unknown> {

		if ( this.model !== null ) return this.model.ready;

		const view = new CullView( this.takeSource(), false );
		const model = { view, isReady: false, ready: Promise.resolve<unknown>( null ) };
		this.model = model;

		model.ready = view.init( renderer ).then( () => {

			if ( this.model !== model ) return;
			model.isReady = true;
			// their next run takes the new kernel
			for ( const old of this.views.values() ) old.renew();
			this.changed();

		} );

		// whoever awaits init() hears of it; a mesh that is merely rendered says so once
		model.ready.catch( ( error: unknown ) => { if ( this.model === model ) console.error( error ); } );
		return model.ready;

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

	/** One source for all views: the same nodes make the same shaders. */
	private takeSource(): CullSource {

		return this.source ??= this.makeSource();

	}

	private freeIdle( frame: number ): void {

		for ( const [ camera, old ] of this.views ) {

			if ( frame - old.lastFrame <= IDLE_FRAMES ) continue;
			old.dispose();
			this.views.delete( camera );
			this.changed();

		}

	}

}
