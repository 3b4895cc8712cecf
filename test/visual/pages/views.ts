import { BundleGroup, DirectionalLight, MeshStandardNodeMaterial, OrthographicCamera, PerspectiveCamera, PointLight, type Camera } from 'three/webgpu';
import { color, reflector } from 'three/tsl';
import type { Stage } from './stage';

export interface View {

	camera: Camera;
	/** Called before all instances are drawn for comparison. */
	whole?: () => void;
	/** Undoes what was done to the stage. */
	leave?: () => void;

}

/** Cameras, lights and materials over the stage of `stage.ts`. */
export const VIEWS = {

	'inside': ( _stage: Stage, aspect: number ): View => ( { camera: perspective( aspect, [ 0, 1.5, 0 ], [ 9, 1, - 5 ] ) } ),
	'edge': ( _stage: Stage, aspect: number ): View => ( { camera: perspective( aspect, [ 23, 2, 23 ], [ 30, 1, - 10 ] ) } ),
	'above': ( _stage: Stage, aspect: number ): View => ( { camera: perspective( aspect, [ 2, 22, 4 ], [ 0, 0, 0 ] ) } ),
	'reversed depth': ( _stage: Stage, aspect: number ): View => ( { camera: perspective( aspect, [ - 12, 4, 12 ], [ 0, 0, 0 ] ) } ),

	'orthographic'( _stage: Stage, aspect: number ): View {

		const camera = new OrthographicCamera( - 6 * aspect, 6 * aspect, 6, - 6, 1, 30 );
		camera.position.set( 9, 9, 9 );
		camera.lookAt( 2, 0, - 1 );
		return { camera };

	},

	'two shadow lights'( { scene, sun }: Stage, aspect: number ): View {

		const second = new DirectionalLight( '#fc8', 2 );
		second.position.set( - 10, 9, - 3 );
		scene.add( second );
		for ( const light of [ sun, second ] ) castShadow( light );
		return {
			camera: perspective( aspect, [ - 4, 5, 9 ], [ 2, 0, - 4 ] ),
			leave() {

				scene.remove( second );
				sun.castShadow = false;

			},
		};

	},

	'point light'( { scene }: Stage, aspect: number ): View {

		const lamp = new PointLight( '#fda', 120 );
		lamp.position.set( 1, 4, - 1 );
		lamp.castShadow = true;
		lamp.shadow.mapSize.set( 256, 256 );
		scene.add( lamp );
		return { camera: perspective( aspect, [ - 5, 6, 7 ], [ 1, 1, - 1 ] ), leave: () => scene.remove( lamp ) };

	},

	'reflection'( { scene, ground }: Stage, aspect: number ): View {

		const mirror = reflector( { resolutionScale: 1 } );
		mirror.target.rotateX( - Math.PI / 2 );
		scene.add( mirror.target );
		const { material } = ground;
		ground.material = new MeshStandardNodeMaterial( { color: '#000' } );
		( ground.material as MeshStandardNodeMaterial ).emissiveNode = mirror.mul( color( '#bcd' ) );
		return {
			camera: perspective( aspect, [ 6, 1.2, 8 ], [ 0, 1, 0 ] ),
			leave() {

				scene.remove( mirror.target );
				ground.material = material;

			},
		};

	},

	'render bundle'( { scene, instances }: Stage, aspect: number ): View {

		const bundle = new BundleGroup();
		scene.add( bundle );
		bundle.add( instances );
		return {
			camera: perspective( aspect, [ 10, 3, - 6 ], [ - 6, 0, 2 ] ),
			// the recorded bundle against a plain render
			whole() {

				scene.add( instances );
				scene.remove( bundle );

			},
		};

	},

	'LOD colours'( { levelTint }: Stage, aspect: number ): View {

		levelTint.value = 1;
		return { camera: perspective( aspect, [ 14, 6, 14 ], [ 4, 0, 4 ] ), leave: () => ( levelTint.value = 0 ) };

	},

};

export type ViewName = keyof typeof VIEWS;

function perspective( aspect: number, from: [number, number, number], to: [number, number, number] ): PerspectiveCamera {

	const camera = new PerspectiveCamera( 60, aspect, 0.1, 100 );
	camera.position.set( ...from );
	camera.lookAt( ...to );
	return camera;

}

function castShadow( light: DirectionalLight ): void {

	light.castShadow = true;
	light.shadow.mapSize.set( 512, 512 );
	Object.assign( light.shadow.camera, { left: - 14, right: 14, top: 14, bottom: - 14, near: 1, far: 50 } );
	light.shadow.camera.updateProjectionMatrix();

}
