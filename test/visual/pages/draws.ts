/** 300 different geometries, drawn by one mesh whose counts and indices come from one partition. */
import { CircleGeometry, Mesh, MeshBasicNodeMaterial, OrthographicCamera, RingGeometry, Scene, StorageBufferAttribute, WebGPURenderer, type BufferGeometry } from 'three/webgpu';
import { float, hash, instanceIndex, positionGeometry, storage, vec3 } from 'three/tsl';
import { IndirectDraws, PartitionPass } from 'three-scan';
import { hash as random } from '../../../examples/shared/random';

const COLUMNS = 20;
const ROWS = 15;
const DRAWS = COLUMNS * ROWS;
const COUNT = 2_000;
const WIDTH = 480;
const HEIGHT = 360;

export interface DrawsReport {

	/** Instances of each draw, and how many there should be. */
	counts: number[];
	expected: number[];

}

async function main(): Promise<DrawsReport> {

	const renderer = new WebGPURenderer();
	await renderer.init();
	renderer.setSize( WIDTH, HEIGHT );
	document.body.append( renderer.domElement );

	// which draw an item belongs to; some belong to none
	const kinds = Uint32Array.from( { length: COUNT }, ( _, i ) => Math.floor( random( i, 1 ) * ( DRAWS + 20 ) ) );
	const kindOf = storage( new StorageBufferAttribute( kinds, 1 ), 'uint', COUNT ).toReadOnly();

	const { geometry, draws, bucketNode } = IndirectDraws.merge( Array.from( { length: DRAWS }, ( _, k ) => shape( k ) ) );
	const partition = new PartitionPass( COUNT, DRAWS, ( i ) => kindOf.element( i ), { draws } );
	await partition.init( renderer );

	// each draw in a cell of its own, its instances one on the other, the later ones smaller
	const item = partition.element( bucketNode, instanceIndex );
	const cell = vec3( float( bucketNode.mod( COLUMNS ) ), float( bucketNode.div( COLUMNS ) ), 0 ).add( 0.5 );
	const size = float( 0.95 ).pow( float( instanceIndex ) ).mul( 0.45 );
	const material = new MeshBasicNodeMaterial( { depthTest: false } );
	material.positionNode = positionGeometry.mul( size ).add( cell );
	material.colorNode = vec3( hash( item ), hash( item.add( COUNT ) ), hash( item.add( 2 * COUNT ) ) ).toVarying();
	const mesh = new Mesh( geometry, material );
	mesh.frustumCulled = false;

	partition.compute( renderer );
	renderer.render( new Scene().add( mesh ), new OrthographicCamera( 0, COLUMNS, ROWS, 0, - 1, 1 ) );

	const expected = Array.from( { length: DRAWS }, () => 0 );
	for ( const kind of kinds ) if ( kind < DRAWS ) expected[ kind ] ++;
	return { counts: await draws.readCounts( renderer ), expected };

}

/** Polygons and wheels, no two alike. */
function shape( k: number ): BufferGeometry {

	const corners = 3 + k % 10;
	const turn = k * 0.37;
	return k % 2 === 0 ? new CircleGeometry( 1, corners, turn, Math.PI * ( 0.8 + 1.2 * random( k, 2 ) ) ) : new RingGeometry( 0.2 + 0.5 * random( k, 3 ), 1, corners, 1, turn );

}

Object.assign( window, { ready: main() } );
