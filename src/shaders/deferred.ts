import type { Node, NodeBuilder } from 'three/webgpu';
import { OwnNode } from '../builder/OwnNode';
import { shaderBuilder, type ShaderBuilder } from '../three-types';
import type { Expr } from '../builder/tsl';

/**
 * Statements that depend on the device or on a value's type, which are known only when the shader is built. `build` runs in
 * place of the statement and returns its results, which `types` tells the types of.
 */
export function deferStatements( count: number, type: ( builder: ShaderBuilder ) => string, build: ( builder: ShaderBuilder ) => Expr[] ): Expr[] {

	const statement = new DeferredStatement( build );
	( statement as unknown as Expr ).toStack();
	return Array.from( { length: count }, ( _, k ) => ( new DeferredResult( statement, k, type ) as unknown as Expr ).toVar() );

}

class DeferredStatement extends OwnNode {

	static get type(): string {

		return 'ThreeScanDeferredStatement';

	}

	/** By shader: a node may be built for several. */
	private readonly results = new WeakMap<object, Expr[]>();

	constructor( private readonly construct: ( builder: ShaderBuilder ) => Expr[] ) {

		super( 'void' );

	}

	override setup( builder: NodeBuilder ): null {

		const shader = shaderBuilder( builder );
		shader.allowEarlyReturns = false;
		this.results.set( shader.codes, this.construct( shader ) );
		return null;

	}

	override generate(): string {

		return '';

	}

	resultsOf( builder: ShaderBuilder ): Expr[] {

		return this.results.get( builder.codes )!;

	}

}

class DeferredResult extends OwnNode {

	static get type(): string {

		return 'ThreeScanDeferredResult';

	}

	constructor( private readonly statement: DeferredStatement, private readonly index: number, private readonly typeOf: ( builder: ShaderBuilder ) => string ) {

		super();

	}

	override generateNodeType( builder: NodeBuilder ): string {

		return this.typeOf( shaderBuilder( builder ) );

	}

	override setup( builder: NodeBuilder ): Node {

		return this.statement.resultsOf( shaderBuilder( builder ) )[ this.index ] as unknown as Node;

	}

}
