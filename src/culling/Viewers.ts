import { Object3D, type Camera, type WebGPURenderer } from 'three/webgpu';
import { internals } from '../three-types';

/** Renders to remember: more than are ever nested. */
const LONGEST = 16;

interface Begun { camera: Camera; depth: number }

/**
 * Knows whose picture a shadow is drawn for. three draws shadow maps nested in the render of a camera, and does not tell their objects of it. But in
 * front of each render it hands the camera to all levels of detail in the scene: this child of a mesh passes for one, and sees the renders begin.
 */
export class Viewers extends Object3D {

	readonly isLOD = true;
	readonly autoUpdate = true;

	/** The last camera of the outermost render in which the mesh was drawn: no shadow's, no reflection's. */
	last: Camera | null = null;
	private lastDepth = Infinity;
	private lastFrame = - 1;

	/** The latest render of each camera, in the order in which they began, and how deeply nested it was. */
	private readonly renders: Begun[] = [];
	/** Known once the mesh was drawn: before, every render passes for an outermost one. */
	private renderer: WebGPURenderer | null = null;

	constructor() {

		super();
		this.layers.enableAll();

	}

	/** Called by three. */
	update( camera: Camera ): void {

		this.begin( camera, this.renderer === null ? - 1 : internals( this.renderer )._callDepth );

	}

	/** A camera draws the mesh. Returns from where distances count: for a shadow, the camera in whose render it is nested. */
	viewerOf( renderer: WebGPURenderer, camera: Camera, frame: number, isShadow: boolean ): Camera {

		this.renderer = renderer;
		const depth = internals( renderer )._callDepth;
		this.begin( camera, depth ); // a recorded bundle does not announce its renders

		// what has ended, a reflection for one, was as deeply nested as this render, or more deeply
		if ( isShadow ) return this.renders.findLast( other => other.depth < depth )?.camera ?? camera;

		if ( frame !== this.lastFrame || depth <= this.lastDepth ) {

			this.last = camera;
			this.lastDepth = depth;
			this.lastFrame = frame;

		}

		return camera;

	}

	private begin( camera: Camera, depth: number ): void {

		const { renders } = this;
		const before = renders.findIndex( other => other.camera === camera );
		if ( before >= 0 ) renders.splice( before, 1 );
		else if ( renders.length === LONGEST ) renders.shift();

		renders.push( { camera, depth } );

	}

}
