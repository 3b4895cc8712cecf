import type { BufferAttribute } from 'three/webgpu';
import { view, type Closure } from '../builder/buffers';
import { asExpr, asNode, type Expr } from '../builder/tsl';
import { evaluateKernel, type NamedClosure } from '../shaders/device/evaluate';
import type { PlanBuilder } from './Plan';

/**
 * Puts a dispatch in front that evaluates a closure, where there is a buffer for its values; returns the closure to go on with. Kernels over
 * masks have 32 candidates a lane, too few lanes to hide the loads of a long closure: here each candidate has a lane.
 */
export function evaluateApart( plan: PlanBuilder, who: string, name: string, workgroupSize: number, closure: NamedClosure, count: () => Expr, values: BufferAttribute | undefined ): Closure {

	if ( values === undefined ) return closure.value;

	plan.add( evaluateKernel( `${ name } evaluate`, who, workgroupSize, closure, count, view( values, 'uint', 'evaluated' ) ), elements => Math.ceil( elements / workgroupSize ) );

	const evaluated = view( values, 'uint', 'evaluated' ).toReadOnly();

	return index => {

		const value = evaluated.element( asExpr( index ) );
		return asNode( closure.type === 'bool' ? value.notEqual( 0 ) : value );

	};

}
