import { ACESFilmicToneMapping, MathUtils, PerspectiveCamera, TimestampQuery, WebGPURenderer } from 'three/webgpu';
import { FrustumPlanes } from '../shared/frustum';
import { describe, Hud } from '../shared/hud';
import { choice, fit, isTest, parameter, shown, start, type Report } from '../shared/page';
import { CameraPath, FreeFlight } from './flight';
import { levelTint } from './looks';
import { Overview } from './overview';
import { addPanel, type Settings } from './panel';
import { Population } from './population';
import { strike } from './poses';
import { Sun } from './sun';
import { Valley } from './valley';
import { makeWay, WAYS, type Way, type WayName } from './ways';

const MAXIMUM = 1_000_000;
const COUNTS = { desktop: MAXIMUM, modest: 200_000, software: 4_000 };
const TEST_COUNT = 8_000;
const SHADOWS = {
	desktop: { reach: 150, size: 4096 }, modest: { reach: 100, size: 2048 }, software: { reach: 60, size: 1024 }, test: { reach: 60, size: 2048 },
};

start( async ( adapter ) => {

	const settings: Settings = {
		count: MathUtils.clamp( Math.floor( parameter( 'count', isTest ? TEST_COUNT : COUNTS[ adapter.kind ] ) ), 1, MAXIMUM ),
		way: choice( 'culling', WAYS, 'CulledInstancedMesh' ),
		camera: 'path',
		frozen: false,
		levels: parameter( 'levels', 0 ) > 0,
		map: parameter( 'map', isTest ? 0 : 1 ) > 0,
	};

	const renderer = new WebGPURenderer( { antialias: isTest || adapter.kind !== 'software', trackTimestamp: !isTest } );
	renderer.toneMapping = ACESFilmicToneMapping;
	renderer.shadowMap.enabled = true;
	await renderer.init();
	const camera = new PerspectiveCamera( 55, 1, 0.3, 2600 );
	fit( renderer, camera );

	const capacity = isTest || adapter.kind === 'software' ? settings.count : MAXIMUM;
	const valley = await Valley.load( capacity );
	const { terrain, scene, populations } = valley;
	const sun = new Sun( scene, isTest ? SHADOWS.test : SHADOWS[ adapter.kind ] );
	const frustum = new FrustumPlanes();
	const overview = new Overview( scene );
	let isMapReady = false;
	const readyMap = async (): Promise<void> => {

		await overview.init( renderer, populations );
		overview.show( camera );
		isMapReady = true;

	};

	const ways = new Map<WayName, Way>();
	let way: Way;
	const use = async ( name: WayName ): Promise<void> => {

		const chosen = ways.get( name ) ?? await makeWay( name, { populations, camera, frustum, renderer } );
		ways.set( name, chosen );
		for ( const other of ways.values() ) {

			scene.remove( ...other.meshes );
			if ( other !== chosen ) other.leave?.();

		}
		scene.add( ...chosen.meshes );
		way = chosen;

	};
	await use( settings.way );

	let cullingTime = 0; // of the CPU, in milliseconds
	const draw = (): void => {

		if ( ! settings.frozen ) {

			frustum.update( camera );
			sun.follow( camera );
			overview.show( camera );

		}
		levelTint.value = settings.levels ? 1 : 0;
		const before = performance.now();
		way.cull( settings.frozen );
		cullingTime = performance.now() - before;
		renderer.render( scene, camera );
		overview.isShown = settings.map && isMapReady;
		if ( ! settings.map || ! isMapReady ) return;
		const { clientWidth, clientHeight } = renderer.domElement;
		const size = Math.min( clientWidth, clientHeight ) * 0.36;
		overview.render( renderer, Math.max( Population.radius( valley.size ) * 1.05, 120 ), clientWidth - size - 16, clientHeight - size - 16, size );

	};
	const report = async (): Promise<Report> => {

		const total = valley.size;
		const levels = await way.readVisible();
		const visible = levels?.reduce( ( sum, count ) => sum + count ) ?? total;
		return window.report = { visible, total, policy: way.policy, adapter: adapter.name, culling: settings.way, levels };

	};

	if ( isTest ) {

		if ( settings.map ) await readyMap();
		valley.grow( settings.count );
		window.pose = async ( which ) => {

			strike( camera, terrain, which );
			draw();
			const drawn = await report();
			await shown();
			return drawn;

		};
		strike( camera, terrain, 0 );
		draw(); // the first frame's shadows don't know the viewer yet
		await shown();
		await window.pose( parameter( 'pose', 0 ) );
		return;

	}

	const hud = new Hud();
	addPanel( settings, capacity, () => void use( settings.way ) );
	const path = new CameraPath( terrain, settings.count, parameter( 'seed', 1 ) );
	const flight = new FreeFlight( renderer.domElement, camera, terrain, () => ( settings.camera = 'free' ) );
	const hasTimestamps = renderer.hasFeature( 'timestamp-query' );
	const isSlow = adapter.kind === 'software'; // then every frame is awaited, or they would queue up
	let seconds = 0;
	let last = performance.now();
	let isReading = false;

	const readTimes = async (): Promise<void> => {

		const computing = await renderer.resolveTimestampsAsync( TimestampQuery.COMPUTE );
		const drawing = await renderer.resolveTimestampsAsync( TimestampQuery.RENDER );
		if ( way.isOnGpu ) hud.measured( 'GPU time: culling', computing ?? 0 );
		hud.measured( way.isOnGpu ? 'drawing' : 'GPU time: drawing', drawing ?? 0 );

	};
	const showReport = async (): Promise<void> => {

		const { visible, total, policy, levels = null } = await report();
		const perLevel = levels !== null && levels.length > 1 ? [ levels.map( ( count, k ) => `LOD ${ k }: ${ count.toLocaleString() }` ).join( ' · ' ) ] : [];
		const headline = levels === null ? `${ total.toLocaleString() } handed over` : `${ visible.toLocaleString() } of ${ total.toLocaleString() } drawn`;
		hud.show( headline, ...perLevel, describe( policy ), adapter.name );

	};
	const frame = ( now: number ): void => {

		if ( isReading && isSlow ) return;
		const step = MathUtils.clamp( ( now - last ) / 1000, 0, 0.1 );
		last = now;
		valley.grow( settings.count, 6 );
		if ( settings.camera === 'path' ) path.place( camera, seconds += step );
		else flight.move( step );

		const before = performance.now();
		draw();
		if ( ! way.isOnGpu ) hud.measured( 'CPU time: culling', cullingTime );
		if ( ! hasTimestamps ) hud.measured( 'CPU time, as this GPU has no clock: frame', performance.now() - before );
		if ( isReading ) return;
		isReading = true;
		void Promise.all( [ hasTimestamps && readTimes(), ( isSlow || hud.isDue ) && showReport() ] ).finally( () => ( isReading = false ) );

	};

	await readyMap();
	valley.grow( settings.count, 500 );
	frame( last );
	await showReport();
	await renderer.setAnimationLoop( frame );

} );
