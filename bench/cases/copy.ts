import { Fn, If, instanceIndex, invocationLocalIndex, storage, uint } from 'three/tsl';
import type { ComputeNode } from 'three/webgpu';
import { TWO_BITS, wordAt } from '../data';
import { verifyWords } from '../verify';
import type { Workload } from '../Workload';
import { nodesWork, type Case } from './Case';

const WORKGROUP = 256;
const VECTORS_PER_THREAD = 4;

/** A copy moves 2N words: the floor of anything that reads N words and writes as many. */
export const copyCases: Case[] = [
	{
		group: 'copy', name: 'copy', kernel: 'vec4', type: 'vec4', pattern: TWO_BITS,
		async prepare( workload ) {

			const node = copyNode( workload );
			const { renderer } = workload.context;

			return {
				work: nodesWork( renderer, [ node ] ),
				verify: () => verifyCopy( workload ),
				dispose: () => node.dispose(),
			};

		},
	},
	{
		group: 'copy', name: 'copy', kernel: 'copyBufferToBuffer', type: 'uint', pattern: TWO_BITS,
		async prepare( workload ) {

			const { device } = workload.context;
			const from = workload.buffer( workload.input );
			const to = workload.buffer( workload.output );

			return {
				work: {
					submit( repeats ) {

						const encoder = device.createCommandEncoder();
						for ( let k = 0; k < repeats; k ++ ) encoder.copyBufferToBuffer( from, 0, to, 0, from.size );
						device.queue.submit( [ encoder.finish() ] );

					},
				},
				verify: () => verifyCopy( workload ),
				dispose() {},
			};

		},
	},
];

function copyNode( { input, output, length }: Workload ): ComputeNode {

	const from = storage( input, 'vec4', length ).toReadOnly();
	const to = storage( output, 'vec4', length );

	return Fn( () => {

		const first = instanceIndex.div( WORKGROUP ).mul( WORKGROUP * VECTORS_PER_THREAD ).add( invocationLocalIndex ).toVar();

		for ( let k = 0; k < VECTORS_PER_THREAD; k ++ ) {

			const i = first.add( k * WORKGROUP );
			If( i.lessThan( uint( length ) ), () => { to.element( i ).assign( from.element( i ) ); } );

		}

	} )().compute( Math.ceil( length / VECTORS_PER_THREAD / WORKGROUP ) * WORKGROUP, [ WORKGROUP ] ).setName( 'copy' );

}

function verifyCopy( workload: Workload ): Promise<string | null> {

	return verifyWords( workload, workload.words, ( start ) => {

		let i = start;
		return () => wordAt( TWO_BITS, i ++ );

	} );

}
