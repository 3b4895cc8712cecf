import { BitonicSort } from 'three/addons/gpgpu/BitonicSort.js';
import { CountingSort } from 'three/addons/gpgpu/CountingSort.js';
import { instanceIndex, storage } from 'three/tsl';
import type { BufferAttribute, ComputeNode, StorageBufferNode, WebGPURenderer } from 'three/webgpu';
import { ALL_BITS, TWELVE_BITS, THREE_BITS, wordAt, type Pattern } from '../data';
import { verifyIndices } from '../verify';
import type { Workload } from '../Workload';
import { nodesWork, type Case, type Run } from './Case';
import { verifySorted } from './sorted';

/** What three's own sorts have and its type declarations do not say. */
interface BitonicInternals { tempBuffer: StorageBufferNode<'uint'>; infoStorage: StorageBufferNode<'uint'> }

/** Beyond, its local steps dispatch in two dimensions and read one. */
const BITONIC_MAX = 22;
/** Beyond, each run takes tens of milliseconds. */
const COUNTING_MAX = 24;

/** What three brings along, in place of a partition and of a sort. */
export const threeCases: Case[] = [ countingCase( 8, THREE_BITS ), countingCase( 4096, TWELVE_BITS ), {
	group: 'three', name: 'BitonicSort', type: 'uint', pattern: ALL_BITS, maxLog: BITONIC_MAX,
	async prepare( workload ) {

		const { renderer } = workload.context;
		const keys = storage( workload.input, 'uint', workload.length );
		const sort = new BitonicSort( renderer, keys );
		const { tempBuffer, infoStorage } = sort as unknown as BitonicInternals;

		return sortRun( workload, capture( ( recorder ) => void sort.compute( recorder ) ), {
			result: workload.input,
			verify: () => verifySorted( workload, workload.input ),
			owned: [ tempBuffer.value, infoStorage.value ],
		} );

	},
} ];

/** Sorts into bins like a partition; the order inside a bin is lost. */
function countingCase( binCount: number, pattern: Pattern ): Case {

	return {
		group: 'three', name: `CountingSort ${ binCount }`, type: 'uint', pattern, maxLog: COUNTING_MAX,
		async prepare( workload ) {

			const sort = new CountingSort( workload.length, { binCount } );
			const words = storage( workload.input, 'uint', workload.length ).toReadOnly();
			sort.setBinNode( () => words.element( instanceIndex ) );

			return sortRun( workload, capture( ( recorder ) => sort.compute( recorder ) ), {
				result: sort.orderAttribute,
				verify: () => verifyBins( workload, sort, pattern ),
				owned: [ sort.orderAttribute, sort.binWrite.value, sort.histogramAtomic.value, sort.offsetAtomic.value ],
			} );

		},
	};

}

/** The nodes that a sort hands to its renderer, so that many sorts fit in one pass. */
function capture( run: ( recorder: WebGPURenderer ) => void ): ComputeNode[] {

	const nodes: ComputeNode[] = [];
	const recorder = { compute: ( given: ComputeNode | ComputeNode[] ) => void nodes.push( ...[ given ].flat() ) };
	run( recorder as unknown as WebGPURenderer );
	return nodes;

}

function sortRun( { context: { renderer, ledger } }: Workload, nodes: ComputeNode[], { result, verify, owned }: { result: BufferAttribute; verify: Run[ 'verify' ]; owned: BufferAttribute[] } ): Run {

	const bytes = ledger.liveBytes;
	renderer.compute( nodes );

	return {
		work: nodesWork( renderer, nodes ), result, verify,
		scratchBytes: ledger.liveBytes - bytes,
		dispose() {

			for ( const node of new Set( nodes ) ) node.dispose();
			for ( const attribute of owned ) attribute.dispose();

		},
	};

}

function verifyBins( workload: Workload, { binCount, orderAttribute }: CountingSort, pattern: Pattern ): Promise<string | null> {

	const ends = new Float64Array( binCount );
	for ( let i = 0; i < workload.length; i ++ ) ends[ wordAt( pattern, i ) ] ++;
	for ( let bin = 1; bin < binCount; bin ++ ) ends[ bin ] += ends[ bin - 1 ];

	return verifyIndices( workload, workload.length, orderAttribute, ( index, place ) => {

		const bin = wordAt( pattern, index );
		return place < ends[ bin ] && ( bin === 0 || place >= ends[ bin - 1 ] );

	} );

}
