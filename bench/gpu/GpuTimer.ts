import { quantile } from '../statistics';
import type { WarmClock } from './WarmClock';

/** Microseconds of one run: the median of many, and their spread. */
export interface Timing {

	median: number;
	p10: number;
	p90: number;
	/** Batches measured. */
	runs: number;
	/** Runs a batch. */
	repeats: number;

}

/** Something to measure: records `repeats` runs in one command encoder, and submits it. */
export interface Work { submit( repeats: number ): void }

const BATCH_MICROSECONDS = 1000;
const MAX_REPEATS = 128;
const PROBES = 3;

/**
 * GPU time by timestamps at the begin and end of whole command encoders, three's own too: those of empty passes, written once
 * all work before them has ended. Each batch follows directly on work that keeps the
 * clock up and hides the time the CPU takes to record the batch.
 */
export class GpuTimer {

	private readonly querySet: GPUQuerySet;
	private readonly resolved: GPUBuffer;
	private readonly staging: GPUBuffer;
	/** The batch whose begin and end the next encoder writes. */
	private armed: number | null = null;

	/**
	 * @param warmUp - Milliseconds of work in front of each measurement.
	 */
	constructor( private readonly device: GPUDevice, private readonly clock: WarmClock, private readonly runs: number, private readonly warmUp: number ) {

		const size = Math.max( runs, PROBES ) * 2 * 8;
		this.querySet = device.createQuerySet( { type: 'timestamp', count: size / 8 } );
		this.resolved = device.createBuffer( { size, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC } );
		this.staging = device.createBuffer( { size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST } );
		this.patch();

	}

	async measure( work: Work ): Promise<Timing> {

		const { runs, warmUp, clock } = this;

		clock.spin( warmUp );
		const guess = Math.min( ...await this.batches( work, PROBES, 1, 0 ) );
		const repeats = Math.max( 1, Math.min( MAX_REPEATS, Math.round( BATCH_MICROSECONDS / guess ) ) );

		// the first batch of this size makes three's caches; the second tells how long recording takes
		work.submit( repeats );
		const start = performance.now();
		work.submit( repeats );
		const recording = performance.now() - start;
		await this.device.queue.onSubmittedWorkDone();

		clock.spin( warmUp );
		const times = ( await this.batches( work, runs, repeats, warmUp > 0 ? 1 + 1.2 * recording : 0 ) ).map( ( time ) => time / repeats );

		return { median: quantile( times, 0.5 ), p10: quantile( times, 0.1 ), p90: quantile( times, 0.9 ), runs, repeats };

	}

	/** Microseconds of each batch, each behind `gap` milliseconds of other work. */
	private async batches( work: Work, runs: number, repeats: number, gap: number ): Promise<number[]> {

		const { device, clock, querySet, resolved, staging } = this;

		for ( let k = 0; k < runs; k ++ ) {

			clock.spin( gap );
			this.armed = k;
			work.submit( repeats );
			if ( this.armed !== null ) throw new Error( 'GpuTimer: the work made no command encoder.' );

		}

		const bytes = runs * 2 * 8;
		const encoder = device.createCommandEncoder();
		encoder.resolveQuerySet( querySet, 0, runs * 2, resolved, 0 );
		encoder.copyBufferToBuffer( resolved, 0, staging, 0, bytes );
		device.queue.submit( [ encoder.finish() ] );

		await staging.mapAsync( GPUMapMode.READ, 0, bytes );
		const ticks = new BigUint64Array( staging.getMappedRange( 0, bytes ).slice( 0 ) );
		staging.unmap();

		return Array.from( { length: runs }, ( _, k ) => Number( ticks[ 2 * k + 1 ] - ticks[ 2 * k ] ) / 1000 );

	}

	/** Makes encoders write timestamps at their begin and end while a batch is armed. */
	private patch(): void {

		const { device, querySet } = this;
		const createCommandEncoder = device.createCommandEncoder.bind( device );

		device.createCommandEncoder = ( descriptor ) => {

			const encoder = createCommandEncoder( descriptor );
			const batch = this.armed;
			if ( batch === null ) return encoder;

			this.armed = null;
			const stamp = ( index: number ): void => encoder.beginComputePass( { timestampWrites: { querySet, endOfPassWriteIndex: index } } ).end();
			stamp( 2 * batch );

			const finish = encoder.finish.bind( encoder );

			encoder.finish = ( finishDescriptor ) => {

				stamp( 2 * batch + 1 );
				return finish( finishDescriptor );

			};

			return encoder;

		};

	}

}
