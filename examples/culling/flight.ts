/** Two ways to move the camera: along a seeded path over the valley, or freely by keys, mouse and touch. */
import { CatmullRomCurve3, MathUtils, Vector3, type PerspectiveCamera } from 'three/webgpu';
import { hash, mix } from '../shared/random';
import { Population } from './population';
import type { Terrain } from './terrain';

const LOWEST = 1.6; // metres above the ground
const LAP = 90; // seconds

/** A closed path over the hills, the same for the same seed. */
export class CameraPath {

	private readonly curve: CatmullRomCurve3;
	private readonly ahead = new Vector3();

	constructor( private readonly terrain: Terrain, total: number, seed: number ) {

		const reach = MathUtils.clamp( Population.radius( total ), 60, 560 );
		const corners = Array.from( { length: 9 }, ( _, i ) => {

			const angle = ( ( i + hash( i, 1, seed ) * 0.6 ) / 9 ) * Math.PI * 2;
			const distance = reach * mix( 0.3, 0.8, hash( i, 2, seed ) );
			const x = distance * Math.cos( angle );
			const z = distance * Math.sin( angle );
			return new Vector3( x, terrain.height( x, z ) + mix( 4, 15, hash( i, 3, seed ) ), z );

		} );
		this.curve = new CatmullRomCurve3( corners, true );

	}

	place( camera: PerspectiveCamera, seconds: number ): void {

		const u = ( seconds / LAP ) % 1;
		this.curve.getPointAt( u, camera.position );
		this.curve.getPointAt( ( u + 0.05 ) % 1, this.ahead );
		keepAbove( this.terrain, camera.position, 4 );
		camera.rotation.order = 'YXZ';
		camera.lookAt( this.ahead );
		camera.rotation.x = MathUtils.clamp( camera.rotation.x, - 0.4, - 0.12 ); // at what stands there, not into the sky

	}

}

const KEYS: Record<string, [x: number, y: number, z: number]> = {
	KeyW: [ 0, 0, -1 ], ArrowUp: [ 0, 0, -1 ], KeyS: [ 0, 0, 1 ], ArrowDown: [ 0, 0, 1 ], KeyA: [ -1, 0, 0 ], ArrowLeft: [ -1, 0, 0 ],
	KeyD: [ 1, 0, 0 ], ArrowRight: [ 1, 0, 0 ], KeyE: [ 0, 1, 0 ], KeyQ: [ 0, -1, 0 ],
};

/** W A S D or the arrows move, Q and E sink and rise, Shift hurries, dragging looks around; a second finger flies forward. */
export class FreeFlight {

	private readonly held = new Set<string>();
	private readonly fingers = new Map<number, { x: number; y: number }>();
	private readonly velocity = new Vector3();
	private readonly wish = new Vector3();

	constructor( canvas: HTMLCanvasElement, private readonly camera: PerspectiveCamera, private readonly terrain: Terrain, onUse: () => void ) {

		camera.rotation.order = 'YXZ';
		addEventListener( 'keydown', ( event ) => {

			if ( !( event.code in KEYS ) && !event.code.startsWith( 'Shift' ) ) return;
			this.held.add( event.code );
			if ( event.code in KEYS ) onUse();

		} );
		addEventListener( 'keyup', ( event ) => this.held.delete( event.code ) );
		addEventListener( 'blur', () => this.held.clear() );
		canvas.addEventListener( 'pointerdown', ( event ) => {

			canvas.setPointerCapture( event.pointerId );
			this.fingers.set( event.pointerId, { x: event.clientX, y: event.clientY } );
			onUse();

		} );
		canvas.addEventListener( 'pointermove', ( event ) => {

			const finger = this.fingers.get( event.pointerId );
			if ( finger === undefined ) return;
			this.look( event.clientX - finger.x, event.clientY - finger.y );
			finger.x = event.clientX;
			finger.y = event.clientY;

		} );
		for ( const end of [ 'pointerup', 'pointercancel' ] as const ) canvas.addEventListener( end, ( event ) => this.fingers.delete( event.pointerId ) );

	}

	move( seconds: number ): void {

		this.wish.set( 0, 0, 0 );
		for ( const key of this.held ) if ( key in KEYS ) this.wish.add( _step.fromArray( KEYS[ key ] ) );
		if ( this.fingers.size > 1 ) this.wish.z -= 1;
		const isHurried = this.held.has( 'ShiftLeft' ) || this.held.has( 'ShiftRight' );
		this.wish.clampLength( 0, 1 ).multiplyScalar( isHurried ? 90 : 22 ).applyQuaternion( this.camera.quaternion );
		this.velocity.lerp( this.wish, 1 - Math.exp( -seconds * 5 ) );
		this.camera.position.addScaledVector( this.velocity, seconds );
		keepAbove( this.terrain, this.camera.position, LOWEST );

	}

	private look( right: number, down: number ): void {

		const perPixel = MathUtils.degToRad( this.camera.fov ) / innerHeight;
		const { rotation } = this.camera;
		rotation.set( MathUtils.clamp( rotation.x + down * perPixel, -1.4, 1.4 ), rotation.y + right * perPixel, 0 );

	}

}

const _step = new Vector3();

function keepAbove( terrain: Terrain, point: Vector3, distance: number ): void {

	point.y = Math.max( point.y, terrain.height( point.x, point.z ) + distance );

}
