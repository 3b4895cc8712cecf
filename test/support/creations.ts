export interface Creations {

	readonly made: { buffers: number; bindGroups: number; pipelines: number; modules: number };
	/** Buffers that nobody destroyed; those with one of these usages, if given. */
	live( usage?: GPUBufferUsageFlags ): number;
	/** Those of them that are read from. */
	staging(): number;

}

/** Counts what a device creates from now on. */
export function countCreations( device: GPUDevice ): Creations {

	const made = { buffers: 0, bindGroups: 0, pipelines: 0, modules: 0 };
	const live = new Set<GPUBuffer>();

	const wrap = <Name extends 'createBindGroup' | 'createComputePipeline' | 'createComputePipelineAsync' | 'createShaderModule'>( name: Name, key: keyof typeof made ): void => {

		const create = device[ name ].bind( device ) as ( descriptor: object ) => never;

		device[ name ] = ( descriptor: object ) => {

			made[ key ] ++;
			return create( descriptor );

		};

	};

	wrap( 'createBindGroup', 'bindGroups' );
	wrap( 'createComputePipeline', 'pipelines' );
	wrap( 'createComputePipelineAsync', 'pipelines' );
	wrap( 'createShaderModule', 'modules' );

	const createBuffer = device.createBuffer.bind( device );

	device.createBuffer = ( descriptor ) => {

		made.buffers ++;
		const buffer = createBuffer( descriptor ), destroy = buffer.destroy.bind( buffer );
		live.add( buffer );

		buffer.destroy = () => {

			live.delete( buffer );
			destroy();

		};

		return buffer;

	};

	const having = ( usage: GPUBufferUsageFlags ): number => [ ...live ].filter( ( buffer ) => buffer.usage & usage ).length;
	return { made, live: ( usage ) => usage === undefined ? live.size : having( usage ), staging: () => having( GPUBufferUsage.MAP_READ ) };

}
