import { describe, invalidArgument } from '../errors';

/** How far and how small a bound may be and still be seen, and in which level of detail. */
export interface VisibilityLimits {

	/** Visible up to this distance, from the eye to the centre. Default Infinity. */
	maxDistance?: number;
	/** Visible from this projected diameter on, in pixels. Default 0: off. */
	minPixels?: number;
	/** Ascending: level k begins at `lodDistances[ k − 1 ]`. Default none: one level. */
	lodDistances?: number[];
	/** From 0 to below 1, a fraction of the distance: who has gone past a distance comes back only at (1 − hysteresis) times it. Default 0. */
	hysteresis?: number;

}

/** The limits with their defaults. Refuses those that make no sense, in the name of `who`. */
export function checkLimits( who: string, { maxDistance = Infinity, minPixels = 0, lodDistances = [], hysteresis = 0 }: VisibilityLimits ): Required<VisibilityLimits> {

	const isNumber = ( value: unknown ): boolean => typeof value === 'number' && ! Number.isNaN( value );

	if ( ! isNumber( maxDistance ) || maxDistance < 0 ) throw invalidArgument( `${ who }: maxDistance must be at least 0 (got ${ describe( maxDistance ) }). Omit it for no limit.` );
	if ( ! isNumber( minPixels ) || minPixels < 0 || minPixels === Infinity ) throw invalidArgument( `${ who }: minPixels must be finite and at least 0 (got ${ describe( minPixels ) }). Omit it for no limit.` );
	if ( ! isNumber( hysteresis ) || hysteresis < 0 || hysteresis >= 1 ) throw invalidArgument( `${ who }: hysteresis must be a fraction of the distance, from 0 to below 1 (got ${ describe( hysteresis ) }). Try 0.1.` );

	const ascends = Array.isArray( lodDistances ) && lodDistances.every( ( d, k ) => isNumber( d ) && d >= ( k === 0 ? 0 : lodDistances[ k - 1 ] ) );
	if ( ! ascends ) throw invalidArgument( `${ who }: lodDistances must ascend, from 0 at the least (got ${ Array.isArray( lodDistances ) ? `[${ lodDistances.join( ', ' ) }]` : describe( lodDistances ) }). Sort them.` );

	return { maxDistance, minPixels, lodDistances: [ ...lodDistances ], hysteresis };

}
