/** GPU objects made so far. */
export interface Created { buffers: number; bindGroups: number; computePipelines: number }

/** Keeps book of what is made on a device: who allocates how much, and what is made in each frame. */
export class Ledger {

	/** Bytes of the buffers alive now, staging for reads left out. */
	liveBytes = 0;
	readonly created: Created = { buffers: 0, bindGroups: 0, computePipelines: 0 };

	constructor( device: GPUDevice ) {

		const createBuffer = device.createBuffer.bind( device );
		const createBindGroup = device.createBindGroup.bind( device );
		const createComputePipeline = device.createComputePipeline.bind( device );
		const createComputePipelineAsync = device.createComputePipelineAsync.bind( device );

		device.createBuffer = ( descriptor ) => {

			this.created.buffers ++;
			return this.track( createBuffer( descriptor ) );

		};

		device.createBindGroup = ( descriptor ) => {

			this.created.bindGroups ++;
			return createBindGroup( descriptor );

		};

		device.createComputePipeline = ( descriptor ) => {

			this.created.computePipelines ++;
			return createComputePipeline( descriptor );

		};

		device.createComputePipelineAsync = ( descriptor ) => {

			this.created.computePipelines ++;
			return createComputePipelineAsync( descriptor );

		};

	}

	/** All objects made so far. */
	get total(): number {

		return this.created.buffers + this.created.bindGroups + this.created.computePipelines;

	}

	private track( buffer: GPUBuffer ): GPUBuffer {

		if ( ( buffer.usage & GPUBufferUsage.MAP_READ ) !== 0 ) return buffer;

		const { size } = buffer;
		const destroy = buffer.destroy.bind( buffer );
		let isAlive = true;

		this.liveBytes += size;

		buffer.destroy = () => {

			if ( isAlive ) this.liveBytes -= size;
			isAlive = false;
			return destroy();

		};

		return buffer;

	}

}
