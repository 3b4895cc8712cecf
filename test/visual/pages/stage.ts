import {
	BufferAttribute, Color, DirectionalLight, Euler, HemisphereLight, Matrix4, Mesh, MeshStandardNodeMaterial, PlaneGeometry, Quaternion, Scene,
	TorusKnotGeometry, Vector3, type BufferGeometry,
} from 'three/webgpu';
import { attribute, color, materialColor, mix, uniform } from 'three/tsl';
import { CulledInstancedMesh } from 'three-scan';
import { hash as random } from '../../../examples/shared/random';

const COUNT = 600;
const EXTENT = 24; // metres, in each direction

export interface Stage {

	scene: Scene;
	instances: CulledInstancedMesh;
	ground: Mesh;
	sun: DirectionalLight;
	/** 1 shows the levels of detail. */
	levelTint: { value: number };

}

/** Knots in three levels of detail and in every colour, strewn over and above a floor. */
export function makeStage(): Stage {

	const scene = new Scene();
	scene.background = new Color( '#9ab' );

	const levelTint = uniform( 0 );
	const material = new MeshStandardNodeMaterial( { roughness: 0.7 } );
	const level = attribute<'float'>( 'level', 'float' );
	const levelColor = mix( mix( color( '#0f0' ), color( '#ff0' ), level.clamp( 0, 1 ) ), color( '#f00' ), level.sub( 1 ).clamp( 0, 1 ) );
	material.colorNode = mix( materialColor, levelColor, levelTint );

	const lods = [ 48, 20, 9 ].map( ( segments, k ) => ( { geometry: knot( segments, k ), distance: [ 0, 8, 18 ][ k ] } ) );
	const instances = new CulledInstancedMesh( lods, material, COUNT );
	instances.castShadow = instances.receiveShadow = true;

	for ( let i = 0; i < COUNT; i ++ ) {

		const at = new Vector3( random( i, 1 ) * 2 - 1, random( i, 2 ) ** 2 * 0.3, random( i, 3 ) * 2 - 1 ).multiplyScalar( EXTENT );
		const turn = new Quaternion().setFromEuler( new Euler( random( i, 4 ) * 6, random( i, 5 ) * 6, 0 ) );
		instances.setMatrixAt( i, new Matrix4().compose( at.setY( at.y + 0.7 ), turn, new Vector3().setScalar( 0.3 + random( i, 6 ) * 0.6 ) ) );
		instances.setColorAt( i, new Color().setHSL( random( i, 7 ), 0.8, 0.5 ) );

	}

	const ground = new Mesh( new PlaneGeometry( EXTENT * 2.5, EXTENT * 2.5 ).rotateX( - Math.PI / 2 ), new MeshStandardNodeMaterial( { color: '#8a8', roughness: 1 } ) );
	ground.receiveShadow = true;

	const sun = new DirectionalLight( '#fff', 2 );
	sun.position.set( 8, 14, 5 );
	scene.add( instances, ground, sun, new HemisphereLight( '#cdf', '#453', 1 ) );
	return { scene, instances, ground, sun, levelTint };

}

function knot( segments: number, level: number ): BufferGeometry {

	const geometry = new TorusKnotGeometry( 0.6, 0.22, segments, Math.max( 3, segments / 6 ) );
	geometry.setAttribute( 'level', new BufferAttribute( new Float32Array( geometry.attributes.position.count ).fill( level ), 1 ) );
	return geometry;

}
