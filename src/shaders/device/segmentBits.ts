import type { ComputeNode } from 'three/webgpu';
import type { Closure } from '../../builder/buffers';
import { closureFunction } from '../../builder/closure';
import { If, Loop, computeKernel, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import { linearInvocationIndex } from './linearWorkgroupId';

/** Parks a closure's segment flags as bits, one word for 32 elements, so that it runs once an element. */
export function segmentBitsKernel( name: string, who: string, workgroupSize: number, closure: Closure, count: () => Expr, bits: StorageExpr ): ComputeNode {

	return computeKernel( name, workgroupSize, builder => {

		const limit = count().toVar();
		const word = linearInvocationIndex( workgroupSize ).toVar();
		const flag = closureFunction( builder, who, 'segments', closure, 'bool', { flags: true } );

		If( word.mul( 32 ).lessThan( limit ), () => {

			const mask = uint( 0 ).toVar();

			Loop( { start: uint( 0 ), end: uint( 32 ), type: 'uint', condition: '<', update: 1 }, ( { i } ) => {

				const element = word.mul( 32 ).add( i ).toVar();
				If( element.lessThan( limit ), () => { mask.assign( mask.bitOr( choose( 'uint', flag( element ), uint( 1 ), uint( 0 ) ).shiftLeft( i ) ) ); } );

			} );

			bits.element( word ).assign( mask );

		} );

	} );

}
