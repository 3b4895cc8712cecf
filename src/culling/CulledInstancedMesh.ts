import { type Box3, type BufferGeometry, type Color, Matrix4, Mesh, Sphere, Vector3, type BufferAttribute, type Camera, type Intersection, type Material, type Node, type NodeBuilder, type Raycaster, type StorageInstancedBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { Fn, attribute, varying } from 'three/tsl';
import { attributeOf, allocate, view, type StorageBuffer } from '../builder/buffers';
import { asExpr, instanceIndex, storage, uint, uniform, type StorageExpr } from '../builder/tsl';
import { ScanError, describe, inNameOf, invalidArgument } from '../errors';
import type { PassOptions } from '../passes/ComputePass';
import { BUCKET_ATTRIBUTE } from '../passes/mergeGeometries';
import { checkCapacity } from '../plan/counts';
import type { KernelPolicy } from '../plan/policy';
import { watch } from '../watch';
import type { CullSource } from './CullView';
import { CullViews } from './CullViews';
import { InstanceBuffers } from './InstanceBuffers';
import { acceptMaterial, selfCulling, type CullFrame, type DrawnInstance } from './instanceMaterial';
import { raycastInstances, uniteBoxes, uniteSpheres } from './instanceBounds';
import { checkGeometry } from './instanceGeometry';
import { instanceSphere } from './instanceSphere';
import { lendIndirect, lendNothing, returnIndirect } from './lendIndirect';
import { checkLimits, type VisibilityLimits } from './limits';
import { mergeLods, type Levels, type Lod } from './levels';
import { throwAfterRender } from './throwAfterRender';
import { Viewers } from './Viewers';

/** Options of {@link CulledInstancedMesh}. */
export interface CulledInstancedMeshOptions extends Omit<VisibilityLimits, 'lodDistances'> {

	/** Not there yet: refused with `feature-missing`. */
	occlusion?: boolean | { occluders?: unknown[] };
	/** Levels coarser in shadows, 0 or more. Default 0. */
	shadowLodBias?: number;
	/** Not there yet: refused with `feature-missing`. Instances are drawn in the order of their index. */
	sortObjects?: boolean;
	/** Matrices (mat4) that are written on the GPU; `setMatrixAt` is refused then. Raycasting and bounds go by the CPU's array of it. */
	matrices?: StorageBuffer;
	/** Options of the passes that cull. */
	policy?: PassOptions;

}

/** A radius beyond all scenes that a matrix may still enlarge within f32. */
const BOUNDLESS = 1e30;
const ORIGIN = new Vector3();
const sphere = new Sphere();

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
 * avoids that. `material.positionNode` is wrapped, your own comes after the instance's place; where it displaces, enlarge `mesh.geometry.boundingSphere` by as much. In materials
 * `instanceIndex` counts what is drawn: use `instanceIndexNode`. Memory: 72 bytes an instance (16 more with colours, 128 more where velocities are drawn), and 4 a camera; 4 more
 * each with hysteresis, and from five levels on.
 */
export class CulledInstancedMesh<TGeometry extends BufferGeometry = BufferGeometry, TMaterial extends Material = Material> extends Mesh<TGeometry, TMaterial> {

	/** For checks of kind. */
	readonly isCulledInstancedMesh = true;
	/** `on`; `off` draws all instances; `frozen` goes on drawing what each camera saw last; shadows follow their light. */
	culling: 'on' | 'off' | 'frozen' = 'on';
	/** Bounds of all instances, for raycasting: null until they are needed, and when an instance was placed; see {@link computeBoundingSphere}. */
	boundingSphere: Sphere | null = null;
	/** Bounds of all instances, for `Box3.setFromObject()`, likewise; see {@link computeBoundingBox}. */
	boundingBox: Box3 | null = null;
	/** The own index of the instance being drawn, of whichever mesh a material is on. */
	readonly instanceIndexNode: Node<'uint'>;

	private readonly instances: InstanceBuffers;
	private readonly levels: Levels | null;
	private readonly views: CullViews;
	private readonly viewers: Viewers;
	/** Why nothing is drawn. */
	private refusal: Error | null = null;
	private said = '';

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
	constructor( geometry: TGeometry | readonly Lod[] | null, material: TMaterial | null, capacity: number, private readonly options: CulledInstancedMeshOptions = {} ) {

		if ( geometry !== null && ! Array.isArray( geometry ) ) checkGeometry( geometry as TGeometry );
		const levels = Array.isArray( geometry ) ? mergeLods( geometry as readonly Lod[] ) : null;
		super( ( levels?.geometry ?? geometry ?? undefined ) as TGeometry | undefined, material ?? undefined );

		const { occlusion, sortObjects, matrices } = options;
		if ( occlusion ) throw new ScanError( 'feature-missing', 'CulledInstancedMesh: occlusion is not there yet (got it asked for). Omit it.' );
		if ( sortObjects ) throw new ScanError( 'feature-missing', 'CulledInstancedMesh: sortObjects is not there yet (got it asked for). Omit it: instances are drawn in the order of their index.' );

		checkCapacity( 'CulledInstancedMesh', capacity );
		const { shadowLodBias = 0 } = options;
		checkLimits( 'CulledInstancedMesh', options );
		if ( ! Number.isInteger( shadowLodBias ) || shadowLodBias < 0 ) throw invalidArgument( `CulledInstancedMesh: shadowLodBias must be a non-negative integer (got ${ describe( shadowLodBias ) }). Omit it for the levels of the picture.` );

		const borrowed = matrices === undefined ? null : attributeOf( 'CulledInstancedMesh: matrices', matrices );
		if ( borrowed !== null && ( borrowed.itemSize !== 16 || borrowed.count < capacity || ! ( borrowed.array instanceof Float32Array ) ) ) throw invalidArgument( `CulledInstancedMesh: matrices must hold at least ${ capacity } mat4 of floats (got ${ borrowed.count } of itemSize ${ borrowed.itemSize } over a ${ borrowed.array.constructor.name }). Pass instancedArray( ${ capacity }, 'mat4' ).` );

		this.levels = levels;
		this.instances = new InstanceBuffers( capacity, borrowed );
		this.count = capacity;
		// its geometry's bounds say nothing of its instances
		this.frustumCulled = false;

		// stand-ins until a camera has buffers: bound at each draw
		this.indexNode = storage( this.standIn, 'uint', capacity ).setName( 'visibleInstances' ).toReadOnly();
		if ( levels !== null ) this.offsetNode = storage( this.standIn, 'uint', levels.ranges.length + 1 ).setName( 'levelOffsets' ).toReadOnly();
		this.instanceIndexNode = ( varying as unknown as ( node: unknown ) => Node<'uint'> )( Fn( ( { object }: NodeBuilder ) => ( selfCulling( object ) ?? this ).drawnIndex() )() );

		this.views = new CullViews( () => this.cullSource(), () => this.recordBundlesAnew() );
		this.viewers = new Viewers();
		this.add( this.viewers );

		watch( this, 'material', acceptMaterial );
		watch( this, 'geometry', ( next: BufferGeometry ) => this.acceptGeometry( next ) );
		watch( this, 'count', ( next: number ) => this.acceptCount( next ) );

	}

	/** The most instances. */
	get capacity(): number {

		return this.instances.capacity;

	}

	/** The kernel that culls. Throws `not-initialized` before the first render or `init()`. */
	get policy(): Readonly<KernelPolicy> {

		return this.views.policy;

	}

	/** Matrices, 16 numbers an instance. Written through `setMatrixAt` only what changed is uploaded, without `needsUpdate`. */
	get instanceMatrix(): BufferAttribute {

		return this.instances.matrices;

	}

	/** Colours, 4 numbers an instance, once one is set. */
	get instanceColor(): StorageInstancedBufferAttribute | null {

		return this.instances.colors;

	}

	/** Places an instance. */
	setMatrixAt( index: number, value: Matrix4 ): this {

		if ( this.options.matrices !== undefined ) throw invalidArgument( 'CulledInstancedMesh.setMatrixAt: the matrices were given as a buffer, which is written on the GPU (got a matrix). Write there, or omit the option matrices.' );
		if ( ( value as { isMatrix4?: boolean } | null | undefined )?.isMatrix4 !== true ) throw invalidArgument( `CulledInstancedMesh.setMatrixAt: the matrix must be a Matrix4 (got ${ describe( value ) }). Make one by new Matrix4().compose( position, quaternion, scale ).` );
		this.instances.setMatrix( this.checkIndex( 'setMatrixAt', index ), value );
		this.forgetBounds();
		return this;

	}

	/** Reads where an instance is. */
	getMatrixAt( index: number, target: Matrix4 ): Matrix4 {

		return this.instances.getMatrix( this.checkIndex( 'getMatrixAt', index ), target );

	}

	/** Multiplies the material's colour for an instance. The first call rebuilds the material: three hears of it by an event `dispose`. */
	setColorAt( index: number, color: Color ): this {

		this.checkIndex( 'setColorAt', index );
		if ( ( color as Partial<Color> | null | undefined )?.isColor !== true ) throw invalidArgument( `CulledInstancedMesh.setColorAt: the colour must be a Color (got ${ describe( color ) }). Make one by new Color( … ).` );
		const isFirst = this.instances.colors === null;
		this.instances.setColor( index, color );
		if ( isFirst ) this.rebuild();
		return this;

	}

	/** Reads the colour of an instance; white where none was set. */
	getColorAt( index: number, target: Color ): Color {

		this.checkIndex( 'getColorAt', index );
		const { colors } = this.instances;
		return colors === null ? target.setRGB( 1, 1, 1 ) : target.fromArray( colors.array, index * 4 );

	}

	/** Hides an instance, or shows it again. */
	setVisibleAt( index: number, visible: boolean ): this {

		this.instances.setShown( this.checkIndex( 'setVisibleAt', index ), visible );
		return this;

	}

	/** Whether an instance is shown. */
	getVisibleAt( index: number ): boolean {

		return this.instances.isShown( this.checkIndex( 'getVisibleAt', index ) );

	}

	/** Makes room for more instances, or fewer, and keeps what was set. `count` stays, up to the capacity. */
	resize( capacity: number ): void {

		checkCapacity( 'CulledInstancedMesh.resize', capacity );
		if ( this.options.matrices !== undefined ) throw invalidArgument( 'CulledInstancedMesh.resize: the matrices were given as a buffer (got a resize). Make another mesh over the larger buffer.' );

		this.instances.resize( capacity );
		this.count = Math.min( this.count, capacity );
		this.views.restart();

	}

	/** Compiles the culling ahead, with the kernel that suits the device. Rejects with what keeps it from running; call it again to try anew. */
	async init( renderer: WebGPURenderer ): Promise<this> {

		await this.views.init( renderer );
		return this;

	}

	/** Reads how many instances a camera saw last, one number a level. Default: the last camera that was neither a shadow's nor a reflection's. */
	async readVisibleCounts( renderer: WebGPURenderer, camera: Camera | null = this.viewers.last ): Promise<number[]> {

		const seen = camera === null ? undefined : this.views.get( camera );
		if ( seen === undefined ) throw new ScanError( 'not-initialized', `CulledInstancedMesh.readVisibleCounts: the camera${ camera?.name ? ` '${ camera.name }'` : '' } has not rendered the mesh, or not lately (got no counts). Render with it first.` );
		return seen.readCounts( renderer );

	}

	/** Unites the bounds of all instances up to `count`, in the mesh's own space. */
	computeBoundingSphere(): void {

		const { geometry } = this;
		if ( geometry.boundingSphere === null ) geometry.computeBoundingSphere();

		this.boundingSphere = uniteSpheres( this.instances, this.count, geometry.boundingSphere! );

	}

	/** Unites the boxes of all instances up to `count`, in the mesh's own space. */
	computeBoundingBox(): void {

		const { geometry } = this;
		if ( geometry.boundingBox === null ) geometry.computeBoundingBox();

		this.boundingBox = uniteBoxes( this.instances, this.count, geometry.boundingBox! );

	}

	/** Meets the finest level of the instances that are shown, where they are by their matrices. */
	override raycast( raycaster: Raycaster, intersects: Intersection[] ): void {

		if ( this.boundingSphere === null ) this.computeBoundingSphere();
		sphere.copy( this.boundingSphere! ).applyMatrix4( this.matrixWorld );
		if ( ! raycaster.ray.intersectsSphere( sphere ) ) return;

		const { instances, count, material, matrixWorld } = this;
		const geometry = this.levels?.lods[ 0 ].geometry ?? this.geometry;
		for ( const hit of raycastInstances( instances, count, { geometry, material, matrixWorld }, raycaster ) ) intersects.push( { ...hit, object: this } );

	}

	/** A mesh with instances of its own, which begin as this one's are, and the same options; geometry, material and a `matrices` buffer are shared. */
	override clone( recursive?: boolean ): this {

		const { levels, geometry, material, capacity, options } = this;
		const shape = levels?.lods ?? ( geometry.attributes.position === undefined ? null : geometry );
		return new ( this.constructor as typeof CulledInstancedMesh )( shape, material, capacity, options ).copy( this, recursive ) as this;

	}

	/** Takes over what another mesh is, its instances too, but not its options. Levels of detail must be the same; takes another capacity if its matrices are its own. */
	override copy( source: this, recursive = true ): this {

		if ( ( source as Partial<CulledInstancedMesh> | undefined )?.isCulledInstancedMesh !== true ) throw invalidArgument( `CulledInstancedMesh.copy: the source must be a CulledInstancedMesh (got ${ describe( source ) }).` );
		if ( source.levels !== this.levels ) throw invalidArgument( 'CulledInstancedMesh.copy: both must have the same levels of detail (got others). Use clone().' );
		if ( this.capacity !== source.capacity ) this.resize( source.capacity );

		super.copy( source, false );
		for ( const child of recursive ? source.children : [] ) if ( child !== source.viewers ) this.add( child.clone() );

		if ( this.instanceColor === null && source.instanceColor !== null ) this.rebuild();
		this.instances.copy( source.instances );
		this.count = source.count;
		this.culling = source.culling;
		this.boundingSphere = source.boundingSphere?.clone() ?? null;
		this.boundingBox = source.boundingBox?.clone() ?? null;
		return this;

	}

	/** Frees the buffers. Rendering it again makes them anew. */
	override dispose(): this {

		returnIndirect( this.geometry );
		this.views.dispose();
		this.instances.dispose();
		this.standIn.dispose();
		this.levels?.geometry.dispose();
		this.refusal = null;
		this.said = '';
		this.rebuild();
		return this;

	}

	/** @internal */
	cull( renderer: WebGPURenderer, camera: Camera, { frameId, isShadow, wireframe }: CullFrame ): void {

		returnIndirect( this.geometry ); // three may have left out what follows a draw
		if ( this.viewers.parent !== this ) this.add( this.viewers ); // cleared

		const viewer = this.viewers.viewerOf( renderer, camera, frameId, isShadow );

		try {

			checkGeometry( this.geometry );
			this.updateLocalBounds();
			this.world.value.copy( this.matrixWorld );

			const { culling, geometry } = this;
			const seen = this.views.open( renderer, camera, isShadow, frameId );
			this.instances.flush();
			this.instances.advance( renderer, frameId );

			// six faces of a point light are one camera
			if ( culling !== 'frozen' || isShadow || ! seen.hasLooked ) seen.look( renderer, camera, viewer, this.options.shadowLodBias ?? 0, culling !== 'off' );
			seen.run( renderer, { geometry, wireframe }, this.count, this.views.pattern );
			this.refusal = null;

		} catch ( error ) {

			this.refuse( renderer, inNameOf( 'CulledInstancedMesh', error ) as Error );

		}

	}

	/** Draws nothing, and says why: by an error out of `render()`, or once on the console where that can't be. */
	private refuse( renderer: WebGPURenderer, error: Error ): void {

		this.refusal = error;
		if ( throwAfterRender( renderer, this, error ) || error.message === this.said ) return;

		console.error( error );
		this.said = error.message;

	}

	/** @internal */
	bind( renderer: WebGPURenderer, camera: Camera ): void {

		if ( this.refusal !== null ) {

			lendNothing( renderer, this.geometry );
			return;

		}

		const seen = this.views.get( camera );
		if ( seen === undefined ) return;

		this.indexNode.value = seen.indices;
		if ( this.offsetNode !== null && seen.offsets !== null ) this.offsetNode.value = seen.offsets;
		lendIndirect( this.geometry, seen.draws.attribute, seen.offsetsOfDraws );

	}

	/** Called by three after each draw, also where it is left out because its pipeline is not there yet. */
	override onAfterRender(): void {

		returnIndirect( this.geometry );

	}

	/** @internal */
	unbind(): void {

		returnIndirect( this.geometry );

	}

	/** @internal */
	instance(): DrawnInstance {

		const { instances } = this;
		const index = asExpr( this.drawnIndex() as never ).toVar();

		return {
			matrix: instances.matrixNode.element( index ),
			previousMatrix: () => instances.previousMatrixNode.element( index ),
			color: instances.colorNode?.element( index ).xyz ?? null
		};

	}

	/**
	 * Index of the instance being drawn: through the camera's list.
	 *
	 * @internal
	 */
	drawnIndex(): unknown {

		if ( this.offsetNode === null ) return this.indexNode.element( instanceIndex );

		const level = asExpr( attribute( BUCKET_ATTRIBUTE, 'uint' ) );
		return this.indexNode.element( this.offsetNode.element( level ).add( instanceIndex ) );

	}

	private cullSource(): CullSource {

		const { options, levels, instances } = this;
		const shown = view( instances.shown, 'uint', 'shownInstances' ).toReadOnly();

		return {
			geometry: this.geometry, capacity: instances.capacity,
			sphere: instanceSphere( instances.matrices, this.world, this.localBounds ),
			isShown: i => shown.element( i.shiftRight( uint( 5 ) ) ).shiftRight( i.bitAnd( uint( 31 ) ) ).bitAnd( uint( 1 ) ).equal( 1 ),
			ranges: levels?.ranges ?? null,
			limits: { maxDistance: options.maxDistance, minPixels: options.minPixels, hysteresis: options.hysteresis, lodDistances: levels?.distances },
			evaluated: allocate( 'uint', instances.capacity ), policy: options.policy
		};

	}

	private updateLocalBounds(): void {

		const { geometry, localBounds } = this;
		if ( geometry.boundingSphere === null ) geometry.computeBoundingSphere();

		// bounds without end, or of vertices that are NaN, hold everything
		const { center, radius } = geometry.boundingSphere!;
		const isBounded = radius < BOUNDLESS && center.toArray().every( Number.isFinite );
		localBounds.centre.value.copy( isBounded ? center : ORIGIN );
		localBounds.radius.value = isBounded ? radius : BOUNDLESS;

	}

	private acceptGeometry( next: BufferGeometry ): BufferGeometry {

		if ( ( next as Partial<BufferGeometry> | null | undefined )?.isBufferGeometry !== true ) throw invalidArgument( `CulledInstancedMesh: geometry must be a BufferGeometry (got ${ describe( next ) }). Pass null to assign it later.` );
		if ( this.levels !== null && next !== this.levels.geometry ) throw invalidArgument( 'CulledInstancedMesh: geometry can\'t be replaced where there are levels of detail (got another). Make another mesh.' );
		this.forgetBounds();
		return next;

	}

	private acceptCount( next: number ): number {

		if ( ! Number.isInteger( next ) || next < 0 || next > this.capacity ) throw invalidArgument( `CulledInstancedMesh: count must be an integer from 0 to the capacity, ${ this.capacity } (got ${ describe( next ) }). Make room by resize().` );
		this.forgetBounds();
		return next;

	}

	/** They are computed anew when they are asked for. */
	private forgetBounds(): void {

		this.boundingSphere = this.boundingBox = null;

	}

	/** three builds the material anew for an object that it does not know. */
	private rebuild(): void {

		this.dispatchEvent( { type: 'dispose' } as never );
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
