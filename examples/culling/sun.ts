import { DirectionalLight, Vector3, type Camera, type Scene } from 'three/webgpu';
import { SUN, SUNLIGHT } from './scenery';

/** The sun, whose shadows reach some metres around what the viewer looks at. */
export class Sun {

	private readonly light = new DirectionalLight( SUNLIGHT, 3.4 );

	private readonly reach: number;
	private readonly size: number;

	/** @param size - Of the shadow map, in texels. */
	constructor( scene: Scene, { reach, size }: { reach: number; size: number } ) {

		const { light } = this;
		this.reach = reach;
		this.size = size;
		light.castShadow = true;
		light.layers.enableAll();
		light.shadow.mapSize.set( size, size );
		light.shadow.normalBias = 0.06;
		light.shadow.bias = - 0.0006;
		light.shadow.radius = 2;
		Object.assign( light.shadow.camera, { left: - reach, right: reach, top: reach, bottom: - reach, near: 1, far: reach * 4 } );
		scene.add( light, light.target );

	}

	follow( viewer: Camera ): void {

		const { target, position } = this.light;
		viewer.getWorldDirection( _ahead ).setY( 0 ).normalize();
		target.position.copy( viewer.position ).addScaledVector( _ahead, this.reach * 0.72 );
		this.snap( target.position );
		position.copy( target.position ).addScaledVector( SUN, this.reach * 2 );
		target.updateMatrixWorld();

	}

	/** Whole texels, or the edges of shadows would crawl as the viewer moves. */
	private snap( point: Vector3 ): void {

		const texel = this.reach * 2 / this.size;
		for ( const axis of [ _right, _up ] ) point.addScaledVector( axis, Math.round( point.dot( axis ) / texel ) * texel - point.dot( axis ) );

	}

}

const _ahead = new Vector3();
const _right = new Vector3( 0, 1, 0 ).cross( SUN ).normalize(); // the axes of the shadow's picture
const _up = SUN.clone().cross( _right );
