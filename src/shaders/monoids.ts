import type { Node } from 'three/webgpu';
import { ScanError, describe, invalidArgument } from '../errors';
import type { ShaderBuilder } from '../three-types';
import { checkFunction } from '../builder/closure';
import { Fn, asExpr, asNode, type Expr, type LaidOutFn } from '../builder/tsl';
import { wgslExpression } from '../builder/wgsl';

/** The element types a scan can combine. */
export type ScanType =
	| 'uint' | 'int' | 'float'
	| 'uvec2' | 'uvec3' | 'uvec4' | 'ivec2' | 'ivec3' | 'ivec4' | 'vec2' | 'vec3' | 'vec4';

/** The ready-made operators. `bitAnd`, `bitOr` and `bitXor` are for integer types; vectors combine by component. */
export type MonoidName = 'add' | 'mul' | 'min' | 'max' | 'bitAnd' | 'bitOr' | 'bitXor';

/** A value of a scan on the CPU: a number, or one number a component. */
export type ScanValue = number | number[];

/**
 * An associative operator with an identity: what a scan combines elements with. Made by
 * {@link createMonoid}, or named by a {@link MonoidName}.
 */
export interface Monoid {

	readonly isMonoid: true;
	readonly name: string;
	readonly type: ScanType;
	/** `combine(identity, x)` and `combine(x, identity)` equal `x`. */
	readonly identity: ScanValue;
	/** Whether operands may be exchanged. False keeps their order everywhere. */
	readonly commutative: boolean;
	/** The native subgroup scan that equals `combine`, if any. */
	readonly subgroup: 'add' | 'mul' | undefined;
	combine( a: Node, b: Node ): Node;
	combineReference( a: ScanValue, b: ScanValue ): ScanValue;

}

/** A value of type T on the CPU. */
export type ReferenceValue<T extends ScanType> = T extends ComponentType ? number : number[];

export interface MonoidParameters<T extends ScanType = ScanType> {

	type: T;
	/** One number, or one a component. */
	identity: number | number[];
	/** The operator in TSL: `a` is in front of `b`. Must be associative; need not commute. */
	combine: ( a: Node<T>, b: Node<T> ) => Node;
	/** The same operator on the CPU, for `three-scan/reference`: numbers for scalars, arrays for vectors. */
	combineReference: ( a: ReferenceValue<T>, b: ReferenceValue<T> ) => ReferenceValue<T>;
	/** Name the native subgroup scan if it equals `combine`; default: shuffles. */
	subgroup?: 'add' | 'mul';
	/** Say so if operands may be exchanged: reductions then read memory in their fastest order. Default false. */
	commutative?: boolean;
	/** Appears in the shader. */
	name?: string;

}

export const SCAN_TYPES: readonly ScanType[] = [ 'uint', 'int', 'float', 'uvec2', 'uvec3', 'uvec4', 'ivec2', 'ivec3', 'ivec4', 'vec2', 'vec3', 'vec4' ];

/** Number of components of a type. */
export function componentCount( type: ScanType ): number {

	const last = type.charCodeAt( type.length - 1 ) - 48;
	return last >= 2 && last <= 4 ? last : 1;

}

export type ComponentType = 'uint' | 'int' | 'float';

/** Type of one component. */
export function componentType( type: ScanType ): ComponentType {

	if ( type === 'uint' || type.startsWith( 'uvec' ) ) return 'uint';
	if ( type === 'int' || type.startsWith( 'ivec' ) ) return 'int';
	return 'float';

}

/**
 * Makes a monoid of the user's own.
 *
 * ```js
 * // affine maps x → a·x + b, composed: order matters
 * const affine = createMonoid( {
 * 	type: 'vec2', identity: [ 1, 0 ],
 * 	combine: ( a, b ) => vec2( a.x.mul( b.x ), b.x.mul( a.y ).add( b.y ) ),
 * 	combineReference: ( a, b ) => [ a[ 0 ] * b[ 0 ], b[ 0 ] * a[ 1 ] + b[ 1 ] ]
 * } );
 * ```
 *
 * @throws {ScanError} `invalid-argument` for an unknown type, or an identity of the wrong length.
 */
export function createMonoid<const T extends ScanType>( parameters: MonoidParameters<T> ): Monoid {

	const { type, identity, subgroup, commutative = false, name = 'user' } = parameters;
	const { combine, combineReference } = parameters as unknown as Pick<Monoid, 'combine' | 'combineReference'>;

	if ( ! SCAN_TYPES.includes( type ) ) throw invalidArgument( `createMonoid: type must be one of ${ SCAN_TYPES.join( ', ' ) } (got ${ describe( type ) }).` );
	checkValue( 'createMonoid: identity', type, identity );
	if ( typeof combine !== 'function' ) throw invalidArgument( `createMonoid: combine must be a function of two nodes (got ${ describe( combine ) }).` );
	if ( typeof combineReference !== 'function' ) throw invalidArgument( `createMonoid: combineReference must be a function of two values (got ${ describe( combineReference ) }). Give the operator's CPU twin.` );
	if ( subgroup !== undefined && subgroup !== 'add' && subgroup !== 'mul' ) throw invalidArgument( `createMonoid: subgroup must be 'add', 'mul' or omitted (got ${ describe( subgroup ) }).` );
	if ( ! /^[A-Za-z]\w*$/.test( name ) ) throw invalidArgument( `createMonoid: name must be an identifier (got ${ describe( name ) }).` );

	return { isMonoid: true, name, type, identity, commutative, subgroup, combine, combineReference };

}

/** Refuses a value that is not one finite-or-infinite number per component of `type`. */
export function checkValue( who: string, type: ScanType, value: unknown ): void {

	const n = componentCount( type );
	const numbers: unknown[] = Array.isArray( value ) ? value : [ value ];

	if ( numbers.length !== n || numbers.some( v => typeof v !== 'number' || Number.isNaN( v ) ) ) {

		throw invalidArgument( `${ who } of a ${ type } must be ${ n === 1 ? 'a number' : `an array of ${ n } numbers` } (got ${ Array.isArray( value ) ? `[${ value.join( ', ' ) }]` : describe( value ) }).` );

	}

	const component = componentType( type );

	if ( component !== 'float' && numbers.some( v => ! Number.isInteger( v ) || ( v as number ) < ( component === 'uint' ? 0 : - 0x80000000 ) || ( v as number ) > ( component === 'uint' ? 0xffffffff : 0x7fffffff ) ) ) {

		throw invalidArgument( `${ who } of a ${ type } must be in the range of a 32-bit ${ component === 'uint' ? 'unsigned ' : '' }integer (got ${ numbers.join( ', ' ) }).` );

	}

}

const LOWEST = { uint: 0, int: - 0x80000000, float: - Infinity };
const HIGHEST = { uint: 0xffffffff, int: 0x7fffffff, float: Infinity };

interface Builtin {

	identity( component: ComponentType ): number;
	node( a: Expr, b: Expr ): Expr;
	reference( a: number, b: number ): number;
	subgroup?: 'add' | 'mul';
	integersOnly?: true;

}

const BUILTINS: Record<MonoidName, Builtin> = {
	add: { identity: () => 0, node: ( a, b ) => a.add( b ), reference: ( a, b ) => a + b, subgroup: 'add' },
	mul: { identity: () => 1, node: ( a, b ) => a.mul( b ), reference: ( a, b ) => a * b, subgroup: 'mul' },
	min: { identity: c => HIGHEST[ c ], node: ( a, b ) => a.min( b ), reference: Math.min },
	max: { identity: c => LOWEST[ c ], node: ( a, b ) => a.max( b ), reference: Math.max },
	bitAnd: { identity: c => c === 'int' ? - 1 : 0xffffffff, node: ( a, b ) => a.bitAnd( b ), reference: ( a, b ) => a & b, integersOnly: true },
	bitOr: { identity: () => 0, node: ( a, b ) => a.bitOr( b ), reference: ( a, b ) => a | b, integersOnly: true },
	bitXor: { identity: () => 0, node: ( a, b ) => a.bitXor( b ), reference: ( a, b ) => a ^ b, integersOnly: true }
};

const round = {
	uint: ( v: number ) => v >>> 0,
	int: ( v: number ) => v | 0,
	float: Math.fround
};

const builtins = new Map<string, Monoid>();

/** The ready-made monoid of that name for a type. */
export function builtinMonoid( who: string, name: MonoidName, type: ScanType ): Monoid {

	const builtin = BUILTINS[ name ] as Builtin | undefined;

	if ( builtin === undefined ) throw invalidArgument( `${ who }: monoid must be one of ${ Object.keys( BUILTINS ).join( ', ' ) } or made by createMonoid() (got ${ describe( name ) }).` );

	const component = componentType( type );
	if ( builtin.integersOnly && component === 'float' ) throw invalidArgument( `${ who }: monoid '${ name }' combines integers only (got type ${ type }).` );

	const key = `${ name }_${ type }`;
	const known = builtins.get( key );
	if ( known !== undefined ) return known;

	const n = componentCount( type );
	// a product of two integers above 2^53 would lose its low bits
	const scalar = name === 'mul' && component !== 'float' ? Math.imul : builtin.reference;
	const combine1 = ( a: number, b: number ): number => round[ component ]( scalar( a, b ) );
	const identity = builtin.identity( component );

	const monoid: Monoid = {
		isMonoid: true, name, type, commutative: true,
		identity: n === 1 ? identity : new Array<number>( n ).fill( identity ),
		subgroup: builtin.subgroup,
		combine: ( a, b ) => asNode( builtin.node( asExpr( a ), asExpr( b ) ) ),
		combineReference: ( a, b ) => Array.isArray( a ) && Array.isArray( b )
			? a.map( ( v, k ) => combine1( v, b[ k ] ) )
			: combine1( a as number, b as number )
	};

	builtins.set( key, monoid );
	return monoid;

}

/** Resolves a pass's `monoid` option for its element type. */
export function resolveMonoid( who: string, monoid: MonoidName | Monoid | undefined, type: ScanType ): Monoid {

	if ( typeof monoid === 'object' && monoid !== null && monoid.isMonoid === true ) {

		if ( monoid.type !== type ) throw invalidArgument( `${ who }: monoid combines ${ monoid.type } but the input's elements are ${ type }. Make a monoid of that type, or set type.` );
		return monoid;

	}

	return builtinMonoid( who, ( monoid ?? 'add' ) as MonoidName, type );

}

const combineFunctions = new WeakMap<object, Map<Monoid, LaidOutFn>>();

/**
 * The operator as a WGSL function of the shader under construction, callable from TSL. One function a shader: three
 * caches the text of a laid-out function per backend, and text that reads a uniform would miss it in a second shader.
 */
export function combineFunction( builder: ShaderBuilder, monoid: Monoid ): LaidOutFn {

	const functions = combineFunctions.get( builder.codes ) ?? new Map<Monoid, LaidOutFn>();
	combineFunctions.set( builder.codes, functions );

	let fn = functions.get( monoid );

	if ( fn === undefined ) {

		const { type } = monoid;

		fn = Fn( ( [ a, b ], inner ) => {

			const result = monoid.combine( asNode( a ), asNode( b ) ) as unknown as Expr | undefined;
			const got = result?.isNode === true ? result.getNodeType( inner ) : describe( result );
			if ( got !== type ) throw new ScanError( 'invalid-argument', `Monoid '${ monoid.name }': combine must return a ${ type } node (got ${ got }). Convert the result, e.g. ${ type }( … ).` );
			return result;

		} ).setLayout( { name: `combine_${ monoid.name }_${ functions.size }`, type, inputs: [ { name: 'a', type }, { name: 'b', type } ] } );

		checkFunction( builder, `Monoid '${ monoid.name }': combine`, fn );
		functions.set( monoid, fn );

	}

	return fn;

}

/** The WGSL name of {@link combineFunction}. */
export function combineName( builder: ShaderBuilder, monoid: Monoid ): string {

	return builder.buildFunctionNode( combineFunction( builder, monoid ).shaderNode ).build( builder, 'property' );

}

/** A constant of the element type, exact to the bit. Infinities go through a variable: Dawn refuses them as constants. */
export function constant( type: ScanType, value: ScanValue ): Expr {

	const component = componentType( type );
	const numbers = Array.isArray( value ) ? value : [ value ];

	return wgslExpression( type, writer => {

		const parts = numbers.map( v => {

			if ( component === 'uint' ) return `${ v >>> 0 }u`;

			if ( component === 'int' ) return v < 0 ? `bitcast<i32>( ${ v >>> 0 }u )` : `${ v }i`;

			const bits = `${ new Uint32Array( new Float32Array( [ v ] ).buffer )[ 0 ] }u`;
			if ( Number.isFinite( Math.fround( v ) ) ) return `bitcast<f32>( ${ bits } )`;

			const name = writer.name( 'infinity_bits' );
			writer.line( `var ${ name } = ${ bits }` );
			return `bitcast<f32>( ${ name } )`;

		} );

		return numbers.length === 1 ? parts[ 0 ] : `${ writer.type( type ) }( ${ parts.join( ', ' ) } )`;

	} ).toVar();

}
