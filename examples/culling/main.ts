import { ACESFilmicToneMapping, MathUtils, PerspectiveCamera, TimestampQuery, WebGPURenderer } from 'three/webgpu';
import { FrustumPlanes } from '../shared/frustum';
import { describe, Hud } from '../shared/hud';
import { choice, fit, isTest, parameter, shown, start, type Report } from '../shared/page';
import { CameraPath, FreeFlight } from './flight';
import { Herd, loadRabbit, MAXIMUM } from './herd';
import { Overview } from './overview';
import { addPanel, type Settings } from './panel';
import { strike } from './poses';
import { makeScenery } from './scenery';
import { Terrain } from './terrain';
import { makeWay, WAYS, type Way, type WayName } from './ways';

const COUNTS = { desktop: MAXIMUM, modest: 200_000, software: 5_000 };
const TEST_COUNT = 10_000;

start( async ( adapter ) => {

	const settings: Settings = {
		count: MathUtils.clamp( Math.floor( parameter( 'count', isTest ? TEST_COUNT : COUNTS[ adapter.kind ] ) ), 1, MAXIMUM ),
		way: choice( 'culling', WAYS, 'scan' ),
		camera: 'path',
		frozen: false,
		map: parameter( 'map', isTest ? 0 : 1 ) > 0,
	};

	const renderer = new WebGPURenderer( { antialias: isTest || adapter.kind !== 'software', trackTimestamp: !isTest } );
	renderer.toneMapping = ACESFilmicToneMapping;
	await renderer.init();
	const camera = new PerspectiveCamera( 55, 1, 0.3, 2600 );
	fit( renderer, camera );

	const terrain = new Terrain();
	const scene = makeScenery( terrain );
	const herd = new Herd( terrain, isTest ? settings.count : MAXIMUM );
	const frustum = new FrustumPlanes();
	const overview = new Overview( scene );
	const model = await loadRabbit();

	const ways = new Map<WayName, Way>();
	let way: Way;
	const use = async ( name: WayName ): Promise<void> => {

		const chosen = ways.get( name ) ?? await makeWay( name, { model, herd, frustum, renderer } );
		ways.set( name, chosen );
		for ( const other of ways.values() ) scene.remove( ...other.meshes );
		scene.add( ...chosen.meshes );
		way = chosen;

	};
	await use( settings.way );

	let cullingTime = 0; // of the CPU, in milliseconds
	const draw = (): void => {

		if ( !settings.frozen ) {

			frustum.update( camera );
			overview.show( camera );

		}
		const before = performance.now();
		way.cull( renderer );
		cullingTime = performance.now() - before;
		renderer.render( scene, camera );
		overview.isShown = settings.map;
		if ( ! settings.map ) return;
		const { clientWidth, clientHeight } = renderer.domElement;
		const size = Math.min( clientWidth, clientHeight ) * 0.36;
		overview.render( renderer, Math.max( Herd.radius( herd.size ) * 1.05, 120 ), clientWidth - size - 16, clientHeight - size - 16, size );

	};
	const report = async (): Promise<Report> => {

		const visible = await way.readVisible( renderer );
		return window.report = { visible, total: herd.size, policy: way.policy, adapter: adapter.name, culling: settings.way };

	};

	if ( isTest ) {

		herd.grow( settings.count );
		strike( camera, terrain, parameter( 'pose', 0 ) );
		draw();
		await report();
		return shown();

	}

	const hud = new Hud();
	addPanel( settings, () => void use( settings.way ) );
	const path = new CameraPath( terrain, settings.count, parameter( 'seed', 1 ) );
	const flight = new FreeFlight( renderer.domElement, camera, terrain, () => ( settings.camera = 'free' ) );
	const hasTimestamps = renderer.hasFeature( 'timestamp-query' );
	const isSlow = adapter.kind === 'software'; // then every frame is awaited, or they would queue up
	let seconds = 0;
	let last = performance.now();
	let isReading = false;

	const readTimes = async (): Promise<void> => {

		const culling = await renderer.resolveTimestampsAsync( TimestampQuery.COMPUTE );
		const drawing = await renderer.resolveTimestampsAsync( TimestampQuery.RENDER );
		if ( way.isOnGpu ) hud.measured( 'GPU time: culling', culling ?? 0 );
		hud.measured( way.isOnGpu ? 'drawing' : 'GPU time: drawing', drawing ?? 0 );

	};
	const showReport = async (): Promise<void> => {

		const { visible, total, policy } = await report();
		hud.show( `${ visible.toLocaleString() } of ${ total.toLocaleString() } rabbits drawn`, describe( policy ), adapter.name );

	};
	const frame = ( now: number ): void => {

		if ( isReading && isSlow ) return;
		const step = MathUtils.clamp( ( now - last ) / 1000, 0, 0.1 );
		last = now;
		herd.grow( settings.count, 6 );
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

	herd.grow( settings.count, 500 );
	frame( last );
	await showReport();
	await renderer.setAnimationLoop( frame );

} );
