import {
	BufferAttribute, BufferGeometry, LineBasicNodeMaterial, LineSegments, Matrix4, Mesh, MeshBasicNodeMaterial, OrthographicCamera,
	PlaneGeometry, Vector3, type Camera, type ComputeNode, type Scene, type WebGPURenderer,
} from 'three/webgpu';
import { color, instanceIndex, positionGeometry, uniform, vec3, vec4 } from 'three/tsl';
import { CompactPass, IndirectDraws, VisibilityTest } from 'three-scan';
import type { Population } from './population';

const MAP_LAYER = 1;
const EDGES = [ 0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7 ]; // between corners: bit 0 is x, bit 1 y, bit 2 z
const ALTITUDE = 900;

/** A map in a corner of the window: the frustum of the viewer, and what is in it as dots, whichever way the picture itself is culled. */
export class Overview {

	private readonly frame = document.createElement( 'div' );
	private readonly camera = new OrthographicCamera( -1, 1, 1, -1, 1, 2 * ALTITUDE );
	private readonly outline = new LineSegments( new BufferGeometry(), new LineBasicNodeMaterial( { color: '#ffffff', fog: false, depthTest: false } ) );
	private readonly corners = new BufferAttribute( new Float32Array( 8 * 3 ), 3 );
	private readonly dotSize = uniform( 4 ); // metres
	private parts: { population: Population; test: VisibilityTest; compact: CompactPass }[] = [];
	private nodes: ComputeNode[] = [];

	constructor( private readonly scene: Scene ) {

		this.frame.className = 'map';
		document.body.append( this.frame );
		this.outline.geometry.setAttribute( 'position', this.corners );
		this.outline.geometry.setIndex( EDGES );
		this.outline.frustumCulled = false;
		this.outline.layers.set( MAP_LAYER );
		scene.add( this.outline );
		this.camera.layers.set( MAP_LAYER );
		this.camera.up.set( 0, 0, -1 );

	}

	async init( renderer: WebGPURenderer, populations: Population[] ): Promise<void> {

		this.parts = await Promise.all( populations.map( async ( population ) => {

			const geometry = new PlaneGeometry();
			const draws = new IndirectDraws( geometry );
			draws.attach();
			const test = new VisibilityTest( { spheres: population.spheres } );
			const compact = await new CompactPass( population.capacity, test.isVisible, { draws } ).init( renderer );
			this.scene.add( this.makeDots( population, compact, geometry ) );
			return { population, test, compact };

		} ) );
		this.nodes = this.parts.flatMap( ( { compact } ) => compact.nodes );

	}

	/** Remembers what a camera sees. */
	show( camera: Camera ): void {

		for ( const { test } of this.parts ) test.update( camera );
		_worldFromClip.multiplyMatrices( camera.matrixWorld, camera.projectionMatrixInverse );
		for ( let i = 0; i < 8; i++ ) {

			_corner.set( i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : 0 ).applyMatrix4( _worldFromClip );
			this.corners.setXYZ( i, _corner.x, _corner.y, _corner.z );

		}
		this.corners.needsUpdate = true;

	}

	set isShown( shown: boolean ) {

		this.frame.hidden = ! shown;

	}

	/** Draws the map, `reach` metres in each direction, into a square of the canvas (pixels from its top left corner). */
	render( renderer: WebGPURenderer, reach: number, left: number, top: number, size: number ): void {

		for ( const { population, compact } of this.parts ) compact.count = population.size;
		renderer.compute( this.nodes );

		Object.assign( this.camera, { left: -reach, right: reach, top: reach, bottom: -reach } );
		this.camera.position.set( 0, ALTITUDE, 0 );
		this.camera.lookAt( 0, 0, 0 );
		this.camera.updateProjectionMatrix();
		Object.assign( this.frame.style, { left: `${ left }px`, top: `${ top }px`, width: `${ size }px`, height: `${ size }px` } );
		this.dotSize.value = Math.max( 2, ( reach * 2.5 ) / size );
		const { width, height } = renderer.domElement.getBoundingClientRect();
		renderer.setViewport( left, top, size, size );
		renderer.setScissor( left, top, size, size );
		renderer.setScissorTest( true );
		renderer.autoClear = false;
		renderer.clearDepth();
		renderer.render( this.scene, this.camera );
		renderer.autoClear = true;
		renderer.setScissorTest( false );
		renderer.setViewport( 0, 0, width, height );

	}

	private makeDots( { kind, matrices }: Population, compact: CompactPass, geometry: BufferGeometry ): Mesh {

		const material = new MeshBasicNodeMaterial( { fog: false } );
		const place = matrices.element( compact.element( instanceIndex ) ).mul( vec4( 0, 0, 0, 1 ) );
		const { x, y } = positionGeometry;
		material.positionNode = place.xyz.add( vec3( x, 0, y.negate() ).mul( this.dotSize.mul( kind.name === 'tree' ? 1.8 : 1 ) ) ).add( vec3( 0, 3, 0 ) );
		material.colorNode = color( kind.dot );
		const dots = new Mesh( geometry, material );
		dots.frustumCulled = false;
		dots.layers.set( MAP_LAYER );
		return dots;

	}

}

const _worldFromClip = new Matrix4();
const _corner = new Vector3();
