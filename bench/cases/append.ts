import { atomicAdd, atomicStore, Fn, If, instanceIndex, storage, uint } from 'three/tsl';
import { StorageBufferAttribute } from 'three/webgpu';
import { wordAt } from '../data';
import { verifyIndices, verifyValues } from '../verify';
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

				return verifyValues( 'survivor count', [ got ], [ expected ] ) ?? verifyIndices( workload, expected, workload.output, ( index ) => wordAt( HALF.pattern, index ) >= HALF.least );

			},
			dispose() {

				reset.dispose();
				append.dispose();
				counter.dispose();

			},
		};

	},
} ];
