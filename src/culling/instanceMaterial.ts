import type { Camera, Material, Node, NodeBuilder, Object3D, WebGPURenderer } from 'three/webgpu';
import { Fn } from 'three/tsl';
import { OwnNode } from '../builder/OwnNode';
import { asExpr, normalLocal, positionLocal, positionPrevious, transformNormal, varyingProperty, vec4, type Expr } from '../builder/tsl';
import { describe, invalidArgument } from '../errors';
import { shaderBuilder } from '../three-types';
import { watch } from '../watch';

/** What is known of a render. */
export interface CullFrame { frameId: number; isShadow: boolean; wireframe: boolean }

/** The instance being drawn, in its shader. */
export interface DrawnInstance { matrix: Expr; previousMatrix: () => Expr; color: Expr | null }

/** A mesh that culls itself, as its material sees it. */
export interface SelfCulling extends Object3D {

	readonly isCulledInstancedMesh: true;
	/** Runs the culling for a camera or a shadow's, before the draw is recorded. */
	cull( renderer: WebGPURenderer, camera: Camera, frame: CullFrame ): void;
	/** Binds a camera's buffers for the draw, and unbinds them after it. */
	bind( renderer: WebGPURenderer, camera: Camera ): void;
	unbind(): void;
	/** Index of the instance being drawn. */
	drawnIndex(): unknown;
	instance(): DrawnInstance;

}

interface Frame { renderer: WebGPURenderer; camera: Camera; object: Object3D; material: Material & { isShadowPassMaterial?: boolean; wireframe?: boolean }; frameId: number }

/** The mesh that a shader is built for, or is drawn, if it culls itself. */
export function selfCulling( object: Object3D ): SelfCulling | null {

	return ( object as Partial<SelfCulling> ).isCulledInstancedMesh === true ? object as SelfCulling : null;

}

/**
 * The node through which three calls: once per object and render before the draw is recorded (nested shadows have their own render), again
 * right before binding, and after the draw. A mesh that shares the geometry is then drawn as if nothing had been.
 */
class CullNode extends OwnNode {

	static get type(): string {

		return 'ThreeScanCull';

	}

	constructor() {

		super( 'void' );
		this.updateBeforeType = 'render';
		this.updateType = 'object';
		this.updateAfterType = 'object';

	}

	override updateReference( frame: unknown ): unknown {

		return ( frame as Frame ).object;

	}

	override updateBefore( frame: unknown ): undefined {

		const { renderer, camera, object, material, frameId } = frame as Frame;
		selfCulling( object )?.cull( renderer, camera, { frameId, isShadow: material.isShadowPassMaterial === true, wireframe: material.wireframe === true } );

	}

	override update( frame: unknown ): undefined {

		const { renderer, object, camera } = frame as Frame;
		selfCulling( object )?.bind( renderer, camera );

	}

	override updateAfter( frame: unknown ): undefined {

		selfCulling( ( frame as Frame ).object )?.unbind();

	}

	override generate(): string {

		return '';

	}

}

const cullNode = new CullNode();
/** The position nodes made here, and the user's own within: a cloned material has one already. */
const made = new WeakMap<object, Node | null>();
const watched = new WeakSet<Material>();
/** Shaders in which the instance has been placed: the user's own node may be made of one that was made here. */
const placed = new WeakSet<object>();

/**
 * Makes a material place the instances of the meshes that cull themselves, in front of its own `positionNode`, whenever that is assigned. For any other
 * mesh it stays as it was. Refuses what a culled instance can't be drawn with.
 */
export function acceptMaterial( material: Material | Material[] ): Material {

	if ( Array.isArray( material ) ) throw invalidArgument( 'CulledInstancedMesh: material must be one material (got an array). Split the mesh, or merge the geometries.' );
	if ( ( material as Partial<Material> | null | undefined )?.isMaterial !== true ) throw invalidArgument( `CulledInstancedMesh: material must be a material (got ${ describe( material ) }). Pass null to assign it later.` );

	if ( ( material as { isShaderMaterial?: boolean; isNodeMaterial?: boolean } ).isShaderMaterial === true && ! ( material as { isNodeMaterial?: boolean } ).isNodeMaterial ) throw invalidArgument( 'CulledInstancedMesh: material must be one that three builds from nodes (got a ShaderMaterial). Use a NodeMaterial.' );

	if ( watched.has( material ) ) return material;

	for ( const property of [ 'vertexNode', 'castShadowPositionNode' ] ) watch( material, property, ( node: unknown ) => {

		if ( node ) throw invalidArgument( `CulledInstancedMesh: material.${ property } replaces the position that places the instances (got one). Use positionNode.` );
		return node;

	} );

	watch( material, 'positionNode', ( own: Node | null | undefined ) => {

		material.needsUpdate = true;
		return placing( own ?? null );

	} );

	watched.add( material );
	return material;

}

function placing( node: Node | null ): Node {

	const own = node !== null && made.has( node ) ? made.get( node )! : node;

	const position = Fn( ( builder: NodeBuilder ) => {

		const mesh = selfCulling( builder.object );
		if ( mesh !== null ) place( builder, mesh );
		return own ?? positionLocal;

	} ) as unknown as () => Node;

	const wrapped = position();
	made.set( wrapped, own );
	return wrapped;

}

function place( builder: NodeBuilder, mesh: SelfCulling ): void {

	const shader = shaderBuilder( builder ).codes;
	if ( placed.has( shader ) ) return;
	placed.add( shader );

	// two meshes may share a material, not a build: without this, those with count ≤ 1 would
	( builder as unknown as { objectSpecific: boolean } ).objectSpecific = true;
	asExpr( cullNode ).toStack();

	const { matrix, previousMatrix, color } = mesh.instance();
	const at = matrix.toVar();

	positionLocal.assign( at.mul( vec4( positionLocal, 1 ) ).xyz );
	if ( ( builder as unknown as { needsPreviousData(): boolean } ).needsPreviousData() ) positionPrevious.assign( previousMatrix().mul( vec4( positionPrevious, 1 ) ).xyz );
	if ( builder.geometry.hasAttribute( 'normal' ) ) normalLocal.assign( transformNormal( normalLocal, at ) );
	if ( color !== null ) varyingProperty( 'vec3', 'vInstanceColor' ).assign( color );

}
