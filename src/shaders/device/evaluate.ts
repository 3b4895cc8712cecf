import type { ComputeNode } from 'three/webgpu';
import type { Closure } from '../../builder/buffers';
import { closureFunction } from '../../builder/closure';
import { If, computeKernel, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import { linearInvocationIndex } from './linearWorkgroupId';

/** A closure over candidates, by the name of the user's option. */
export interface NamedClosure { name: string; type: 'bool' | 'uint'; value: Closure }

/** One candidate a lane, its value into a buffer. */
export function evaluateKernel( name: string, who: string, workgroupSize: number, closure: NamedClosure, count: () => Expr, values: StorageExpr ): ComputeNode {

	return computeKernel( name, workgroupSize, builder => {

		const valueOf = closureFunction( builder, who, closure.name, closure.value, closure.type );
		const index = linearInvocationIndex( workgroupSize ).toVar();

		If( index.lessThan( count() ), () => {

			const value = valueOf( index ).toVar();
			values.element( index ).assign( closure.type === 'bool' ? choose( 'uint', value, uint( 1 ), uint( 0 ) ) : value );

		} );

	} );

}
