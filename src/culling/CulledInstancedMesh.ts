import { BufferGeometry, type Color, Matrix4, Mesh, Sphere, Vector3, type BufferAttribute, type Camera, type Intersection, type Material, type Node, type Raycaster, type StorageInstancedBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { attribute, varying } from 'three/tsl';
import { attributeOf, allocate, view, type StorageBuffer } from '../builder/buffers';
import { asExpr, instanceIndex, storage, uint, uniform, type Expr, type StorageExpr } from '../builder/tsl';
import { ScanError, describe, invalidArgument } from '../errors';
import type { PassOptions } from '../passes/ComputePass';
import { BUCKET_ATTRIBUTE, mergeGeometries, type DrawRange } from '../passes/mergeGeometries';
import { checkCapacity } from '../plan/counts';
import { CullView, type CullSource } from './CullView';
import { checkMaterial, wrapMaterial } from './instanceMaterial';
import { VisibilityTest } from './VisibilityTest';
import { InstanceBuffers } from './InstanceBuffers';
import { instanceSphere } from './instanceSphere';

/** A level of detail: shown from `distance` on. */
export interface Lod { geometry: BufferGeometry; distance: number }

/** Options of {@link CulledInstancedMesh}. */
export interface CulledInstancedMeshOptions {

	/** Not there yet: refused with `feature-missing`. */
	occlusion?: boolean | { occluders?: unknown[] };
	/** Instances are shown up to this distance from the camera. Default Infinity. */
	maxDistance?: number;
	/** Instances are shown from this projected diameter on. Default 0: off. */
	minPixels?: number;
	/** A fraction of the distance by which levels and limits hold on to what they show. Default 0. */
	hysteresis?: number;
	/** Levels coarser in shadows, 0 or more. Default 0. */
	shadowLodBias?: number;
	/** Not there yet: refused with `feature-missing`. Instances are drawn in the order of their index. */
	sortObjects?: boolean;
	/** Matrices (mat4) that are written on the GPU; `setMatrixAt` is refused then. */
	matrices?: StorageBuffer;
	/** Options of the passes that cull. */
	policy?: PassOptions;

}

const IDLE_FRAMES = 300;
const matrix = new Matrix4();
const sphere = new Sphere();
const scale = new Vector3();
const proxy = new Mesh();

/**
 * A mesh of many instances that culls itself on the GPU, for every camera that renders it (shadows, reflections and render bundles too), in the same
 * frame, without readback. Used like `InstancedMesh`:
 *
 * ```js
 * const trees = new CulledInstancedMesh( geometry, material, 100_000 );
 * for ( let i = 0; i < trees.count; i ++ ) trees.setMatrixAt( i, matrix );
 * scene.add( trees );
 * ```
 *
 * Instances are drawn in the order of their index. It begins with the shared-memory kernel and changes over in the background; `await mesh.init( renderer )`
 * avoids that. `material.positionNode` is wrapped: assign your own before. Memory: 64 bytes an instance (16 more with colours), and 4 a camera (12 with levels).
 */
export class CulledInstancedMesh extends Mesh {

	readonly isCulledInstancedMesh = true;
	/** `on`; `off` draws all instances; `frozen` goes on drawing what each camera saw last. */
	culling: 'on' | 'off' | 'frozen' = 'on';
	/** Bounds of all instances, for raycasting; see {@link computeBoundingSphere}. */
	boundingSphere: Sphere | null = null;
	/** The instance's own index, for materials. */
	readonly instanceIndexNode: Node<'uint'>;

	private readonly instances: InstanceBuffers;
	private readonly lods: { ranges: DrawRange[]; distances: number[]; geometry: BufferGeometry } | null;
	private readonly views = new Map<Camera, CullView>();
	private readonly shadowCameras = new WeakSet<Camera>();
	private viewer: Camera | null = null;
	private model: { view: CullView; ready: Promise<unknown>; isReady: boolean } | null = null;
	private source: CullSource | null = null;
	private frame = 0;

	private readonly localBounds = { centre: uniform( new Vector3(), 'vec3' ), radius: uniform( 0, 'float' ) };
	private readonly world = uniform( new Matrix4(), 'mat4' );
	private readonly standIn = allocate( 'uint', 1 );
	private indexNode: StorageExpr;
	private offsetNode: StorageExpr | null = null;

	/**
	 * @param geometry - A geometry, or levels of detail by ascending distance, the first from 0. null: assigned before the first render.
	 * @param material - Any material but an array. null: assigned before the first render.
	 * @param capacity - The most instances; `count` begins there.
	 * @throws {ScanError} `invalid-argument`, `feature-missing`
	 */
	constructor( geometry: BufferGeometry | Lod[] | null, material: Material | null, capacity: number, private readonly options: CulledInstancedMeshOptions = {} ) {

		const lods = Array.isArray( geometry ) ? mergeLods( geometry ) : null;
		super( lods?.geometry ?? ( geometry as BufferGeometry | null ) ?? undefined, material ?? undefined );

		const { occlusion, sortObjects, matrices } = options;
		if ( occlusion ) throw new ScanError( 'feature-missing', 'CulledInstancedMesh: occlusion is not there yet (got it asked for). Omit it.' );
		if ( sortObjects ) throw new ScanError( 'feature-missing', 'CulledInstancedMesh: sortObjects is not there yet (got it asked for). Omit it: instances are drawn in the order of their index.' );

		checkCapacity( 'CulledInstancedMesh', capacity );
		const { maxDistance, minPixels, hysteresis, shadowLodBias = 0 } = options;
		new VisibilityTest( { spheres: i => i, maxDistance, minPixels, hysteresis, capacity } ).dispose(); // refuses what it can't take
		if ( ! Number.isInteger( shadowLodBias ) || shadowLodBias < 0 ) throw invalidArgument( `CulledInstancedMesh: shadowLodBias must be a non-negative integer (got ${ describe( shadowLodBias ) }).` );

		const borrowed = matrices === undefined ? null : attributeOf( 'CulledInstancedMesh: matrices', matrices );
		if ( borrowed !== null && ( borrowed.itemSize !== 16 || borrowed.count < capacity || ! ( borrowed.array instanceof Float32Array ) ) ) throw invalidArgument( `CulledInstancedMesh: matrices must hold at least ${ capacity } mat4 of floats (got ${ borrowed.count } of itemSize ${ borrowed.itemSize } over a ${ borrowed.array.constructor.name }).` );

		this.lods = lods;
		this.instances = new InstanceBuffers( capacity, borrowed );
		this.count = capacity;
		// its geometry's bounds say nothing of its instances
		this.frustumCulled = false;

		// stand-ins until a camera has buffers: bound at each draw
		this.indexNode = storage( this.standIn, 'uint', capacity ).setName( 'visibleInstances' ).toReadOnly();
		if ( lods !== null ) this.offsetNode = storage( this.standIn, 'uint', lods.ranges.length + 1 ).setName( 'levelOffsets' ).toReadOnly();
		this.instanceIndexNode = ( varying as unknown as ( node: unknown ) => Node<'uint'> )( this.drawnIndex() );

		watchMaterial( this );

	}

	/** The most instances. */
	get capacity(): number {

		return this.instances.capacity;

	}

	/** Matrices, 16 numbers an instance. Written through `setMatrixAt` only what changed is uploaded, without `needsUpdate`. */
	get instanceMatrix(): BufferAttribute {

		return this.instances.matrices;

	}

	/** Colours, 4 numbers an instance, once one is set. */
	get instanceColor(): StorageInstancedBufferAttribute | null {

		return this.instances.colors;

	}

	setMatrixAt( index: number, value: Matrix4 ): void {

		if ( this.options.matrices !== undefined ) throw invalidArgument( 'CulledInstancedMesh.setMatrixAt: the matrices were given as a buffer, which is written on the GPU (got a matrix). Write there, or omit the option matrices.' );
		this.instances.setMatrix( this.checkIndex( 'setMatrixAt', index ), value );

	}

	getMatrixAt( index: number, target: Matrix4 ): Matrix4 {

		return this.instances.getMatrix( this.checkIndex( 'getMatrixAt', index ), target );

	}

	/** Multiplies the material's colour for an instance. The first call rebuilds the material. */
	setColorAt( index: number, color: Color ): void {

		this.checkIndex( 'setColorAt', index );
		const isFirst = this.instances.colors === null;
		this.instances.setColor( index, color );
		// three builds the material anew for an object that it does not know
		if ( isFirst ) this.dispatchEvent( { type: 'dispose' } as never );

	}

	getColorAt( index: number, target: Color ): Color {

		this.checkIndex( 'getColorAt', index );
		const { colors } = this.instances;
		return colors === null ? target.setRGB( 1, 1, 1 ) : target.fromArray( colors.array, index * 4 );

	}

	/** Hides an instance, or shows it again. */
	setVisibleAt( index: number, visible: boolean ): void {

		this.instances.setShown( this.checkIndex( 'setVisibleAt', index ), visible );

	}

	getVisibleAt( index: number ): boolean {

		return this.instances.isShown( this.checkIndex( 'getVisibleAt', index ) );

	}

	/** Makes room for more instances, or fewer, and keeps what was set. `count` stays, up to the capacity. */
	resize( capacity: number ): void {

		checkCapacity( 'CulledInstancedMesh.resize', capacity );
		if ( this.options.matrices !== undefined ) throw invalidArgument( 'CulledInstancedMesh.resize: the matrices were given as a buffer (got a resize). Make another mesh over the larger buffer.' );

		this.instances.resize( capacity );
		this.count = Math.min( this.count, capacity );
		this.forgetViews();

	}

	/** Compiles the culling ahead, with the kernel that suits the device. */
	async init( renderer: WebGPURenderer ): Promise<this> {

		await this.modelFor( renderer ).ready;
		return this;

	}

	/** Reads how many instances a camera saw last, one number a level. Default: the last camera that was not a shadow's. */
	async readVisibleCounts( renderer: WebGPURenderer, camera: Camera | null = this.viewer ): Promise<number[]> {

		const seen = camera === null ? undefined : this.views.get( camera );
		if ( seen === undefined ) throw new ScanError( 'not-initialized', 'CulledInstancedMesh.readVisibleCounts: the camera has not rendered the mesh yet (got no counts). Render first.' );
		return seen.readCounts( renderer );

	}

	/** Unites the bounds of all instances up to `count`, in the mesh's own space. */
	computeBoundingSphere(): void {

		const { geometry } = this;
		if ( geometry.boundingSphere === null ) geometry.computeBoundingSphere();

		const bounds = new Sphere().makeEmpty();

		for ( let i = 0; i < this.count; i ++ ) {

			this.instances.getMatrix( i, matrix );
			bounds.union( sphere.copy( geometry.boundingSphere! ).applyMatrix4( matrix ) );

		}

		this.boundingSphere = bounds;

	}

	override raycast( raycaster: Raycaster, intersects: Intersection[] ): void {

		if ( this.boundingSphere === null ) this.computeBoundingSphere();
		sphere.copy( this.boundingSphere! ).applyMatrix4( this.matrixWorld );
		if ( ! raycaster.ray.intersectsSphere( sphere ) ) return;

		// the finest level is what the ray meets
		proxy.geometry = this.lods === null ? this.geometry : ( this.finest ??= finestOf( this.lods.geometry, this.lods.ranges[ 0 ] ) );
		proxy.material = this.material;

		const hits: Intersection[] = [];

		for ( let i = 0; i < this.count; i ++ ) {

			if ( ! this.instances.isShown( i ) ) continue;

			this.instances.getMatrix( i, matrix );
			if ( scale.setFromMatrixScale( matrix ).lengthSq() === 0 ) continue;

			proxy.matrixWorld.multiplyMatrices( this.matrixWorld, matrix );
			proxy.raycast( raycaster, hits );

			for ( const hit of hits ) intersects.push( { ...hit, instanceId: i, object: this } );
			hits.length = 0;

		}

	}

	private finest: BufferGeometry | null = null;

	/** Frees the buffers. Rendering it again makes them anew. */
	override dispose(): this {

		this.forgetViews();
		this.instances.dispose();
		this.standIn.dispose();
		this.lods?.geometry.dispose();
		this.dispatchEvent( { type: 'dispose' } as never );
		return this;

	}

	/** Marks a shadow's camera: three calls it in front of each draw into a shadow map. */
	override onBeforeShadow( _renderer: unknown, _object: unknown, _camera: unknown, shadowCamera: Camera ): void {

		this.shadowCameras.add( shadowCamera );

	}

	/** @internal */
	cull( renderer: WebGPURenderer, camera: Camera, frameId: number ): void {

		const isShadow = this.shadowCameras.has( camera );

		try {

			this.cullFor( renderer, camera, frameId, isShadow );

		} catch ( error ) {

			// thrown inside a shadow's nested render it would leave three in the middle of it for good: the main render meets it again
			if ( ! isShadow ) throw error;
			if ( this.refusal === null ) console.error( error );
			this.refusal = error;

		}

	}

	private refusal: unknown = null;

	private cullFor( renderer: WebGPURenderer, camera: Camera, frameId: number, isShadow: boolean ): void {

		if ( ! isShadow ) this.viewer = camera;

		this.frame = frameId;
		this.freeIdleViews();
		checkMaterial( this.material );

		const model = this.modelFor( renderer );
		const seen = this.viewFor( camera, isShadow );
		seen.lastFrame = frameId;

		this.instances.flush();
		this.world.value.copy( this.matrixWorld );
		this.updateLocalBounds();

		seen.enabled = this.culling !== 'off';
		if ( this.culling !== 'frozen' ) seen.look( renderer, camera, this.viewer, this.options.shadowLodBias ?? 0 );
		seen.run( renderer, Math.min( this.count, this.capacity ), model.isReady ? model.view : null );

	}

	/** @internal */
	bind( camera: Camera ): void {

		const seen = this.views.get( camera );
		if ( seen === undefined ) return;

		this.indexNode.value = seen.indices;
		if ( this.offsetNode !== null && seen.offsets !== null ) this.offsetNode.value = seen.offsets;

		const offsets = Array.from( { length: seen.draws.length }, ( _, k ) => seen.draws.byteOffset( k ) );
		const { indirect, indirectOffset } = this.geometry;
		this.borrowedIndirect = { indirect, indirectOffset };
		this.geometry.setIndirect( seen.draws.attribute, offsets );

	}

	private borrowedIndirect: Pick<BufferGeometry, 'indirect' | 'indirectOffset'> | null = null;

	/** @internal */
	unbind(): void {

		// another mesh may share the geometry, with draws of its own
		if ( this.borrowedIndirect === null ) return;
		this.geometry.setIndirect( this.borrowedIndirect.indirect, this.borrowedIndirect.indirectOffset );
		this.borrowedIndirect = null;

	}

	/** @internal */
	instance(): { matrix: Expr; color: Expr | null } {

		const index = asExpr( this.drawnIndex() as never ).toVar();
		const { matrixNode, colorNode } = this.instances;
		return { matrix: matrixNode.element( index ), color: colorNode === null ? null : colorNode.element( index ).xyz };

	}

	/** Index of the instance being drawn: through the camera's list. */
	private drawnIndex(): unknown {

		if ( this.offsetNode === null ) return this.indexNode.element( instanceIndex );

		const level = asExpr( attribute( BUCKET_ATTRIBUTE, 'uint' ) );
		return this.indexNode.element( this.offsetNode.element( level ).add( instanceIndex ) );

	}

	private viewFor( camera: Camera, isShadow: boolean ): CullView {

		let seen = this.views.get( camera );

		if ( seen === undefined ) {

			seen = new CullView( this.cullSource(), isShadow );
			this.views.set( camera, seen );

		}

		return seen;

	}

	/** The view that `init()` readies, whose kernel the cameras' views then take. */
	private modelFor( renderer: WebGPURenderer ): { view: CullView; ready: Promise<unknown>; isReady: boolean } {

		if ( this.model !== null ) return this.model;

		const cullView = new CullView( this.cullSource(), false );
		const model = { view: cullView, isReady: false, ready: Promise.resolve<unknown>( null ) };
		this.model = model;

		model.ready = cullView.init( renderer ).then( () => {

			if ( this.model !== model ) return;
			model.isReady = true;
			// their next run takes the new kernel
			for ( const old of this.views.values() ) old.renew();
			this.recordBundlesAnew();

		} );

		// whoever awaits init() hears of it; a mesh that is merely rendered says so once
		model.ready.catch( ( error: unknown ) => { if ( this.model === model ) console.error( error ); } );

		return model;

	}

	private cullSource(): CullSource {

		const { options, lods, instances } = this;
		const shown = view( instances.shown, 'uint', 'shownInstances' ).toReadOnly();

		return this.source ??= {
			mesh: this, capacity: instances.capacity,
			sphere: instanceSphere( instances.matrices, this.world, this.localBounds ),
			isShown: i => shown.element( i.shiftRight( uint( 5 ) ) ).shiftRight( i.bitAnd( uint( 31 ) ) ).bitAnd( uint( 1 ) ).equal( 1 ),
			ranges: lods?.ranges ?? null,
			lodDistances: lods?.distances ?? [],
			maxDistance: options.maxDistance, minPixels: options.minPixels, hysteresis: options.hysteresis, policy: options.policy
		};

	}

	private updateLocalBounds(): void {

		const { geometry, localBounds } = this;
		if ( geometry.attributes.position === undefined ) throw invalidArgument( 'CulledInstancedMesh: geometry must have a position attribute (got none).' );
		if ( this.lods === null && ( geometry.drawRange.start !== 0 || geometry.drawRange.count !== Infinity ) ) throw invalidArgument( 'CulledInstancedMesh: geometry.drawRange must be the whole geometry (got a part). Make a geometry of that part.' );
		if ( geometry.boundingSphere === null ) geometry.computeBoundingSphere();

		const { center, radius } = geometry.boundingSphere!;
		localBounds.centre.value.copy( center );
		localBounds.radius.value = radius;

	}

	private freeIdleViews(): void {

		for ( const [ camera, old ] of this.views ) {

			if ( this.frame - old.lastFrame <= IDLE_FRAMES ) continue;
			old.dispose();
			this.views.delete( camera );
			this.recordBundlesAnew();

		}

	}

	private forgetViews(): void {

		for ( const old of this.views.values() ) old.dispose();
		this.views.clear();
		this.model?.view.dispose();
		this.model = null;
		this.source = null;
		this.recordBundlesAnew();

	}

	/** A recorded render bundle keeps the buffers that it was recorded with. */
	private recordBundlesAnew(): void {

		this.traverseAncestors( ancestor => {

			if ( ( ancestor as { isBundleGroup?: boolean } ).isBundleGroup === true ) ( ancestor as unknown as { needsUpdate: boolean } ).needsUpdate = true;

		} );

	}

	private checkIndex( what: string, index: number ): number {

		if ( ! Number.isInteger( index ) || index < 0 || index >= this.capacity ) throw invalidArgument( `CulledInstancedMesh.${ what }: index must be an integer from 0 to ${ this.capacity - 1 } (got ${ describe( index ) }). Make room by resize().` );
		return index;

	}

}

/** Wraps each material that is assigned, and refuses what can't be drawn. */
function watchMaterial( mesh: CulledInstancedMesh ): void {

	let { material } = mesh;

	const accept = ( next: Material | Material[] ): void => {

		checkMaterial( next );
		wrapMaterial( next as Material );
		material = next;

	};

	accept( material );
	Object.defineProperty( mesh, 'material', { configurable: true, enumerable: true, get: () => material, set: accept } );

}

function mergeLods( lods: Lod[] ): { geometry: BufferGeometry; ranges: DrawRange[]; distances: number[] } {

	if ( lods.length === 0 ) throw invalidArgument( 'CulledInstancedMesh: levels of detail must be at least one (got an empty array).' );

	lods.forEach( ( { distance }, k ) => {

		if ( ! ( distance >= ( k === 0 ? 0 : lods[ k - 1 ].distance ) ) || ( k === 0 && distance !== 0 ) ) throw invalidArgument( `CulledInstancedMesh: distances must ascend from 0 (got ${ lods.map( lod => lod.distance ).join( ', ' ) }).` );

	} );

	const { geometry, ranges } = mergeGeometries( 'CulledInstancedMesh', lods.map( lod => lod.geometry ) );
	return { geometry, ranges, distances: lods.slice( 1 ).map( lod => lod.distance ) };

}

function finestOf( merged: BufferGeometry, { first, elements }: DrawRange ): BufferGeometry {

	const geometry = new BufferGeometry();
	geometry.setAttribute( 'position', merged.attributes.position );
	if ( merged.attributes.uv ) geometry.setAttribute( 'uv', merged.attributes.uv );
	geometry.setIndex( merged.index );
	geometry.setDrawRange( first, elements );
	return geometry;

}
