import { atomicAdd, atomicStore, Fn, If, instanceIndex, storage, uint } from 'three/tsl';
import { StorageBufferAttribute } from 'three/webgpu';
import { wordAt } from '../data';
import { windowsOf } from '../gpu/readWords';
import { verifyValues } from '../verify';
import type { Workload } from '../Workload';
import { nodesWork, type Case } from './Case';
import { HALF, predicate, survivors } from './compact';

/** What compaction replaces: one `atomicAdd` a survivor, whose order is lost. Clearing the counter is not in the time. */
export const appendCases: Case[] = [ {
	group: 'append', name: 'atomic append', type: 'uint', pattern: HALF.pattern,
	async prepare( workload ) {

		const { renderer } = workload.context;

		const counter = new StorageBufferAttribute( new Uint32Array( 4 ), 1 );
		const count = storage( counter, 'uint', 4 ).toAtomic();
		const indices = storage( workload.output, 'uint', workload.length );
		const keep = predicate( workload, HALF );

		const reset = Fn( () => { atomicStore( count.element( 0 ), uint( 0 ) ); } )().compute( 1, [ 1 ] ).setName( 'reset' );

		const append = Fn( () => {

			If( keep( instanceIndex ), () => {

				// runs without a reset go round the output: the length is a power of two
				const slot = atomicAdd( count.element( 0 ), uint( 1 ) ).bitAnd( uint( workload.length - 1 ) );
				indices.element( slot ).assign( instanceIndex );

			} );

		} )().compute( workload.length, [ 256 ] ).setName( 'append' );

		return {
			work: nodesWork( renderer, [ append ] ),
			settle() {

				renderer.compute( [ reset, append ] );

			},
			async verify() {

				const [ [ got ] ] = await workload.read( [ { start: 0, length: 1 } ], counter );
				const [ expected ] = survivors( workload, HALF ).totals;

				return verifyValues( 'survivor count', [ got ], [ expected ] ) ?? verifySet( workload, expected );

			},
			dispose() {

				reset.dispose();
				append.dispose();
				counter.dispose();

			},
		};

	},
} ];

/** Each index in the output is a survivor's, and none is there twice. */
async function verifySet( workload: Workload, count: number ): Promise<string | null> {

	const seen = new Uint8Array( workload.length );

	for ( const content of await workload.read( windowsOf( count ) ) ) {

		for ( const index of content ) {

			if ( index >= workload.length || wordAt( HALF.pattern, index ) < HALF.least ) return `index ${ index } is no survivor's`;
			if ( seen[ index ] ++ > 0 ) return `index ${ index } is there twice`;

		}

	}

	return null;

}
