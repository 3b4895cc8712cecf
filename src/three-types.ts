/**
 * The parts of three r187 that this package uses and `@types/three` 0.187 does not describe,
 * in one place: what to look at first when three moves.
 */
import type { BufferAttribute, ComputeNode, NodeBuilder, WebGPURenderer } from 'three/webgpu';

/** What a node sees of the builder that writes its shader. */
export interface ShaderBuilder {

	readonly renderer: WebGPURenderer;
	/** The shader's functions. The same object through the proxy that a `Fn` gets of its builder: what identifies a shader. */
	readonly codes: object;
	allowEarlyReturns: boolean;
	allowGlobalVariables: boolean;
	/** The WGSL name of a TSL type. */
	getType( type: string ): string;
	getNodeProperties( node: unknown ): Record<string, unknown>;
	addFlowCode( code: string ): void;
	buildFunctionNode( shaderNode: unknown ): { code: string; build( builder: ShaderBuilder, output: 'property' ): string };

}

export function shaderBuilder( builder: NodeBuilder ): ShaderBuilder {

	return builder as unknown as ShaderBuilder;

}

/** One binding of a compute shader. */
export interface ShaderBinding {

	readonly isStorageBuffer?: boolean;
	readonly name: string;
	/** `storageReadWrite`, `readOnly`, … */
	readonly access?: string;
	readonly attribute?: BufferAttribute;

}

export interface ComputeBuilderState { computeShader: string; bindings: { bindings: ShaderBinding[] }[] }

/**
 * What three keeps behind a renderer, for compiling, reading back and counting.
 *
 * @internal
 */
export interface RendererInternals {

	readonly initialized: boolean;
	readonly _isDeviceLost: boolean;
	/** How deeply the render in progress is nested in others: 0 in the outermost. */
	readonly _callDepth: number;
	readonly backend: {
		readonly isWebGPUBackend?: boolean;
		readonly device: GPUDevice;
		get( key: object ): { buffer?: GPUBuffer; pipeline?: GPUComputePipeline; error?: boolean };
		createIndirectStorageAttribute( attribute: BufferAttribute ): void;
	};
	readonly _nodes: { getForCompute( node: ComputeNode ): ComputeBuilderState };
	readonly _pipelines: { get( node: ComputeNode ): { pipeline: object } };
	readonly _attributes: { delete( attribute: BufferAttribute ): void };
	compileComputeAsync( nodes: ComputeNode[] ): Promise<void>;

}

/** @internal */
export function internals( renderer: WebGPURenderer ): RendererInternals {

	return renderer as unknown as RendererInternals;

}

/** A compute node's dispatch: workgroups in x, y and z, or a buffer of them. */
export type DispatchSize = [ number, number, number ] | BufferAttribute;

export function setDispatchSize( node: ComputeNode, size: DispatchSize ): void {

	( node as unknown as { dispatchSize: DispatchSize } ).dispatchSize = size;

}
