import { describe, invalidArgument } from '../errors';
import { readBounds, type BoundsReader, type ReferenceBounds } from './bounds';
import { eyesOf, type Eye, type ViewOptions } from './eyes';
import { checkCount } from './types';

/** Options of {@link referenceVisibility} and {@link referenceLod}; distances in world units, from the eye to the centre. */
export interface ReferenceVisibilityOptions extends ViewOptions {

	/** Visible up to this distance. Default Infinity. */
	maxDistance?: number;
	/** Visible from this projected diameter on, in pixels. A box counts as the sphere around it. Default 0. */
	minPixels?: number;
	/** Ascending: level k begins at `lodDistances[ k − 1 ]`. Up to 125 of them. Default none. */
	lodDistances?: readonly number[];
	/**
	 * From 0 (the default) to below 1, a fraction of the distance: who has gone past a distance comes back only
	 * at (1 − hysteresis) times it. Takes effect with `history`.
	 */
	hysteresis?: number;
	/**
	 * What the frames before decided: a byte per bound, and an array per view. It starts as zeros, is read and overwritten by each
	 * call; calls in one frame with the same view may share it. It depends on distances only, not on the frustum.
	 */
	history?: Uint8Array;
	/** False: everything is visible; levels still follow the distance. Default true. */
	enabled?: boolean;
	/**
	 * World units by which each bound is taken to be larger in radius and nearer to the eye. Tests run twice, with ±tolerance,
	 * enclose what f32 may answer. Default 0.
	 */
	tolerance?: number;
	/** How many bounds to take, 0 to all of them. Default: all. */
	count?: number;

}

/** `history` holds level + 1, and this bit when out of range. */
const outOfRangeBit = 0x80;
const maxLodDistances = 125;

/**
 * Which bounds are visible: 1 or 0 for each. The sequential twin of VisibilityTest, without occlusion, in f64.
 *
 * A bound is visible when at least one eye (of an array camera) has it neither wholly outside one of its planes nor farther
 * than `maxDistance` nor smaller than `minPixels`. Touching counts as visible, and so does a bound with infinite or NaN numbers. The planes are those of three's
 * `Frustum.setFromProjectionMatrix`, for the camera's `coordinateSystem` and `reversedDepth`.
 *
 * @example
 * camera.updateMatrixWorld();
 * referenceVisibility( { spheres: [ 0, 0, - 5, 1 ] }, { camera, maxDistance: 100 } );	// 1
 */
export function referenceVisibility( bounds: ReferenceBounds, options: ReferenceVisibilityOptions ): Uint8Array {

	return judgeAll( bounds, options, 'referenceVisibility', isVisible => isVisible ? 1 : 0 );

}

/**
 * The level of detail of each bound: k from `lodDistances[ k − 1 ]` on, 0 to `lodDistances.length`; one more,
 * `lodDistances.length` + 1, when {@link referenceVisibility} calls it invisible. With several eyes the nearest one decides.
 */
export function referenceLod( bounds: ReferenceBounds, options: ReferenceVisibilityOptions ): Uint8Array {

	const invisible = ( options.lodDistances?.length ?? 0 ) + 1;
	return judgeAll( bounds, options, 'referenceLod', ( isVisible, level ) => isVisible ? level : invisible );

}

type Limits = Required<Pick<ReferenceVisibilityOptions, 'maxDistance' | 'minPixels' | 'lodDistances' | 'hysteresis' | 'tolerance' | 'enabled'>>;

function judgeAll( bounds: ReferenceBounds, options: ReferenceVisibilityOptions, who: string, answer: ( isVisible: boolean, level: number ) => number ): Uint8Array {

	const reader = readBounds( bounds, who );
	const eyes = eyesOf( options, who );
	const limits = limitsOf( options, eyes, who );
	const count = checkCount( options.count, reader.count, who );
	const { history } = options;

	if ( history !== undefined && history.length < count ) {

		throw invalidArgument( `${ who }: history must hold one byte for each bound, ${ count } (got ${ history.length }). Keep one array per view.` );

	}

	const answers = new Uint8Array( count );

	for ( let index = 0; index < count; index ++ ) {

		reader.select( index );
		const { isVisible, level, state } = judge( reader, eyes, limits, history === undefined ? 0 : history[ index ] );

		answers[ index ] = answer( isVisible, level );
		if ( history !== undefined ) history[ index ] = state;

	}

	return answers;

}

/**
 * One bound. The range is decided twice: over all eyes together with hysteresis, which is what the history keeps, and for each
 * eye without. So a second call with the history of the first one answers the same.
 */
function judge( bound: BoundsReader, eyes: readonly Eye[], limits: Limits, lastState: number ): { isVisible: boolean; level: number; state: number } {

	const { maxDistance, minPixels, lodDistances, hysteresis, tolerance, enabled } = limits;
	// Asked the other way round, so that an unbounded bound, whose centre is NaN, is kept.
	const isInRange = ( distance: number, diameter: number, scale: number ) => ! ( distance > maxDistance * scale ) && ! ( diameter * scale < minPixels );

	let nearest = Infinity;
	let largest = 0;
	let isSeen = false;

	for ( const eye of eyes ) {

		const distance = distanceFrom( eye, bound ) - tolerance;
		const diameter = minPixels > 0 && eye.diameter ? eye.diameter( bound.x, bound.y, bound.z, bound.radius + tolerance ) : Infinity;

		nearest = Math.min( nearest, distance );
		largest = Math.max( largest, diameter );
		if ( isInRange( distance, diameter, 1 ) && bound.isInside( eye.planes, tolerance ) ) isSeen = true;

	}

	const comesBack = ( lastState & outOfRangeBit ) !== 0;
	const isNear = isInRange( nearest, largest, comesBack ? 1 - hysteresis : 1 );
	const level = levelAt( nearest, lodDistances, hysteresis, ( lastState & ~ outOfRangeBit ) - 1 );

	return {
		isVisible: ! enabled || ( isNear && isSeen ),
		level,
		state: level + 1 | ( isNear ? 0 : outOfRangeBit )
	};

}

/** How many of the distances have been passed; those that `lastLevel` had passed already are held on to a little longer. */
function levelAt( distance: number, lodDistances: readonly number[], hysteresis: number, lastLevel: number ): number {

	let level = 0;

	for ( const [ index, begin ] of lodDistances.entries() ) {

		const wasPassed = lastLevel > index;
		if ( distance >= ( wasPassed ? begin * ( 1 - hysteresis ) : begin ) ) level = index + 1;

	}

	return level;

}

function distanceFrom( { position }: Eye, { x, y, z }: BoundsReader ): number {

	if ( position === undefined ) return 0;
	return Math.sqrt( ( x - position[ 0 ] ) ** 2 + ( y - position[ 1 ] ) ** 2 + ( z - position[ 2 ] ) ** 2 );

}

function limitsOf( options: ReferenceVisibilityOptions, eyes: readonly Eye[], who: string ): Limits {

	const { maxDistance = Infinity, minPixels = 0, lodDistances = [], hysteresis = 0, tolerance = 0, enabled = true } = options;

	const refuse = ( rule: string, got: unknown, remedy: string ) => invalidArgument( `${ who }: ${ rule } (got ${ describe( got ) }). ${ remedy }` );

	if ( ! ( maxDistance >= 0 ) ) throw refuse( 'maxDistance must be at least 0', maxDistance, 'Omit it for no limit.' );
	if ( ! ( minPixels >= 0 && minPixels < Infinity ) ) throw refuse( 'minPixels must be finite and at least 0', minPixels, 'Omit it for no limit.' );
	if ( ! ( hysteresis >= 0 && hysteresis < 1 ) ) throw refuse( 'hysteresis must be a fraction of the distance, from 0 to below 1', hysteresis, 'Try 0.1.' );
	if ( ! Number.isFinite( tolerance ) ) throw refuse( 'tolerance must be finite', tolerance, 'Omit it for none.' );
	if ( lodDistances.length > maxLodDistances ) throw refuse( `lodDistances must be at most ${ maxLodDistances }`, lodDistances.length, 'Use fewer levels.' );

	lodDistances.forEach( ( distance, index ) => {

		if ( ! ( distance >= ( index === 0 ? 0 : lodDistances[ index - 1 ] ) ) ) throw refuse( 'lodDistances must ascend, from 0 at the least', distance, 'Sort them.' );

	} );

	if ( eyes.some( eye => eye.position === undefined ) && ( maxDistance < Infinity || lodDistances.length > 0 ) ) {

		throw refuse( 'distances need a point to start from', 'planes alone', 'Pass position along with planes.' );

	}

	if ( minPixels > 0 && eyes.some( eye => eye.diameter === undefined ) ) {

		throw refuse( 'minPixels needs a camera and the size of its picture', options.camera === undefined ? 'planes alone' : 'no size', 'Pass size, in pixels.' );

	}

	return { maxDistance, minPixels, lodDistances, hysteresis, tolerance, enabled };

}
