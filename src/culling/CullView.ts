import { Vector2, Vector4, type BufferAttribute, type BufferGeometry, type Camera, type Mesh, type Node, type WebGPURenderer } from 'three/webgpu';
import { allocate, type StorageAttribute } from '../builder/buffers';
import { asExpr, asNode, uint, uniform, type Expr, type UniformExpr } from '../builder/tsl';
import { choose } from '../builder/wgsl';
import { CompactPass } from '../passes/CompactPass';
import type { PassOptions } from '../passes/ComputePass';
import { IndirectDraws } from '../passes/IndirectDraws';
import type { DrawRange } from '../passes/mergeGeometries';
import { PartitionPass } from '../passes/PartitionPass';
import type { KernelPolicy } from '../plan/policy';
import { MAX_EYES, eyesOf } from './eyes';
import type { VisibilityLimits } from './limits';
import { VisibilityTest } from './VisibilityTest';

/** What a mesh tells each of its views. */
export interface CullSource {

	readonly geometry: BufferGeometry;
	readonly capacity: number;
	/** World-space centre and radius of instance `i`; of radius −1e30 where there is nothing to draw. */
	readonly sphere: ( i: Node<'uint'> ) => Node<'vec4'>;
	/** Whether instance `i` is shown at all. */
	readonly isShown: ( i: Expr ) => Expr;
	/** One range a level; null draws the geometry as it is. */
	readonly ranges: DrawRange[] | null;
	readonly limits: VisibilityLimits;
	/** A word an instance, for each view in turn: a lane an instance reads matrices faster than the passes' kernels, which have many a lane. */
	readonly evaluated: StorageAttribute;
	readonly policy: PassOptions | undefined;

}

const viewport = new Vector4();
const size = new Vector2();

/** How a camera draws the mesh: what a shadow's or another override material does not take over from the mesh's own. */
export interface Drawn { geometry: BufferGeometry; wireframe: boolean }

/**
 * What one camera sees of a mesh: a visibility test, a pass over it, and draw records. 4 bytes an instance and a few bits; 4 more with hysteresis, and 4
 * more from five levels on.
 */
export class CullView {

	readonly draws: IndirectDraws;
	/** Where each level's record begins, for `geometry.setIndirect()`. */
	readonly offsetsOfDraws: number[];
	/** The indices of the visible instances, level after level. */
	readonly indices: StorageAttribute;
	/** Frame of the last run. */
	lastFrame = 0;
	/** Whether it has taken a camera's view. */
	hasLooked = false;

	private pass: CompactPass | PartitionPass;
	private readonly drawn: { isMesh: true; geometry: BufferGeometry; material: { wireframe: boolean } };
	private readonly test: VisibilityTest;
	private readonly bias: UniformExpr<number>;

	constructor( private readonly source: CullSource, private readonly isShadow: boolean ) {

		const { capacity, sphere, ranges, limits, geometry } = source;

		// a shadow's camera has pixels of its own: what is small there may be large in the picture
		this.test = new VisibilityTest( { spheres: sphere, ...limits, ...( isShadow && { minPixels: 0 } ), capacity } );
		this.bias = uniform( 0, 'uint' );
		this.drawn = { isMesh: true, geometry, material: { wireframe: false } };
		const target = this.drawn as unknown as Mesh;
		this.draws = ranges === null ? new IndirectDraws( target ) : IndirectDraws.forRanges( target, ranges );
		this.offsetsOfDraws = Array.from( { length: this.draws.length }, ( _, k ) => this.draws.byteOffset( k ) );
		this.indices = allocate( 'uint', capacity );
		this.pass = this.makePass();

	}

	private makePass(): CompactPass | PartitionPass {

		const { capacity, isShown, evaluated, policy } = this.source;
		const options = { name: 'CulledInstancedMesh', ...policy, draws: this.draws, indices: this.indices, evaluated };
		const levels = this.test.levelCount;

		if ( levels === 1 ) return new CompactPass( capacity, i => asNode( asExpr( this.test.isVisible( i ) ).and( isShown( asExpr( i ) ) ) ), options );

		return new PartitionPass( capacity, levels, i => {

			const level = asExpr( this.test.lodOf( i ) ).toVar();
			const drawn = level.lessThan( levels ).and( isShown( asExpr( i ) ) );
			return asNode( choose( 'uint', drawn, level.add( this.bias ).min( uint( levels - 1 ) ), uint( levels ) ) );

		}, options );

	}

	/** Compiles the pass with the kernel that suits the device. */
	init( renderer: WebGPURenderer ): Promise<unknown> {

		return this.pass.init( renderer );

	}

	/** Makes the pass anew, for another kernel. What the view has seen stays. */
	renew(): void {

		this.pass.dispose();
		this.pass = this.makePass();

	}

	/** Where each level begins; null with one level. */
	get offsets(): BufferAttribute | null {

		return 'offsets' in this.pass ? this.pass.offsets : null;

	}

	get policy(): Readonly<KernelPolicy> {

		return this.pass.policy;

	}

	/** Takes what the camera sees now. Distances begin at the viewer: a shadow takes its levels from there. All is visible unless `isCulling`. */
	look( renderer: WebGPURenderer, camera: Camera, viewer: Camera, lodBias: number, isCulling: boolean ): void {

		const target = renderer.getRenderTarget();
		if ( target === null ) renderer.getViewport( viewport ).multiplyScalar( renderer.getPixelRatio() );
		else viewport.copy( target.viewport );

		this.bias.value = this.isShadow ? lodBias : 0;

		// more eyes than a test unites: all is drawn, in the levels of the first
		const eyes = eyesOf( camera );
		const isMany = eyes.length > MAX_EYES;
		this.test.enabled = isCulling && ! isMany;
		this.test.setView( isMany ? eyes[ 0 ] : camera, size.set( viewport.z, viewport.w ), viewer === camera ? undefined : viewer );
		this.hasLooked = true;

	}

	/** @param like - Whose kernel to take, where it is not readied yet. */
	run( renderer: WebGPURenderer, { geometry, wireframe }: Drawn, count: number, like: CullView | null ): void {

		this.drawn.geometry = geometry;
		this.drawn.material.wireframe = wireframe;

		this.pass.initNow( renderer, like?.pass );
		if ( this.pass.count !== count ) this.pass.count = count;
		renderer.compute( this.pass.nodes );

	}

	/** One count a level. */
	readCounts( renderer: WebGPURenderer ): Promise<number[]> {

		return this.draws.readCounts( renderer );

	}

	dispose(): void {

		this.pass.dispose();
		this.indices.dispose();
		this.draws.dispose();
		this.test.dispose();

	}

}
