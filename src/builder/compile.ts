import type { BufferAttribute, ComputeNode, WebGPURenderer } from 'three/webgpu';
import { ScanError, invalidArgument } from '../errors';
import { internals } from '../three-types';
import { checkBinding } from './buffers';

/** The device's limits on what a shader binds. */
export interface BindingLimits { maxStorageBuffersPerShaderStage: number; maxStorageBufferBindingSize: number; maxBufferSize: number }

/**
 * Builds the shaders of nodes, on the CPU alone, and refuses what a closure must not contain and what the device can't bind.
 *
 * @throws {ScanError} `limit-exceeded`, `invalid-argument`
 */
export function build( renderer: WebGPURenderer, who: string, nodes: readonly ComputeNode[], limits: BindingLimits ): void {

	for ( const node of nodes ) {

		const { bindings } = internals( renderer )._nodes.getForCompute( node );
		checkBindings( `${ who } (node '${ node.name }')`, bindings.flatMap( group => group.bindings ), limits );

	}

}

/**
 * Compiles built nodes, and finds out whether they really did: three reports a bad shader on the
 * console and computes nothing. The shader is validated before three makes anything of it.
 *
 * @param goOn - Called before the last step, which makes buffers: may throw.
 * @throws {ScanError} `shader-error` with the compiler's message
 */
export async function compile( renderer: WebGPURenderer, who: string, nodes: readonly ComputeNode[], goOn: () => void = () => undefined ): Promise<void> {

	const { backend, _nodes, _pipelines } = internals( renderer );

	await Promise.all( nodes.map( node => checkShader( backend.device, who, node.name, _nodes.getForCompute( node ).computeShader ) ) );
	goOn();

	// a call a node: one call for all may pause between them, and make buffers that were disposed of meanwhile
	await Promise.all( nodes.map( node => internals( renderer ).compileComputeAsync( [ node ] ) ) );

	for ( const node of nodes ) {

		const { error, pipeline } = backend.get( _pipelines.get( node ).pipeline );
		if ( error === true || pipeline === undefined ) throw new ScanError( 'shader-error', `${ who }: the pipeline of node '${ node.name }' could not be created; the console says why.` );

	}

}

async function checkShader( device: GPUDevice, who: string, name: string, code: string ): Promise<void> {

	// one synchronous scope: scopes held across an await mix up concurrent inits
	device.pushErrorScope( 'validation' );
	const module = device.createShaderModule( { code, label: name } );
	const scope = device.popErrorScope();

	const { messages } = await module.getCompilationInfo();
	const error = await scope;
	const errors = messages.filter( message => message.type === 'error' );
	if ( errors.length === 0 && error === null ) return;

	const lines = code.split( '\n' );
	const report = errors.length > 0
		? errors.map( ( { lineNum, linePos, message } ) => `${ lineNum }:${ linePos } ${ message }\n\t${ ( lines[ lineNum - 1 ] ?? '' ).trim() }` ).join( '\n' )
		: error!.message;

	throw new ScanError( 'shader-error', `${ who }: the shader of node '${ name }' does not compile:\n${ report }` );

}

function checkBindings( who: string, bindings: readonly { isStorageBuffer?: boolean; access?: string; attribute?: BufferAttribute }[], limits: BindingLimits ): void {

	const buffers = bindings.filter( binding => binding.isStorageBuffer === true );

	if ( buffers.length > limits.maxStorageBuffersPerShaderStage ) throw new ScanError( 'limit-exceeded', `${ who } binds ${ buffers.length } storage buffers, above the device's maxStorageBuffersPerShaderStage of ${ limits.maxStorageBuffersPerShaderStage }. Read fewer buffers in the closures (at most 4), or ask for more: requiredLimits: { maxStorageBuffersPerShaderStage: ${ buffers.length } }.` );

	const writers = new Map<object, boolean>();

	for ( const { attribute, access } of buffers ) {

		if ( attribute === undefined ) continue;

		checkBinding( who, attribute.itemSize === 3 ? attribute.count * 16 : attribute.array.byteLength, limits );

		const writes = access !== 'readOnly';
		const other = writers.get( attribute );
		if ( other !== undefined && ( other || writes ) ) throw invalidArgument( `${ who } sees one buffer through two nodes, one of which may write, which WebGPU refuses. Pass the node that your closure uses instead of its attribute (count: myNode), or make the closure's node read-only (node.toReadOnly()).` );
		writers.set( attribute, ( other ?? false ) || writes );

	}

}
