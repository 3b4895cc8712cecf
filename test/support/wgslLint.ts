/**
 * Finds in the text of a WGSL module what compilers take and devices trip over, or what some compilers refuse:
 * - pointers to storage or workgroup memory as parameters, which not every implementation has;
 * - a barrier under a branch or in a loop whose conditions hold anything but constants, subgroup and dispatch sizes, and counters of such loops;
 * - a `return`, or a `break` or `continue` of a loop with a barrier in it, that may keep an invocation from a barrier;
 * - more storage buffers than WebGPU's default limit.
 *
 * It knows less than a compiler: what it takes for uniform is so, but not all that is uniform passes.
 */
export function lintWgsl( code: string, { maxStorageBuffers = 8 } = {} ): string[] {

	const tokens = tokenize( code );
	const problems: string[] = [];

	const buffers = ( code.match( /\bvar\s*<\s*storage\b/g ) ?? [] ).length;
	if ( buffers > maxStorageBuffers ) problems.push( `${ buffers } storage buffers (at most ${ maxStorageBuffers })` );

	const functions = findFunctions( tokens );

	for ( const { name, parameters } of functions ) {

		const space = /\bptr < (storage|workgroup)\b/.exec( parameters.join( ' ' ) )?.[ 1 ];
		if ( space !== undefined ) problems.push( `${ name }: a parameter points to ${ space } memory` );

	}

	const barriers = new Set( [ 'workgroupBarrier', 'storageBarrier', 'textureBarrier', 'workgroupUniformLoad' ] );
	const isBarrier = ( body: string[], i: number ): boolean => barriers.has( body[ i ] ) && body[ i + 1 ] === '(';

	// functions that reach a barrier are barriers themselves; functions may come in any order
	for ( let size = - 1; size !== barriers.size; ) {

		size = barriers.size;
		for ( const { name, body } of functions ) if ( body.some( ( _, i ) => isBarrier( body, i ) ) ) barriers.add( name );

	}

	for ( const { name, parameters, body } of functions ) {

		const uniform = new Set( [ ...builtins( parameters, /^(subgroup_size|num_workgroups|workgroup_id)$/ ), ...constants( tokens ) ] );
		problems.push( ...checkFlow( body, uniform, ( i ) => isBarrier( body, i ) ).map( ( problem ) => `${ name }: ${ problem }` ) );

	}

	return problems;

}

interface WgslFunction { name: string; parameters: string[]; body: string[] }

function tokenize( code: string ): string[] {

	const text = code.replace( /\/\/.*|\/\*[\s\S]*?\*\//g, ' ' );
	return text.match( /[A-Za-z_]\w*|\d[\w.]*|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|->|<<|\S/g ) ?? [];

}

function findFunctions( tokens: string[] ): WgslFunction[] {

	const functions: WgslFunction[] = [];

	tokens.forEach( ( token, i ) => {

		if ( token !== 'fn' ) return;
		const closed = closing( tokens, i + 2 );
		const open = tokens.indexOf( '{', closed );
		functions.push( { name: tokens[ i + 1 ], parameters: tokens.slice( i + 3, closed ), body: tokens.slice( open + 1, closing( tokens, open ) ) } );

	} );

	return functions;

}

/** Index of the bracket that closes the one at `open`. */
function closing( tokens: string[], open: number ): number {

	let depth = 0;

	for ( let i = open; i < tokens.length; i ++ ) {

		if ( '([{'.includes( tokens[ i ] ) ) depth ++;
		if ( ')]}'.includes( tokens[ i ] ) && -- depth === 0 ) return i;

	}

	throw new Error( `lintWgsl: '${ tokens[ open ] }' is never closed.` );

}

/** Names of the parameters that are builtins of this kind. */
function builtins( parameters: string[], kind: RegExp ): string[] {

	return parameters.flatMap( ( token, i ) => token === 'builtin' && kind.test( parameters[ i + 2 ] ) ? [ parameters[ i + 4 ] ] : [] );

}

/** Names of the module's constants. */
function constants( tokens: string[] ): string[] {

	return tokens.flatMap( ( token, i ) => token === 'const' || token === 'override' ? [ tokens[ i + 1 ] ] : [] );

}

/** What is around a statement: whether all invocations get there together, and the loop it is in. */
interface Place { uniform: boolean; counters: ReadonlySet<string>; loop: { barrier: boolean } | null; why: string }

function checkFlow( body: string[], uniformNames: ReadonlySet<string>, isBarrier: ( i: number ) => boolean ): string[] {

	const problems: string[] = [];
	const lastBarrier = body.findLastIndex( ( _, i ) => isBarrier( i ) );

	const isUniform = ( expression: string[], counters: ReadonlySet<string> ): boolean => expression.every( ( token, i ) =>
		! /^[A-Za-z_]/.test( token ) || uniformNames.has( token ) || counters.has( token ) || /^(u32|i32|var|let|min|max|true|false)$/.test( token ) || /^[xyz]$/.test( token ) && expression[ i - 1 ] === '.' );

	statements( 0, body.length, { uniform: true, counters: new Set(), loop: null, why: '' } );
	return problems;

	function statements( from: number, to: number, place: Place ): void {

		for ( let i = from; i < to; ) i = statement( i, to, place );

	}

	function statement( i: number, to: number, place: Place ): number {

		switch ( body[ i ] ) {

			case '{': return block( i, place );
			case 'if': return branch( i, place );
			case 'switch': return block( closing( body, i + 1 ) + 1, under( place, condition( i + 1 ), 'switch' ) );
			case 'while': return loop( i, closing( body, i + 1 ) + 1, condition( i + 1 ), [], place );
			// what ends it stands in its body
			case 'loop': return loop( i, i + 1, [], [], place );
			case 'for': return forLoop( i, place );

			case 'return':
				if ( i < lastBarrier ) problems.push( 'a return before a barrier' );
				break;

			case 'break': case 'continue':
				if ( place.loop?.barrier === true && ! place.uniform ) problems.push( `a ${ body[ i ] } under a non-uniform condition (${ place.why }) in a loop with a barrier` );
				break;

		}

		for ( ; i < to && body[ i ] !== ';' && body[ i ] !== '{' && body[ i ] !== '}'; i ++ ) {

			if ( isBarrier( i ) && ! place.uniform ) problems.push( `${ body[ i ] } under a non-uniform condition (${ place.why })` );

		}

		return body[ i ] === '{' ? i : i + 1;

	}

	function condition( open: number ): string[] {

		return body.slice( open + 1, closing( body, open ) );

	}

	function block( open: number, place: Place ): number {

		const end = closing( body, open );
		statements( open + 1, end, place );
		return end + 1;

	}

	function under( place: Place, expression: string[], kind: string ): Place {

		if ( ! place.uniform || isUniform( expression, place.counters ) ) return place;
		return { ...place, uniform: false, why: `${ kind } ( ${ expression.join( ' ' ) } )` };

	}

	/** All arms of an if: an else depends on each condition before it. */
	function branch( i: number, outer: Place ): number {

		let place = outer;

		for ( ;; ) {

			const open = body.indexOf( '{', i );
			place = under( place, body.slice( i + 1, open ), 'if' );
			i = block( open, place );
			if ( body[ i ] !== 'else' ) return i;
			if ( body[ i + 1 ] !== 'if' ) return block( i + 1, place );
			i ++;

		}

	}

	function forLoop( i: number, place: Place ): number {

		const header = condition( i + 1 );
		const open = closing( body, i + 1 ) + 1;
		const name = header[ 0 ] === 'var' ? header[ 1 ] : undefined;

		// the counter counts as one if nothing else writes to it
		const inside = body.slice( open, closing( body, open ) );
		const isWritten = name !== undefined && inside.some( ( token, k ) => token === name && /^([-+*/%&|^]|<<|>>)?=$|^(\+\+|--)$/.test( inside[ k + 1 ] ) );
		return loop( i, open, header, name === undefined || isWritten ? [] : [ name ], place, header.slice( 0, 1 ).concat( header.slice( header.indexOf( '=' ) ) ) );

	}

	function loop( from: number, open: number, header: string[], counters: string[], place: Place, expression = header ): number {

		const end = closing( body, open );
		const barrier = Array.from( { length: end - from }, ( _, k ) => from + k ).some( isBarrier );
		const inner = { ...place, counters: new Set( [ ...place.counters, ...counters ] ), loop: { barrier } };
		return block( open, under( inner, expression, 'loop' ) );

	}

}
