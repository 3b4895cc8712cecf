import * as threeScan from 'three-scan';
import type { PassOptions } from 'three-scan';
import { storage } from 'three/tsl';
import type { Node, StorageBufferAttribute, WebGPURenderer } from 'three/webgpu';
import { THREE_BITS, wordAt } from '../data';
import { Tally } from '../Tally';
import { verifyValues, verifyWords } from '../verify';
import type { Workload } from '../Workload';
import { Skip, type Case } from './Case';
import { KERNELS } from './kernels';
import { passRun, type Pass } from './passRun';

const BUCKETS = 8;

interface PartitionPass extends Pass { readOffsets( renderer: WebGPURenderer ): Promise<Uint32Array> }

interface PartitionConstructor {

	new ( capacity: number, bucketCount: number, bucketOf: ( i: Node<'uint'> ) => Node<'uint'>, options: PassOptions & { indices: StorageBufferAttribute } ): PartitionPass;

}

/** Into eight buckets, by three bits of each word. */
export const partitionCases: Case[] = Object.keys( KERNELS ).map( ( kernel ) => ( {
	group: 'partition', name: `partition ${ BUCKETS }`, kernel, type: 'uint', pattern: THREE_BITS,
	async prepare( workload ) {

		// older builds do not have it
		const { PartitionPass } = threeScan as { PartitionPass?: PartitionConstructor };
		if ( PartitionPass === undefined ) throw new Skip( 'this build has no PartitionPass.' );

		return passRun( workload.context, () => new PartitionPass( workload.words, BUCKETS, bucketOf( workload ), { ...KERNELS[ kernel ], indices: workload.output } ), async ( pass ) => {

			const tally = workload.expect( 'buckets', () => new Tally( workload.words, BUCKETS, ( i ) => wordAt( THREE_BITS, i ), () => 1 ) );
			const offsets = [ 0 ];
			for ( const count of tally.totals ) offsets.push( offsets[ offsets.length - 1 ] + count );

			return verifyValues( 'offset', await pass.readOffsets( workload.context.renderer ), offsets )
				?? verifyWords( workload, workload.words, ( start ) => bucketed( tally, offsets, start ) );

		} );

	},
} ) );

function bucketOf( { input, length }: Workload ): ( i: Node<'uint'> ) => Node<'uint'> {

	const words = storage( input, 'uint', length ).toReadOnly();
	return ( i ) => words.element( i );

}

/** Indices from place `start` on: each bucket's in ascending order, one bucket after the other. */
function bucketed( tally: Tally, offsets: readonly number[], start: number ): () => number {

	let bucket = offsets.findLastIndex( ( offset ) => offset <= start );
	let i = tally.find( bucket, start - offsets[ bucket ] );

	return () => {

		while ( i >= tally.n ) i = tally.next( ++ bucket, 0 );

		const index = i;
		i = tally.next( bucket, i + 1 );
		return index;

	};

}
