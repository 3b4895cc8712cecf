import type { BufferAttribute } from 'three/webgpu';
import { view } from '../../builder/buffers';
import { Loop, invocationLocalIndex, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import type { ShaderBuilder } from '../../three-types';
import { combineFunction, componentCount, constant, type Monoid } from '../monoids';
import { registerType } from './tile';
import type { Fields, WorkgroupCollective } from '../workgroup/WorkgroupCollective';

/** One aggregate a tile: a buffer of values and, in a segmented scan, one of flags. */
export interface TileTotals {

	values: StorageExpr;
	flags?: StorageExpr;
	/** The values of scalars four at a time, for reading. */
	quads?: StorageExpr;

}

/** The aggregates in `values`, for kernels that only read them. */
export function readableTotals( values: BufferAttribute, monoid: Monoid, flags?: BufferAttribute ): TileTotals {

	const scalar = componentCount( monoid.type ) === 1 && flags === undefined;

	return {
		values: view( values, monoid.type, 'tileTotals' ).toReadOnly(),
		flags: flags && view( flags, 'uint', 'tileFlags' ).toReadOnly(),
		quads: scalar ? view( values, registerType( monoid, 4 ), 'tileTotals' ).toReadOnly() : undefined
	};

}

export function loadTotal( { values, flags }: TileTotals, tile: Expr ): Fields {

	const value = values.element( tile ).toVar();
	return flags === undefined ? { value } : { value, flag: flags.element( tile ).toVar() };

}

export function storeTotal( { values, flags }: TileTotals, tile: Expr, total: Fields ): void {

	values.element( tile ).assign( total.value );
	if ( flags !== undefined && total.flag !== undefined ) flags.element( tile ).assign( total.flag );

}

/**
 * Combines the aggregates of the first `tiles` tiles, by all threads of a workgroup, into one value that every
 * thread gets. A few kilobytes from the cache, instead of a dispatch of its own.
 */
export function foldTotals( builder: ShaderBuilder, monoid: Monoid, totals: TileTotals, tiles: Expr, collective: WorkgroupCollective, workgroupSize: number ): Fields {

	const combine = combineFunction( builder, monoid );
	const sum: Fields = { value: constant( monoid.type, monoid.identity ).toVar() };
	if ( totals.flags !== undefined ) sum.flag = uint( 0 ).toVar();

	const add = ( tile: Expr ): void => {

		const next = loadTotal( totals, tile );
		const combined = combine( sum.value, next.value );

		if ( sum.flag !== undefined && next.flag !== undefined ) {

			sum.value.assign( choose( monoid.type, next.flag.notEqual( 0 ), next.value, combined ) );
			sum.flag.assign( sum.flag.bitOr( next.flag ) );

		} else {

			sum.value.assign( combined );

		}

	};

	if ( monoid.commutative && totals.quads !== undefined ) {

		const { quads } = totals;

		Loop( { start: invocationLocalIndex, end: tiles.add( 3 ).shiftRight( 2 ).toVar(), type: 'uint', condition: '<', update: workgroupSize }, ( { i } ) => {

			const quad = quads.element( i ).toVar();
			const first = i.shiftLeft( 2 ).toVar();

			[ quad.x, quad.y, quad.z, quad.w ].forEach( ( value, c ) => {

				const present = choose( monoid.type, first.add( c ).lessThan( tiles ), value, constant( monoid.type, monoid.identity ) );
				sum.value.assign( combine( sum.value, present ) );

			} );

		} );

		return collective.reduce( monoid, sum );

	}

	if ( monoid.commutative && sum.flag === undefined ) {

		Loop( { start: invocationLocalIndex, end: tiles, type: 'uint', condition: '<', update: workgroupSize }, ( { i } ) => add( i ) );
		return collective.reduce( monoid, sum );

	}

	// in order: each thread takes a run of neighbours
	const run = tiles.add( workgroupSize - 1 ).div( workgroupSize ).toVar();
	const start = collective.position( 0, 1 ).mul( run ).toVar();
	Loop( { start, end: start.add( run ).min( tiles ).toVar(), type: 'uint', condition: '<', update: 1 }, ( { i } ) => add( i ) );
	return collective.scan( monoid, [ sum ] ).total;

}
