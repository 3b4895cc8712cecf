import * as TSL from 'three/tsl';
import type { ComputeNode, Node, NodeBuilder } from 'three/webgpu';
import { describe, invalidArgument } from '../errors';
import { shaderBuilder, type ShaderBuilder } from '../three-types';

/**
 * TSL with one type for every expression. A kernel that is generic over the element's type can't
 * be checked by `Node<'uint'>`-like types (they would have to be dependent ones); inside the kernels every
 * value is an {@link Expr}, and the element type is checked when the kernel is built.
 */
export interface Expr {

	readonly isNode: true;
	getNodeType( builder: ShaderBuilder ): string;
	build( builder: ShaderBuilder, output: string ): string;
	readonly x: Expr; readonly y: Expr; readonly z: Expr; readonly w: Expr; readonly wzyx: Expr; readonly xyz: Expr;
	add( ...b: Operand[] ): Expr;
	sub( ...b: Operand[] ): Expr;
	mul( ...b: Operand[] ): Expr;
	div( ...b: Operand[] ): Expr;
	mod( b: Operand ): Expr;
	bitAnd( b: Operand ): Expr;
	bitOr( b: Operand ): Expr;
	bitXor( b: Operand ): Expr;
	bitNot(): Expr;
	shiftLeft( b: Operand ): Expr;
	shiftRight( b: Operand ): Expr;
	and( ...b: Operand[] ): Expr;
	or( ...b: Operand[] ): Expr;
	not(): Expr;
	equal( b: Operand ): Expr;
	notEqual( b: Operand ): Expr;
	lessThan( b: Operand ): Expr;
	lessThanEqual( b: Operand ): Expr;
	greaterThan( b: Operand ): Expr;
	greaterThanEqual( b: Operand ): Expr;
	min( b: Operand ): Expr;
	max( b: Operand ): Expr;
	assign( b: Operand ): Expr;
	addAssign( b: Operand ): Expr;
	dot( b: Expr ): Expr;
	length(): Expr;
	sqrt(): Expr;
	abs(): Expr;
	negate(): Expr;
	element( index: Expr ): Expr;
	toVar( name?: string ): Expr;
	toStack(): Expr;

}

export type Operand = Expr | number | boolean;

/** A `uniform()` whose value is set from JavaScript. */
export interface UniformExpr<T> extends Expr { value: T }

/** A storage buffer seen through one type and one access mode. */
export interface StorageExpr extends Expr {

	value: object;
	access: string;
	bufferCount: number;
	toReadOnly(): StorageExpr;
	toAtomic(): StorageExpr;
	setName( name: string ): StorageExpr;

}

/** A TSL function that becomes a WGSL function of that name. */
export interface LaidOutFn {

	( ...args: Expr[] ): Expr;
	shaderNode: unknown;
	setLayout( layout: { name: string; type: string; inputs: { name: string; type: string }[] } ): LaidOutFn;

}

type Convert = ( ...values: Operand[] ) => Expr;
interface Branch { Else( body: () => void ): void; ElseIf( condition: Expr, body: () => void ): Branch }

interface Facade {

	Fn( body: ( inputs: Expr[], builder: ShaderBuilder ) => Expr | void ): LaidOutFn;
	If( condition: Expr, body: () => void ): Branch;
	Loop( range: { start: Operand; end: Operand; type: 'uint'; condition: '<'; update?: Operand }, body: ( inputs: { i: Expr } ) => void ): void;
	storage( attribute: object, type: string, count: number ): StorageExpr;
	uniform<T>( value: T, type?: string ): UniformExpr<T> & { onObjectUpdate( update: () => T ): UniformExpr<T> };
	uniformArray( values: object[], type: string ): Expr & { onRenderUpdate( update: () => void ): unknown };
	select( condition: Expr, a: Operand, b: Operand ): Expr;
	atomicAdd( target: Expr, value: Operand ): Expr;
	atomicStore( target: Expr, value: Operand ): Expr;
	countOneBits( value: Expr ): Expr;
	workgroupBarrier(): void;
	instanceIndex: Expr; invocationLocalIndex: Expr; invocationSubgroupIndex: Expr; subgroupSize: Expr; subgroupIndex: Expr;
	workgroupId: Expr; numWorkgroups: Expr;
	positionLocal: Expr; normalLocal: Expr; positionPrevious: Expr;
	transformNormal( normal: Expr, matrix: Expr ): Expr;
	varyingProperty( type: string, name: string ): Expr;
	uint: Convert; int: Convert; float: Convert; bool: Convert; uvec4: Convert; vec3: Convert; vec4: Convert;

}

export const {
	Fn, If, Loop, storage, uniform, uniformArray, select, atomicAdd, atomicStore, countOneBits, workgroupBarrier,
	instanceIndex, invocationLocalIndex, invocationSubgroupIndex, subgroupSize, subgroupIndex, workgroupId, numWorkgroups,
	positionLocal, normalLocal, positionPrevious, transformNormal, varyingProperty,
	uint, int, float, bool, uvec4, vec3, vec4
} = TSL as unknown as Facade;

/** Converts an expression (or its operands) to the named type: `convert('uvec2')(a, b)`. */
export function convert( type: string ): Convert {

	return ( TSL as unknown as Record<string, Convert> )[ type ];

}

/** A compute node over a body of TSL statements; dispatched by `dispatchSize`, without three's own bounds check. */
export function computeKernel( name: string, workgroupSize: number, body: ( builder: ShaderBuilder ) => void ): ComputeNode {

	const fn = TSL.Fn as unknown as ( body: ( builder: NodeBuilder ) => void ) => () => { computeKernel( size: number[] ): ComputeNode };
	return fn( builder => body( shaderBuilder( builder ) ) )().computeKernel( [ workgroupSize ] ).setName( name );

}

/** A user's node, or a refusal of what is none. */
export function checkNode( who: string, value: unknown ): Expr {

	if ( ( value as Partial<Expr> | null | undefined )?.isNode !== true ) throw invalidArgument( `${ who }: the value must be a TSL node (got ${ describe( value ) }).` );
	return value as Expr;

}

/** A user's node among ours, and ours handed to the user. */
export const asExpr = ( node: Node ): Expr => node as unknown as Expr;
export const asNode = <T>( node: Expr ): Node<T> => node as unknown as Node<T>;
