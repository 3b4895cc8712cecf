import { Node, type Camera, type Material, type NodeBuilder, type Object3D, type WebGPURenderer } from 'three/webgpu';
import { Fn } from 'three/tsl';
import { asExpr, normalLocal, positionLocal, positionPrevious, transformNormal, varyingProperty, vec4, type Expr } from '../builder/tsl';
import { describe, invalidArgument } from '../errors';

/** A mesh that culls itself, as its material sees it. */
export interface SelfCulling extends Object3D {

	readonly isCulledInstancedMesh: true;
	/** Runs the culling for a camera, before the draw is recorded. */
	cull( renderer: WebGPURenderer, camera: Camera, frameId: number ): void;
	/** Binds a camera's buffers for the draw, and unbinds them after it. */
	bind( camera: Camera ): void;
	unbind(): void;
	/** Matrix and colour of the instance being drawn. */
	instance(): { matrix: Expr; color: Expr | null };

}

interface Frame { renderer: WebGPURenderer; camera: Camera; object: Object3D; frameId: number }

function selfCulling( object: Object3D ): SelfCulling | null {

	return ( object as Partial<SelfCulling> ).isCulledInstancedMesh === true ? object as SelfCulling : null;

}

/**
 * The node through which three calls: once per object and render before the draw is recorded (nested shadows have their own render), again
 * right before binding, and after the draw. A mesh that shares the geometry is then drawn as if nothing had been.
 */
class CullNode extends Node {

	static get type(): string {

		return 'ThreeScanCull';

	}

	constructor() {

		super( 'void' );
		this.updateBeforeType = 'render';
		this.updateType = 'object';
		this.updateAfterType = 'object';

	}

	override isCacheable(): boolean {

		return false;

	}

	override updateReference( frame: unknown ): unknown {

		return ( frame as Frame ).object;

	}

	override updateBefore( frame: unknown ): undefined {

		const { renderer, camera, object, frameId } = frame as Frame;
		selfCulling( object )?.cull( renderer, camera, frameId );

	}

	override update( frame: unknown ): undefined {

		const { object, camera } = frame as Frame;
		selfCulling( object )?.bind( camera );

	}

	override updateAfter( frame: unknown ): undefined {

		selfCulling( ( frame as Frame ).object )?.unbind();

	}

	override generate(): string {

		return '';

	}

}

const cullNode = new CullNode();
/** The position nodes made here: a cloned material has one already. */
const made = new WeakSet<object>();

type WrappedMaterial = Material & { positionNode?: Node | null; vertexNode?: Node | null; castShadowPositionNode?: Node | null };

/** Refuses what a culled instance can't be drawn with. */
export function checkMaterial( material: unknown ): void {

	if ( Array.isArray( material ) ) throw invalidArgument( 'CulledInstancedMesh: material must be one material (got an array). Split the mesh, or merge the geometries.' );

	if ( ( material as Partial<Material> | null | undefined )?.isMaterial !== true ) throw invalidArgument( `CulledInstancedMesh: material must be a material (got ${ describe( material ) }).` );

	const { vertexNode, castShadowPositionNode } = material as WrappedMaterial;
	if ( vertexNode ) throw invalidArgument( 'CulledInstancedMesh: material.vertexNode replaces the position that places the instances (got one). Use positionNode.' );
	if ( castShadowPositionNode ) throw invalidArgument( 'CulledInstancedMesh: material.castShadowPositionNode replaces the position that places the instances (got one). Use positionNode.' );

}

/**
 * Makes a material place the instances of the meshes that cull themselves, in front of its own `positionNode`. For any other mesh
 * it stays as it was.
 */
export function wrapMaterial( material: Material ): void {

	const target = material as WrappedMaterial;
	if ( target.positionNode && made.has( target.positionNode ) ) return;

	const own = target.positionNode ?? null;

	const position = Fn( ( builder: NodeBuilder ) => {

		const mesh = selfCulling( builder.object );
		if ( mesh !== null ) place( builder, mesh );
		return own ?? positionLocal;

	} ) as unknown as () => Node;

	target.positionNode = position();
	made.add( target.positionNode );
	material.needsUpdate = true;

}

function place( builder: NodeBuilder, mesh: SelfCulling ): void {

	// two meshes may share a material, not a build: without this, those with count ≤ 1 would
	( builder as unknown as { objectSpecific: boolean } ).objectSpecific = true;
	asExpr( cullNode ).toStack();

	const { matrix, color } = mesh.instance();
	const placed = matrix.toVar();

	positionLocal.assign( placed.mul( vec4( positionLocal, 1 ) ).xyz );
	if ( ( builder as unknown as { needsPreviousData(): boolean } ).needsPreviousData() ) positionPrevious.assign( placed.mul( vec4( positionPrevious, 1 ) ).xyz );
	if ( builder.geometry.hasAttribute( 'normal' ) ) normalLocal.assign( transformNormal( normalLocal, placed ) );
	if ( color !== null ) varyingProperty( 'vec3', 'vInstanceColor' ).assign( color );

}
