import {
	BufferAttribute, BufferGeometry, LineBasicNodeMaterial, LineSegments, Matrix4, OrthographicCamera, Vector3, type Camera, type Scene,
	type WebGPURenderer,
} from 'three/webgpu';
import { dotSize, MAP_LAYER } from './looks';

const EDGES = [ 0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7 ]; // between corners: bit 0 is x, bit 1 y, bit 2 z
const ALTITUDE = 900;

/** A map in a corner of the window: the frustum that culls, and the survivors as dots. */
export class Overview {

	private readonly frame = document.createElement( 'div' );
	private readonly camera = new OrthographicCamera( -1, 1, 1, -1, 1, 2 * ALTITUDE );
	private readonly outline = new LineSegments( new BufferGeometry(), new LineBasicNodeMaterial( { color: '#ffffff', fog: false, depthTest: false } ) );
	private readonly corners = new BufferAttribute( new Float32Array( 8 * 3 ), 3 );

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

	/** Remembers the frustum of a camera: of the one that culls. */
	show( camera: Camera ): void {

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

		Object.assign( this.camera, { left: -reach, right: reach, top: reach, bottom: -reach } );
		this.camera.position.set( 0, ALTITUDE, 0 );
		this.camera.lookAt( 0, 0, 0 );
		this.camera.updateProjectionMatrix();
		Object.assign( this.frame.style, { left: `${ left }px`, top: `${ top }px`, width: `${ size }px`, height: `${ size }px` } );
		dotSize.value = Math.max( 2.5, ( reach * 3 ) / size );
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

}

const _worldFromClip = new Matrix4();
const _corner = new Vector3();
