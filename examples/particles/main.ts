/**
 * A whirl of sparks. A compute node moves them, and lets them be born and die; `CompactPass` keeps those alive and in
 * view, and writes their number into the one draw. The CPU learns it only to show it.
 */
import {
	ACESFilmicToneMapping, AdditiveBlending, Mesh, PerspectiveCamera, PlaneGeometry, Scene, SpriteNodeMaterial, WebGPURenderer,
} from 'three/webgpu';
import { color, float, Fn, hash, If, instancedArray, instanceIndex, mix, screenUV, smoothstep, uniform, uv, vec2, vec3, vec4 } from 'three/tsl';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { CompactPass, IndirectDraws } from 'three-scan';
import { FrustumPlanes } from '../shared/frustum';
import { fit, isTest, parameter, shown, start, type Report } from '../shared/page';
import { addPanel, settings } from './panel';
import { glow, wind } from './whirl';

const COUNTS = { desktop: 1_000_000, modest: 200_000, software: 20_000 };
const TEST_COUNT = 50_000;
const ARMS = 7; // of the spiral on which they are born
const REST = 1; // seconds, at most, between a death and the next birth
const STEP = 1 / 60;

start( async ( adapter ) => {

	const count = Math.max( Math.floor( parameter( 'count', isTest ? TEST_COUNT : COUNTS[ adapter.kind ] ) ), 1 );
	const renderer = new WebGPURenderer();
	renderer.toneMapping = ACESFilmicToneMapping;
	await renderer.init();
	const scene = new Scene();
	const camera = new PerspectiveCamera( 50, 1, 0.05, 60 );
	fit( renderer, camera );

	// Move

	const sparks = instancedArray( count, 'vec4' ); // position; age in seconds, negative before birth
	const motions = instancedArray( count, 'vec4' ); // velocity; length of life
	const frame = uniform( 0, 'uint' );
	const time = frame.toFloat().mul( STEP );
	const spark = sparks.element( instanceIndex );
	const motion = motions.element( instanceIndex );

	const scatter = Fn( () => {

		const life = hash( instanceIndex ).mul( 6 ).add( 2.5 );
		const wait = hash( instanceIndex.add( count ) ).mul( life.add( REST ) );
		spark.assign( vec4( 0, 0, 0, wait.negate() ) );
		motion.assign( vec4( 0, 0, 0, life ) );

	} )().compute( count ).setName( 'Scatter' );

	const move = Fn( () => {

		const age = spark.w.add( STEP ).toVar();
		const seed = instanceIndex.add( frame.mul( 7919 ) );
		If( age.greaterThan( motion.w ), () => {

			age.assign( hash( seed ).mul( - REST ) ); // death

		} ).ElseIf( age.greaterThanEqual( 0 ).and( spark.w.lessThan( 0 ) ), () => {

			const arm = hash( seed ).pow( 3 ).mul( 0.8 ).add( instanceIndex.mod( ARMS ).toFloat() );
			const angle = arm.mul( 2 * Math.PI / ARMS ).sub( time.mul( 0.4 ) );
			const distance = hash( seed.add( 1 ) ).mul( 1.25 ).add( 0.1 );
			spark.xyz.assign( vec3( angle.cos().mul( distance ), hash( seed.add( 2 ) ).mul( 0.04 ), angle.sin().mul( distance ) ) );
			motion.xyz.assign( vec3( 0 ) );

		} ).ElseIf( age.greaterThan( 0 ), () => {

			motion.xyz.assign( mix( motion.xyz, wind( spark.xyz, time ), 0.06 ) );
			spark.xyz.addAssign( motion.xyz.mul( STEP ) );

		} );
		spark.w.assign( age );

	} )().compute( count ).setName( 'Move' );

	// Compact

	const quad = new PlaneGeometry();
	const draws = new IndirectDraws( quad );
	draws.attach();
	const frustum = new FrustumPlanes();
	const compact = new CompactPass( count, ( i ) => {

		const { xyz, w } = sparks.element( i );
		return w.greaterThanEqual( 0 ).and( frustum.touches( xyz, float( 0.03 ) ) );

	}, { draws } );
	await compact.init( renderer );

	// Draw

	const index = compact.element( instanceIndex );
	const drawn = sparks.element( index );
	const age = drawn.w.div( motions.element( index ).w );
	const material = new SpriteNodeMaterial( { blending: AdditiveBlending, depthWrite: false } );
	material.positionNode = drawn.xyz;
	material.scaleNode = hash( index ).pow( 6 ).mul( 0.03 ).add( 0.008 ).mul( age.oneMinus().sqrt() );
	const light = glow( age ).mul( Math.min( 3, 350_000 / count ) ).toVarying();
	material.colorNode = light.mul( smoothstep( 0.5, 0, uv().sub( 0.5 ).length() ).pow( 2 ) );
	const mesh = new Mesh( quad, material );
	mesh.frustumCulled = false;
	scene.add( mesh );
	scene.backgroundNode = mix( color( '#2a1426' ), color( '#05060d' ), screenUV.distance( vec2( 0.5, 0.62 ) ).mul( 1.7 ).clamp().sqrt() );

	const simulate = ( steps: number ): void => {

		for ( ; steps > 0; steps -- ) {

			frame.value ++;
			renderer.compute( move );

		}

	};
	const draw = (): void => {

		frustum.update( camera );
		compact.compute( renderer );
		renderer.render( scene, camera );

	};
	const report = async (): Promise<Report> => {

		const visible = await compact.readSurvivorCount( renderer );
		return window.report = { visible, total: count, policy: { ...compact.policy }, adapter: adapter.name };

	};

	const pose = parameter( 'pose', 0 );
	camera.position.setFromSphericalCoords( 3 + 0.6 * Math.cos( pose * 1.7 ), 1.6 - 0.25 * Math.sin( pose ), pose * 0.9 + 0.4 ).y += 0.9;
	camera.lookAt( 0, 0.9, 0 );
	renderer.compute( scatter );
	simulate( isTest ? 400 : 240 );
	draw();
	await report();
	if ( isTest ) return shown();

	const controls = new OrbitControls( camera, renderer.domElement );
	controls.target.set( 0, 0.9, 0 );
	controls.enableDamping = true;
	const showReport = addPanel();
	let owed = 0;
	let last = performance.now();
	await renderer.setAnimationLoop( ( now: number ) => {

		owed = Math.min( owed + Math.max( now - last, 0 ) / 1000 * settings.speed, 4 * STEP );
		last = now;
		const steps = Math.floor( owed / STEP );
		owed -= steps * STEP;
		simulate( steps );
		controls.autoRotate = settings.turning;
		controls.update();
		draw();
		showReport( report );

	} );

} );
