/** A CulledInstancedMesh in React Three Fiber, in StrictMode; below it the same scene with three's own InstancedMesh. */
import { createElement, StrictMode, useLayoutEffect, useRef, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Canvas, extend } from '@react-three/fiber';
import { BoxGeometry, Color, Euler, InstancedMesh, Matrix4, MeshNormalNodeMaterial, PerspectiveCamera, Quaternion, Scene, Vector3, WebGPURenderer } from 'three/webgpu';
import { CulledInstancedMesh } from 'three-scan';
import { hash } from '../../../examples/shared/random';

/** What the test calls, one after the other; each resolves when both pictures are on screen. */
export interface R3fPage {

	/** Draws this many instances: another `args`. Returns how many meshes were disposed of since the last call. */
	show( count: number ): Promise<number>;
	/** Takes React's scene away, and puts it back. */
	remount(): Promise<void>;

}

const WIDTH = 240;
const HEIGHT = 180;
const CAMERA = { position: [ 4, 3, 6 ], fov: 60, near: 0.1, far: 100 } as const;
const BACKGROUND = '#234';

extend( { CulledInstancedMesh, MeshNormalNodeMaterial } );

let disposals = 0;
const { dispose } = CulledInstancedMesh.prototype;

CulledInstancedMesh.prototype.dispose = function () {

	disposals ++;
	return dispose.call( this );

};

/** The first ones in sight, half of the others behind the camera. */
function matrixOf( i: number ): Matrix4 {

	const at = new Vector3( hash( i, 1 ), hash( i, 2 ), hash( i, 3 ) ).subScalar( 0.5 ).multiplyScalar( i < 20 ? 5 : 30 );
	const turn = new Quaternion().setFromEuler( new Euler( hash( i, 4 ) * 6, hash( i, 5 ) * 6, 0 ) );
	return new Matrix4().compose( at, turn, new Vector3( 1, 1, 1 ) );

}

function Boxes( { count }: { count: number } ): ReactElement {

	const ref = useRef<CulledInstancedMesh>( null );
	useLayoutEffect( () => {

		for ( let i = 0; i < count; i ++ ) ref.current!.setMatrixAt( i, matrixOf( i ) );

	}, [ count ] );

	return createElement( 'culledInstancedMesh', { ref, args: [ null, null, count ] }, createElement( 'boxGeometry' ), createElement( 'meshNormalNodeMaterial' ) );

}

function App( { count }: { count: number } ): ReactElement {

	type CanvasProps = Parameters<typeof Canvas>[ 0 ];
	const gl: CanvasProps[ 'gl' ] = async ( parameters ) => {

		const renderer = new WebGPURenderer( parameters as ConstructorParameters<typeof WebGPURenderer>[ 0 ] );
		await renderer.init();
		return renderer;

	};

	return createElement( StrictMode, null,
		createElement( Canvas, { gl, flat: true, dpr: 1, shadows: 'percentage', camera: CAMERA as unknown as CanvasProps[ 'camera' ], children: [
			createElement( 'color', { key: 'background', attach: 'background', args: [ BACKGROUND ] } ),
			createElement( StrictMode, { key: 'boxes' }, createElement( Boxes, { count } ) ),
		] } ),
	);

}

/** Resolves when everything that React Three Fiber puts off has happened: it frees what is gone after half a second. */
async function settled(): Promise<void> {

	await new Promise( ( resolve ) => setTimeout( resolve, 1000 ) );
	for ( let i = 0; i < 3; i ++ ) await new Promise( requestAnimationFrame );

}

async function main(): Promise<void> {

	const renderer = new WebGPURenderer( { antialias: true, alpha: true } );
	await renderer.init();
	renderer.setSize( WIDTH, HEIGHT );
	document.querySelector( '#plain' )!.append( renderer.domElement );

	const camera = new PerspectiveCamera( CAMERA.fov, WIDTH / HEIGHT, CAMERA.near, CAMERA.far );
	camera.position.fromArray( CAMERA.position );
	camera.lookAt( 0, 0, 0 );

	const drawPlain = ( count: number ): void => {

		const mesh = new InstancedMesh( new BoxGeometry(), new MeshNormalNodeMaterial(), count ), scene = new Scene();
		for ( let i = 0; i < count; i ++ ) mesh.setMatrixAt( i, matrixOf( i ) );
		scene.background = new Color( BACKGROUND );
		renderer.render( scene.add( mesh ), camera );

	};

	const root = createRoot( document.querySelector( '#react' )! );
	let shown = 100;
	const page: R3fPage = {

		async show( count ) {

			disposals = 0;
			shown = count;
			root.render( createElement( App, { count } ) );
			drawPlain( count );
			await settled();
			return disposals;

		},

		async remount() {

			root.render( null );
			await settled();
			await page.show( shown );

		},

	};

	Object.assign( window, { r3f: page } );
	await page.show( shown );

}

Object.assign( window, { ready: main() } );
