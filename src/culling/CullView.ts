import { Vector2, Vector4, type Camera, type WebGPURenderer } from 'three/webgpu';
import { allocate, type StorageAttribute } from '../builder/buffers';
import { asExpr, asNode, uint, uniform, type Expr, type UniformExpr } from '../builder/tsl';
import { choose } from '../builder/wgsl';
import { CompactPass } from '../passes/CompactPass';
import { IndirectDraws } from '../passes/IndirectDraws';
import type { DrawRange } from '../passes/mergeGeometries';
import type { PassOptions } from '../passes/ComputePass';
import type { KernelPolicy } from '../plan/policy';
import { PartitionPass } from '../passes/PartitionPass';
import type { BufferAttribute, Mesh, Node } from 'three/webgpu';
import type { VisibilityLimits } from './limits';
import { VisibilityTest } from './VisibilityTest';

/** What a mesh tells each of its views. */
export interface CullSource {

	readonly mesh: Mesh;
	readonly capacity: number;
	/** World-space centre and radius of instance `i`; a radius below 0 is never seen. */
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

/**
 * What one camera sees of a mesh: a visibility test, a pass over it, and draw records. About 4 bytes an instance (and a bit of mask; with levels a few more
 * bits), and 20 bytes a level.
 */
export class CullView {

	readonly draws: IndirectDraws;
	/** The indices of the visible instances, level after level. */
	readonly indices: StorageAttribute;
	/** Frame of the last run. */
	lastFrame = 0;

	/** Whether it has taken a camera's view. */
	hasLooked = false;

	private pass: CompactPass | PartitionPass;
	private readonly test: VisibilityTest;
	private readonly bias: UniformExpr<number>;

	constructor( private readonly source: CullSource, private readonly isShadow: boolean ) {

		const { capacity, sphere, ranges, limits, mesh } = source;

		// a shadow's camera has pixels of its own: what is small there may be large in the picture
		this.test = new VisibilityTest( { spheres: sphere, ...limits, ...( isShadow && { minPixels: 0 } ), capacity } );
		this.bias = uniform( 0, 'uint' );
		this.draws = ranges === null ? new IndirectDraws( mesh ) : IndirectDraws.forRanges( mesh, ranges );
		this.indices = allocate( 'uint', capacity );
		this.pass = this.makePass();

	}

	private makePass(): CompactPass | PartitionPass {

		const { capacity, isShown, evaluated, policy } = this.source;
		const options = { ...policy, name: 'CulledInstancedMesh', draws: this.draws, indices: this.indices, evaluated };
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

	set enabled( enabled: boolean ) {

		this.test.enabled = enabled;

	}

	/** Takes what the camera sees now. Distances begin at the viewer: a shadow takes its levels from there. */
	look( renderer: WebGPURenderer, camera: Camera, viewer: Camera, lodBias: number ): void {

		const target = renderer.getRenderTarget();
		if ( target === null ) renderer.getViewport( viewport ).multiplyScalar( renderer.getPixelRatio() );
		else viewport.copy( target.viewport );

		this.bias.value = this.isShadow ? lodBias : 0;
		this.test.setView( camera, size.set( viewport.z, viewport.w ), viewer === camera ? undefined : viewer );
		this.hasLooked = true;

	}

	run( renderer: WebGPURenderer, count: number, like: CullView | null ): void {

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
