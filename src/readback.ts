import type { BufferAttribute, WebGPURenderer } from 'three/webgpu';
import { ScanError } from './errors';
import { internals } from './three-types';

interface Staging { buffer: GPUBuffer; busy: boolean }

/** How many array reads of one pass may be in flight. */
const ARRAY_READS = 2;

/** Small staging buffers (counts, totals, offsets), shared by all passes of a device: as many as are in flight at once. */
const rings = new WeakMap<GPUDevice, Staging[]>();

/** Reads a pass's buffers back, as they are at the call. Staging is reused: reading every frame allocates nothing. */
export class Readback {

	private readonly arrays: Staging[] = [];
	private readonly pending = new Set<( reason: ScanError ) => void>();
	private waiting: ( () => void )[] = [];
	private inFlight = 0;
	private closed = false;

	constructor( private readonly who: string ) {}

	/** Reads a few words: never waits for other reads. */
	words( renderer: WebGPURenderer, attribute: BufferAttribute, words = attribute.array.length ): Promise<Uint32Array> {

		const { device } = internals( renderer ).backend;
		const ring = rings.get( device ) ?? [];
		rings.set( device, ring );

		return this.copy( renderer, ring, attribute, words * 4 );

	}

	/** Reads an array, with a count beside it if given, both as they are when the copy begins. A third read waits. */
	async array( renderer: WebGPURenderer, attribute: BufferAttribute, words: number, count: BufferAttribute | null = null ): Promise<{ data: Uint32Array; count: number | null }> {

		while ( this.inFlight >= ARRAY_READS ) await this.guard( new Promise<void>( resolve => this.waiting.push( resolve ) ) );

		this.inFlight ++;

		try {

			const [ data, counts ] = await Promise.all( [
				this.copy( renderer, this.arrays, attribute, words * 4 ),
				count === null ? null : this.words( renderer, count, 1 )
			] );
			return { data, count: counts === null ? null : counts[ 0 ] };

		} finally {

			this.inFlight --;
			this.waiting.shift()?.();

		}

	}

	private async copy( renderer: WebGPURenderer, pool: Staging[], attribute: BufferAttribute, bytes: number ): Promise<Uint32Array> {

		if ( bytes === 0 ) return new Uint32Array( 0 );

		const { device, get } = this.backend( renderer );
		const source = get( attribute );
		const staging = acquire( device, pool, bytes );

		const encoder = device.createCommandEncoder( { label: `${ this.who } read` } );
		encoder.copyBufferToBuffer( source, 0, staging.buffer, 0, bytes );
		device.queue.submit( [ encoder.finish() ] );

		const mapped = staging.buffer.mapAsync( GPUMapMode.READ, 0, bytes ).then(
			() => {

				const data = new Uint32Array( staging.buffer.getMappedRange( 0, bytes ).slice( 0 ) );
				staging.buffer.unmap();
				staging.busy = false;
				if ( this.closed ) this.release();
				return data;

			},
			( cause: unknown ) => {

				staging.busy = false;
				throw new ScanError( 'device-lost', `${ this.who }: the read failed because the device was lost. Dispose the pass and initialise it with a new renderer.`, { cause } );

			}
		);

		return this.guard( mapped );

	}

	private backend( renderer: WebGPURenderer ): { device: GPUDevice; get: ( attribute: BufferAttribute ) => GPUBuffer } {

		const { backend } = internals( renderer );

		return {
			device: backend.device,
			get: attribute => {

				const { buffer } = backend.get( attribute );
				if ( buffer === undefined ) throw new ScanError( 'not-initialized', `${ this.who }: nothing to read, its buffer is not on the GPU yet. Call compute() first.` );
				return buffer;

			}
		};

	}

	/** The promise, rejected early if the pass is disposed. */
	private guard<T>( promise: Promise<T> ): Promise<T> {

		return new Promise<T>( ( resolve, reject ) => {

			this.pending.add( reject );
			promise.then( resolve, reject ).finally( () => this.pending.delete( reject ) );

		} );

	}

	/** Rejects what is pending; staging buffers go once they are unmapped. */
	dispose(): void {

		this.closed = true;
		for ( const reject of this.pending ) reject( new ScanError( 'disposed', `${ this.who }: the read was still pending when the pass was disposed.` ) );
		this.pending.clear();
		this.release();

	}

	/** Makes a disposed readback usable again. */
	revive(): void {

		this.closed = false;

	}

	private release(): void {

		for ( const staging of this.arrays.filter( ( { busy } ) => ! busy ) ) {

			staging.buffer.destroy();
			this.arrays.splice( this.arrays.indexOf( staging ), 1 );

		}

	}

}

/** A free staging buffer that is large enough, or a new one, of a power-of-two size so that others can use it. */
function acquire( device: GPUDevice, pool: Staging[], bytes: number ): Staging {

	const free = pool.find( staging => ! staging.busy && staging.buffer.size >= bytes );

	if ( free !== undefined ) {

		free.busy = true;
		return free;

	}

	// a free one that is too small would never be used again
	const small = pool.findIndex( staging => ! staging.busy );
	if ( small >= 0 ) pool.splice( small, 1 )[ 0 ].buffer.destroy();

	const size = Math.max( 256, Math.min( 2 ** Math.ceil( Math.log2( bytes ) ), device.limits.maxBufferSize ) );
	const staging = { buffer: device.createBuffer( { label: 'three-scan staging', size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST } ), busy: true };
	pool.push( staging );
	return staging;

}
