const SHADER = /* wgsl */`
@group(0) @binding(0) var<storage, read_write> sink: array<u32>;
@group(0) @binding(1) var<uniform> rounds: u32;

@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
	var x = id.x;
	for (var k = 0u; k < rounds; k++) { x = x * 1664525u + 1013904223u; }
	if (x == 12345u) { sink[0] = x; }
}`;

/** Enough to fill any GPU. */
const WORKGROUPS = 2048;

/**
 * Keeps the GPU busy with arithmetic, so that its clock is up when something is measured. An idle GPU runs at a fraction
 * of its clock, and falls back to it while the CPU checks results.
 */
export class WarmClock {

	private constructor(
		private readonly device: GPUDevice,
		private readonly pipeline: GPUComputePipeline,
		private readonly group: GPUBindGroup,
		private readonly sink: GPUBuffer,
		private readonly target: GPUBuffer,
		private readonly rounds: GPUBuffer,
	) {}

	static async create( device: GPUDevice ): Promise<WarmClock> {

		const module = device.createShaderModule( { code: SHADER } );
		const pipeline = await device.createComputePipelineAsync( { layout: 'auto', compute: { module, entryPoint: 'main' } } );
		const sink = device.createBuffer( { size: 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC } );
		const target = device.createBuffer( { size: 16, usage: GPUBufferUsage.COPY_DST } );
		const rounds = device.createBuffer( { size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST } );
		const group = device.createBindGroup( { layout: pipeline.getBindGroupLayout( 0 ), entries: [ { binding: 0, resource: { buffer: sink } }, { binding: 1, resource: { buffer: rounds } } ] } );

		const clock = new WarmClock( device, pipeline, group, sink, target, rounds );
		await clock.calibrate();
		return clock;

	}

	/** Submits about so many milliseconds of work, at the full clock. What is submitted next starts when it has ended. */
	spin( milliseconds: number ): void {

		const { device, pipeline, group, sink, target } = this;
		const encoder = device.createCommandEncoder();
		const units = Math.round( milliseconds );

		if ( units > 0 ) {

			const pass = encoder.beginComputePass();
			pass.setPipeline( pipeline );
			pass.setBindGroup( 0, group );
			for ( let k = 0; k < units; k ++ ) pass.dispatchWorkgroups( WORKGROUPS );
			pass.end();

		}

		// reads what the dispatches write: a barrier that the GPU's front end stops at, so that no later timestamp is taken early
		encoder.copyBufferToBuffer( sink, 0, target, 0, 16 );
		device.queue.submit( [ encoder.finish() ] );

	}

	/** Sets the rounds of one dispatch to a millisecond. Warms the clock up while at it. */
	private async calibrate(): Promise<void> {

		const UNITS = 8;

		for ( let rounds = 256; ; rounds *= 2 ) {

			this.setRounds( rounds );
			const start = performance.now();
			this.spin( UNITS );
			await this.device.queue.onSubmittedWorkDone();
			const milliseconds = performance.now() - start;

			if ( milliseconds < 40 ) continue;

			this.setRounds( Math.max( 1, Math.round( rounds * UNITS / milliseconds ) ) );
			return;

		}

	}

	private setRounds( rounds: number ): void {

		this.device.queue.writeBuffer( this.rounds, 0, new Uint32Array( [ rounds ] ) );

	}

}
