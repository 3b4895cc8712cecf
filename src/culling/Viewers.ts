import { Object3D, type Camera } from 'three/webgpu';

/** Cameras to remember: more than are ever nested. */
const LONGEST = 16;

/**
 * Knows whose picture a shadow is drawn for. three draws shadow maps nested in the render of a camera, and does not tell their objects of it. But in
 * front of each render it hands the camera to all levels of detail in the scene: this child of a mesh passes for one, and sees the renders begin.
 */
export class Viewers extends Object3D {

	readonly isLOD = true;
	readonly autoUpdate = true;
	/** In the order in which their renders began. */
	private cameras: Camera[] = [];
	/** How deeply each one's render is nested, once it has drawn the mesh; infinitely for a shadow's camera, which is nobody's viewer. */
	private readonly depths = new WeakMap<Camera, number>();

	/** The last camera of the outermost render in which the mesh was drawn: no shadow's, no reflection's. */
	last: Camera | null = null;
	private lastDepth = Infinity;
	private lastFrame = - 1;

	/** @param begin - Called when a render begins that may draw the mesh. */
	constructor( private readonly begin: () => void ) {

		super();
		this.layers.enableAll();

	}

	/** Called by three. */
	update( camera: Camera ): void {

		this.cameras = [ ...this.cameras.filter( other => other !== camera ), camera ].slice( - LONGEST );
		this.begin();

	}

	/** A camera draws the mesh, at this depth of nested renders. Returns from where distances count: for a shadow, the camera around it. */
	viewerOf( camera: Camera, { depth, frame, isShadow }: { depth: number; frame: number; isShadow: boolean } ): Camera {

		this.depths.set( camera, isShadow ? Infinity : depth );

		if ( isShadow ) {

			// a render that has ended, a reflection's for one, was as deeply nested as this one
			return this.cameras.findLast( other => ( this.depths.get( other ) ?? - 1 ) < depth ) ?? camera;

		}

		if ( frame !== this.lastFrame || depth <= this.lastDepth ) {

			this.last = camera;
			this.lastDepth = depth;
			this.lastFrame = frame;

		}

		return camera;

	}

}
