import { ScanError, describe, invalidArgument } from '../errors';
import type { ShaderBuilder } from '../three-types';
import type { Closure } from './buffers';
import { Fn, asExpr, asNode, bool, convert, type Expr, type LaidOutFn } from './tsl';
import { emitWgsl } from './wgsl';

const FORBIDDEN = /\b(workgroupBarrier|storageBarrier|textureBarrier|workgroupUniformLoad|subgroup[A-Z]\w*|quad[A-Z]\w*)\b/;

/**
 * A user's closure as a WGSL function from an element's index to its value. A function, so that its
 * text stands in the shader once however often it is called; made anew for each kernel (see `combineFunction`). In it `instanceIndex`
 * is the element's index. With `flags`, a number is taken for a bool: non-zero is true.
 *
 * @throws {ScanError} `invalid-argument` if the closure returns another type, or contains `Return()` or a barrier.
 */
export function closureFunction( builder: ShaderBuilder, who: string, name: string, closure: Closure, type: string, { flags = false } = {} ): ( index: Expr ) => Expr {

	const fn: LaidOutFn = Fn( ( [ index ], inner ) => {

		emitWgsl( [ { node: index, type: 'uint' } ], [], ( writer, [ i ] ) => {

			writer.line( `instanceIndex = ${ i }` );
			return [];

		} );

		const value: unknown = closure( asNode( index ) );
		const result = typeof value === 'boolean' ? bool( value ) : typeof value === 'number' && type !== 'bool' ? convert( type )( value ) : asExpr( value as Parameters<typeof asExpr>[ 0 ] );
		const got = result?.isNode === true ? result.getNodeType( inner ) : describe( value );

		if ( type === 'bool' && flags && [ 'uint', 'int', 'float' ].includes( got ) ) return result.notEqual( 0 ).toVar();
		if ( got !== type ) throw invalidArgument( `${ who }: the ${ name } must return a ${ flags ? 'bool, uint, int or float' : type } node (got ${ got }).${ flags ? ' Return a bool, or a number: non-zero marks a segment\'s first element.' : type === 'bool' ? ' Compare, e.g. value.greaterThan( 0 ).' : ` Convert it, e.g. ${ type }( … ).` }` );

		return result.toVar();

	} ).setLayout( { name: `closure_${ name }`, type, inputs: [ { name: 'i', type: 'uint' } ] } );

	checkFunction( builder, `${ who }: the ${ name }`, fn );
	return index => fn( index );

}

/**
 * Builds a user's function and refuses what it must not contain: it may run in any order, for any element, beside others.
 *
 * @throws {ScanError} `invalid-argument`
 */
export function checkFunction( builder: ShaderBuilder, label: string, fn: LaidOutFn ): void {

	const code = build();
	const forbidden = FORBIDDEN.exec( code );

	if ( forbidden !== null ) throw invalidArgument( `${ label } must not synchronise or use subgroups (got ${ forbidden[ 1 ] }). It runs once an element, not once a workgroup.` );
	if ( ( code.match( /\breturn\b/g ) ?? [] ).length > 1 ) throw invalidArgument( `${ label } must not contain Return() (got one). Put the rest into an If( … ), and return the value.` );

	function build(): string {

		try {

			return builder.buildFunctionNode( fn.shaderNode ).code;

		} catch ( cause ) {

			// three's own words where a node needs a camera, an object or a material
			if ( cause instanceof ScanError ) throw cause;
			throw new ScanError( 'invalid-argument', `${ label } can't be built in a compute shader (got ${ cause instanceof Error ? cause.message : String( cause ) }). Camera and object nodes exist in materials only: pass their matrices as uniforms.`, { cause } );

		}

	}

}
