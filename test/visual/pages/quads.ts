/**
 * Overlapping translucent quads, whose picture depends on their order: the survivors of a compaction for 30 frames, and
 * once in the order that a loop on the CPU finds.
 */
import { Mesh, MeshBasicNodeMaterial, OrthographicCamera, PlaneGeometry, RenderTarget, Scene, StorageBufferAttribute, WebGPURenderer, type Node } from 'three/webgpu';
import { hash, instanceIndex, positionGeometry, storage, vec3 } from 'three/tsl';
import { CompactPass, IndirectDraws } from 'three-scan';
import { hash as random } from '../../../examples/shared/random';

const COUNT = 10_000;
const FRAMES = 30;
const WIDTH = 320;
const HEIGHT = 200;
const SMALLEST_KEPT = 0.06;

export interface QuadsReport {

	visible: number;
	expected: number;
	/** Frames that differ from the first by a byte or more. */
	changedFrames: number;
	/** Bytes of the first frame that differ from the picture in the CPU's order. */
	wrongBytes: number;
	/** Bytes of the first frame that differ from the picture in the reverse order. */
	bytesThatOrderDecides: number;

}

async function main(): Promise<QuadsReport> {

	const renderer = new WebGPURenderer();
	await renderer.init();
	renderer.setSize( WIDTH, HEIGHT );
	document.body.append( renderer.domElement );

	// x, y, size
	const data = Float32Array.from( { length: COUNT * 4 }, ( _, i ) => random( i, 1 ) * ( i % 4 === 2 ? 0.12 : 1 ) );
	const places = storage( new StorageBufferAttribute( data, 4 ), 'vec4', COUNT ).toReadOnly();
	const kept = Array.from( { length: COUNT }, ( _, i ) => i ).filter( ( i ) => data[ i * 4 + 2 ] > SMALLEST_KEPT );

	const camera = new OrthographicCamera( 0, 1, 1, 0, - 1, 1 );
	const target = new RenderTarget( WIDTH, HEIGHT );
	const picture = async ( mesh: Mesh ): Promise<Uint8Array> => {

		const scene = new Scene().add( mesh );
		renderer.setRenderTarget( target );
		renderer.render( scene, camera );
		renderer.setRenderTarget( null );
		return new Uint8Array( ( await renderer.readRenderTargetPixelsAsync( target, 0, 0, WIDTH, HEIGHT ) ).buffer );

	};
	const quads = ( geometry: PlaneGeometry, lookup: ( k: Node<'uint'> ) => Node<'uint'> ): Mesh => {

		const index = lookup( instanceIndex );
		const { x, y, z } = places.element( index );
		const material = new MeshBasicNodeMaterial( { transparent: true, opacity: 0.5, depthWrite: false } );
		material.positionNode = positionGeometry.mul( z ).add( vec3( x, y, 0 ) );
		material.colorNode = vec3( hash( index ), hash( index.add( COUNT ) ), hash( index.add( 2 * COUNT ) ) ).toVarying();
		const mesh = new Mesh( geometry, material );
		mesh.frustumCulled = false;
		return mesh;

	};
	const inOrder = ( order: number[] ): Mesh => {

		const indices = storage( new StorageBufferAttribute( Uint32Array.from( order ), 1 ), 'uint', order.length ).toReadOnly();
		const mesh = quads( new PlaneGeometry(), ( k ) => indices.element( k ) );
		mesh.count = order.length;
		return mesh;

	};

	const geometry = new PlaneGeometry();
	const draws = new IndirectDraws( geometry );
	draws.attach();
	const compact = new CompactPass( COUNT, ( i ) => places.element( i ).z.greaterThan( SMALLEST_KEPT ), { draws } );
	await compact.init( renderer );
	const survivors = quads( geometry, ( k ) => compact.element( k ) );

	const frames: Uint8Array[] = [];
	for ( let frame = 0; frame < FRAMES; frame ++ ) {

		compact.compute( renderer );
		frames.push( await picture( survivors ) );

	}

	const first = frames[ 0 ];
	renderer.render( new Scene().add( survivors ), camera );
	return {
		visible: await compact.readSurvivorCount( renderer ),
		expected: kept.length,
		changedFrames: frames.filter( ( frame ) => differences( frame, first ) > 0 ).length,
		wrongBytes: differences( first, await picture( inOrder( kept ) ) ),
		bytesThatOrderDecides: differences( first, await picture( inOrder( kept.toReversed() ) ) ),
	};

}

function differences( one: Uint8Array, other: Uint8Array ): number {

	return one.reduce( ( sum, byte, i ) => sum + Number( byte !== other[ i ] ), Math.abs( one.length - other.length ) );

}

Object.assign( window, { ready: main() } );
