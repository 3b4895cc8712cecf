import { Node, type NodeBuilder } from 'three/webgpu';
import { wgsl } from 'three/tsl';
import { shaderBuilder, type ShaderBuilder } from '../three-types';
import { OwnNode } from './OwnNode';
import type { Expr } from './tsl';

/** Names are numbered per shader, so that equal kernels have equal text and share a shader module. */
const counters = new WeakMap<object, Map<string, number>>();

/** Writes WGSL statements at the place of the current TSL statement. */
export class WgslWriter {

	constructor( readonly builder: ShaderBuilder ) {}

	/** A name not used before in this shader. */
	name( prefix: string ): string {

		const counter = counters.get( this.builder.codes ) ?? new Map<string, number>();
		counters.set( this.builder.codes, counter );

		const k = counter.get( prefix ) ?? 0;
		counter.set( prefix, k + 1 );

		return `${ prefix }${ k }`;

	}

	line( text: string ): void {

		this.builder.addFlowCode( `\t${ text }${ /[{}]$/.test( text ) ? '' : ';' }\n` );

	}

	/** Declares workgroup memory at module scope and returns its name. */
	workgroupArray( prefix: string, wgslType: string, length: number ): string {

		const name = this.name( `wg_${ prefix }` );
		( wgsl( `var<workgroup> ${ name }: array<${ wgslType }, ${ length }>;` ) as unknown as Expr ).build( this.builder, 'void' );
		return name;

	}

	workgroupAtomic( prefix: string ): string {

		const name = this.name( `wg_${ prefix }` );
		( wgsl( `var<workgroup> ${ name }: atomic<u32>;` ) as unknown as Expr ).build( this.builder, 'void' );
		return name;

	}

	/** The WGSL text of an expression, converted to `type`. */
	text( node: Expr, type: string ): string {

		return node.build( this.builder, type );

	}

	/** The WGSL name of a TSL type: `vec2` → `vec2<f32>`. */
	type( type: string ): string {

		return this.builder.getType( type );

	}

}

/** Emits text from inputs (names or expressions, in order) and returns the expressions of its results. */
export type Emit = ( writer: WgslWriter, inputs: string[] ) => string[];

/** A block of WGSL statements with typed inputs and results, placed where it is constructed. */
class WgslBlock extends OwnNode {

	static get type(): string {

		return 'ThreeScanWgslBlock';

	}

	results: string[] = [];

	constructor( private readonly inputs: readonly TypedExpr[], private readonly emit: Emit ) {

		super( 'void' );

	}

	override setup( builder: NodeBuilder ): null {

		// collectives need every invocation, and variables at function scope
		const shader = shaderBuilder( builder );
		shader.allowEarlyReturns = false;
		shader.allowGlobalVariables = false;

		const properties = shader.getNodeProperties( this );
		this.inputs.forEach( ( { node }, k ) => { properties[ `input${ k }` ] = node; } );
		return null;

	}

	override generate( builder: NodeBuilder ): string {

		const writer = new WgslWriter( shaderBuilder( builder ) );
		this.results = this.emit( writer, this.inputs.map( ( { node, type } ) => writer.text( node, type ) ) );
		return '';

	}

}

class WgslResult extends OwnNode {

	static get type(): string {

		return 'ThreeScanWgslResult';

	}

	constructor( type: string, private readonly result: () => string ) {

		super( type );

	}

	override generate(): string {

		return this.result();

	}

}

export interface TypedExpr { node: Expr; type: string }

/**
 * Places a block of WGSL statements at the current TSL statement. Its results are variables,
 * readable from then on.
 */
export function emitWgsl( inputs: readonly TypedExpr[], outputTypes: readonly string[], emit: Emit ): Expr[] {

	const block = new WgslBlock( inputs, emit );
	( block as unknown as Expr ).toStack();

	return outputTypes.map( ( type, k ) => ( new WgslResult( type, () => block.results[ k ] ) as unknown as Expr ).toVar() );

}

/** An expression whose text is computed when the shader is generated. */
export function wgslExpression( type: string, text: ( writer: WgslWriter ) => string ): Expr {

	return new TextNode( type, builder => text( new WgslWriter( builder ) ) ) as unknown as Expr;

}

class TextNode extends OwnNode {

	static get type(): string {

		return 'ThreeScanText';

	}

	constructor( type: string, private readonly text: ( builder: ShaderBuilder ) => string ) {

		super( type );

	}

	override generate( builder: NodeBuilder ): string {

		return this.text( shaderBuilder( builder ) );

	}

}

/**
 * `condition ? a : b` as WGSL's `select()`: no branch, both sides evaluated. TSL's own `select` becomes an if and an else.
 */
export function choose( type: string, condition: Expr, a: Expr, b: Expr ): Expr {

	return new ChooseNode( type, condition, a, b ) as unknown as Expr;

}

class ChooseNode extends Node {

	static get type(): string {

		return 'ThreeScanChoose';

	}

	constructor( type: string, private readonly condition: Expr, private readonly whenTrue: Expr, private readonly whenFalse: Expr ) {

		super( type );

	}

	override setup( builder: NodeBuilder ): null {

		Object.assign( shaderBuilder( builder ).getNodeProperties( this ), { condition: this.condition, whenTrue: this.whenTrue, whenFalse: this.whenFalse } );
		return null;

	}

	override generate( builder: NodeBuilder ): string {

		const writer = new WgslWriter( shaderBuilder( builder ) );
		const type = this.nodeType as string;
		return `select( ${ writer.text( this.whenFalse, type ) }, ${ writer.text( this.whenTrue, type ) }, ${ writer.text( this.condition, 'bool' ) } )`;

	}

}
