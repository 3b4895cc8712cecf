import { describe, invalidArgument } from '../errors';
import { isClosure, resolveBuffer, view, type Count, type StorageBuffer } from '../builder/buffers';
import { uint, uniform, type Expr } from '../builder/tsl';

/** The number of a pass's inputs: a number that may change between runs, or a uint that stays on the GPU. */
export interface CountSource {

	/** The count in a kernel, at most the capacity. */
	readonly node: () => Expr;
	/** The number, or null where it stays on the GPU. */
	readonly number: number | null;
	/** What the user sees as `count`. */
	value: Count;

}

/** Refuses what is no capacity. */
export function checkCapacity( who: string, capacity: unknown ): number {

	if ( typeof capacity !== 'number' || ! Number.isInteger( capacity ) || capacity < 1 || capacity > 0xffffffff ) throw invalidArgument( `${ who }: capacity must be a positive integer (got ${ describe( capacity ) }).` );
	return capacity;

}

export function isGpuCount( count: unknown ): count is StorageBuffer {

	return count !== undefined && typeof count !== 'number' && ! isClosure( count );

}

/** Resolves a `count` option; `changed` hears of new numbers. */
export function resolveCount( who: string, count: Count | undefined, capacity: number, changed: () => void ): CountSource {

	if ( isGpuCount( count ) ) return gpuCount( who, count, capacity );

	const node = uniform( checkCount( who, count ?? capacity, capacity ), 'uint' );

	return {
		node: () => node,
		get number() { return node.value; },
		get value() { return node.value; },
		set value( next: Count ) {

			node.value = checkCount( who, next, capacity );
			changed();

		}
	};

}

function gpuCount( who: string, count: StorageBuffer, capacity: number ): CountSource {

	const { attribute, node, type } = resolveBuffer( `${ who }: count`, count );
	if ( type !== 'uint' ) throw invalidArgument( `${ who }: count must be a number or a buffer of uint (got ${ type }).` );

	// the user's own node where one was passed: a second view beside it would make the dispatch invalid
	const element = node !== null && ( node as { isAtomic?: boolean } ).isAtomic !== true ? node : view( attribute, 'uint', 'count' ).toReadOnly();
	let current: Count = count;

	return {
		node: () => element.element( uint( 0 ) ).min( uint( capacity ) ),
		number: null,
		get value() { return current; },
		set value( next: Count ) {

			if ( ! isGpuCount( next ) ) throw invalidArgument( `${ who }: count is a GPU buffer and can't become a number (got ${ describe( next ) }). Make another pass for it.` );
			const resolved = resolveBuffer( `${ who }: count`, next );
			if ( resolved.attribute !== attribute ) element.value = resolved.attribute;
			current = next;

		}
	};

}

function checkCount( who: string, count: unknown, capacity: number ): number {

	if ( isGpuCount( count ) ) throw invalidArgument( `${ who }: count is a number and can't become a GPU buffer (got ${ describe( count ) }). Make another pass for it.` );
	if ( typeof count !== 'number' || ! Number.isInteger( count ) || count < 0 || count > capacity ) throw invalidArgument( `${ who }: count must be an integer from 0 to the capacity of ${ capacity } (got ${ describe( count ) }).` );
	return count;

}
