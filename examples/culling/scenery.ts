/** The valley itself: ground, sky, haze and light. */
import {
	Color, HemisphereLight, Mesh, MeshLambertNodeMaterial, Scene, Vector3, type Node,
} from 'three/webgpu';
import {
	cameraPosition, color, float, fog, hash, mix, mx_fractal_noise_float, mx_noise_float, normalWorld, normalWorldGeometry, positionWorld,
	smoothstep, uniform, vec2, vec3,
} from 'three/tsl';
import type { Terrain } from './terrain';

export const SUN = new Vector3( -0.62, 0.5, -0.7 ).normalize();
export const SUNLIGHT = new Color( '#ffd9a0' );

export function makeScenery( terrain: Terrain ): Scene {

	const scene = new Scene();
	const ground = new Mesh( terrain.geometry, groundMaterial() );
	ground.layers.enableAll();
	ground.receiveShadow = true;

	const bounce = new HemisphereLight( '#bcd3ea', '#8a8a4a', 1.6 );
	bounce.layers.enableAll();
	scene.add( ground, bounce );

	const toEye = cameraPosition.sub( positionWorld );
	const distance = toEye.length();
	const towards = toEye.div( distance ).negate();
	const horizon = vec3( towards.x, towards.y.max( 0.015 ), towards.z ).normalize();
	// a map seen from far above stays clear
	const haze = uniform( 1 ).onRenderUpdate( ( { camera } ) => ( camera !== null && 'isOrthographicCamera' in camera ? 0 : 1 ) );
	const valley = smoothstep( 90, -10, positionWorld.y ).mul( 0.55 ).add( 0.45 );
	const thickness = distance.mul( valley ).mul( 1 / 620 ).pow( 1.35 ).negate().exp().oneMinus();
	scene.fogNode = fog( air( horizon ), thickness.mul( haze ) );
	scene.backgroundNode = sky( normalWorldGeometry );
	return scene;

}

/** The colour of the air in a direction: blue above, pale at the horizon, gold around the sun. */
function air( direction: Node<'vec3'> ): Node<'vec3'> {

	const nearSun = direction.dot( vec3( SUN ) ).max( 0 );
	const altitude = direction.y.max( 0 );
	const pale = mix( color( '#c3d3e2' ), color( '#ffe2b4' ), nearSun.pow( 3 ) );
	const height = altitude.mul( 2.6 ).negate().exp();
	return mix( color( '#3f7fc4' ), pale, height ).add( color( '#ffb35c' ).mul( nearSun.pow( 9 ).mul( 0.32 ) ) );

}

function sky( direction: Node<'vec3'> ): Node<'vec3'> {

	const onPlane = direction.xz.div( direction.y.max( 0.04 ).add( 0.12 ) );
	const billows = mx_fractal_noise_float( onPlane.mul( vec2( 0.9, 1.5 ) ).add( 3.7 ), 5 );
	const clouds = smoothstep( 0.08, 0.62, billows ).mul( smoothstep( 0.02, 0.2, direction.y ) ).mul( 0.75 );
	const nearSun = direction.dot( vec3( SUN ) ).max( 0 );
	const disc = color( '#fff0cf' ).mul( smoothstep( 0.9993, 0.9997, nearSun ).mul( 6 ).add( nearSun.pow( 350 ).mul( 0.9 ) ) );
	const lit = mix( color( '#f4f1ee' ), color( '#ffd7a3' ), nearSun.pow( 4 ) ).mul( nearSun.pow( 6 ).mul( 0.4 ).add( 1 ) );
	return mix( air( direction ).add( disc ), lit, clouds );

}

function groundMaterial(): MeshLambertNodeMaterial {

	const place = positionWorld.xz;
	const distance = cameraPosition.distance( positionWorld );
	const patches = mx_noise_float( place.mul( 0.011 ) ).mul( 0.5 ).add( 0.5 );
	const tufts = mx_noise_float( place.mul( 0.16 ) );
	const clumps = mx_noise_float( place.mul( 1.1 ) ).mul( smoothstep( 120, 25, distance ) );
	const blades = mx_fractal_noise_float( place.mul( 6 ), 3 ).mul( smoothstep( 45, 6, distance ) );
	const meadow = mix( color( '#4d6f2b' ), color( '#97a046' ), smoothstep( 0.25, 0.8, patches.add( tufts.mul( 0.12 ) ) ) );
	const dry = mix( meadow, color( '#bb9f5a' ), smoothstep( 15, 75, positionWorld.y.add( tufts.mul( 8 ) ) ).mul( 0.55 ) );
	const bare = mix( color( '#7a6a4d' ), dry, smoothstep( 0.78, 0.93, normalWorld.y ) );
	const grass = bare.mul( float( 1 ).add( tufts.mul( 0.1 ) ).add( clumps.mul( 0.16 ) ).add( blades.mul( 0.3 ) ) );
	const material = new MeshLambertNodeMaterial();
	material.colorNode = mix( grass, color( '#fdf6dc' ), flowers( place ).mul( smoothstep( 60, 15, distance ) ) );
	return material;

}

/** A small round flower in a few of the cells of a grid. */
function flowers( place: Node<'vec2'> ): Node<'float'> {

	const scaled = place.mul( 2.5 );
	const cell = scaled.floor();
	const seed = cell.x.mul( 157 ).add( cell.y.mul( 4099 ) ).add( 2e7 ); // whole and positive
	const middle = cell.add( vec2( hash( seed ), hash( seed.add( 1 ) ) ).mul( 0.7 ).add( 0.15 ) );
	const radius = smoothstep( 0.86, 1, hash( seed.add( 2 ) ) ).mul( 0.11 );
	return radius.sub( scaled.distance( middle ) ).mul( 40 ).clamp( 0, 0.9 );

}
