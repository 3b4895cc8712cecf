// Runs every shared-memory kernel and a mesh that culls itself in a browser, and says which results differ from the reference.
import { PerspectiveCamera, RenderTarget, StorageBufferAttribute, WebGPURenderer, type Node } from 'three/webgpu';
import { Fn, invocationLocalIndex, storage, uint, vec2, workgroupId } from 'three/tsl';
import { CompactPass, PartitionPass, ReducePass, ScanPass, createMonoid, type PassOptions } from 'three-scan';
import { workgroupScan } from 'three-scan/tsl';
import { makeStage } from '../visual/pages/stage';
import { referenceCompact, referencePartition, referenceReduce, referenceScan } from 'three-scan/reference';

/** What the page found, for the test. */
export interface SmokeReport {

	/** The kernel picked where none is forced. */
	kernel: string;
	/** Names of what was compared, each with what was wrong, or null. */
	results: { name: string; problem: string | null }[];

}

const COUNT = 5000;
const SMALL = { workgroupSize: 64, itemsPerThread: 4 } as const;

const affine = createMonoid( {
	type: 'vec2', identity: [ 1, 0 ],
	combine: ( a, b ) => vec2( a.x.mul( b.x ), b.x.mul( a.y ).add( b.y ) ),
	combineReference: ( a, b ) => [ a[ 0 ] * b[ 0 ], b[ 0 ] * a[ 1 ] + b[ 1 ] ],
} );

const words = Uint32Array.from( { length: COUNT }, ( _, i ) => Math.imul( i + 1, 2654435761 ) >>> 0 );
const maps = Float32Array.from( { length: 2 * COUNT }, ( _, i ) => i % 2 === 0 ? ( words[ i >> 1 ] & 1 ) * 2 - 1 : words[ i >> 1 ] % 7 - 3 );
const flags = words.map( ( word ) => word % 11 === 0 ? 0x80000000 : 0 );
const attribute = ( values: Uint32Array | Float32Array, itemSize = 1 ): StorageBufferAttribute => new StorageBufferAttribute( values.slice(), itemSize );

Object.assign( window, { ready: main() } );

async function main(): Promise<SmokeReport> {

	const renderer = new WebGPURenderer();
	await renderer.init();

	const results: SmokeReport[ 'results' ] = [];

	const compare = ( name: string, actual: ArrayLike<number> | number | number[], expected: ArrayLike<number> | number | number[] ): void => {

		const [ a, e ] = [ actual, expected ].map( ( value ) => typeof value === 'number' ? [ value ] : Array.from( value ) );
		const wrong = e.findIndex( ( value, i ) => a[ i ] !== value );
		results.push( { name, problem: a.length !== e.length ? `${ a.length } values (expected ${ e.length })` : wrong < 0 ? null : `${ a[ wrong ] } at ${ wrong } (expected ${ e[ wrong ] })` } );

	};

	const picked = await new ScanPass( attribute( words ) ).init( renderer );
	picked.compute( renderer );
	compare( 'default policy', await picked.read( renderer ), referenceScan( words, { type: 'uint' } ).output );

	for ( const sharedMemoryScan of [ 'hillis-steele', 'blelloch' ] as const ) {

		const kernel: PassOptions = { kernel: 'shared-memory', sharedMemoryScan };
		const label = ( what: string ): string => `${ sharedMemoryScan }: ${ what }`;

		const scans = [
			[ 'scan in one dispatch', 200, {} ],
			[ 'scan in two dispatches', COUNT, {} ],
			[ 'segments in reverse', COUNT, { segments: flags, reverse: true, initial: 5, kind: 'inclusive' } ],
		] as const;

		for ( const [ name, count, options ] of scans ) {

			const values = words.slice( 0, count );
			const segments = 'segments' in options ? options.segments.slice( 0, count ) : undefined;
			const pass = await new ScanPass( attribute( values ), { ...SMALL, ...kernel, ...options, segments: segments && attribute( segments ) } ).init( renderer );
			pass.compute( renderer );
			const expected = referenceScan( values, { type: 'uint', ...options, segments } );
			compare( label( name ), await pass.read( renderer ), expected.output );
			compare( label( `total of ${ name }` ), await pass.readTotal( renderer ), expected.total );
			pass.dispose();

		}

		const many = 16_385 * 16;
		const ones = await new ScanPass( () => uint( 3 ), { ...kernel, type: 'uint', capacity: many, workgroupSize: 16, itemsPerThread: 1 } ).init( renderer );
		ones.compute( renderer );
		compare( label( 'scan in three dispatches, by a closure' ), await ones.read( renderer ), Uint32Array.from( { length: many }, ( _, i ) => 3 * i ) );
		ones.dispose();

		const composed = await new ScanPass( attribute( maps, 2 ), { ...SMALL, ...kernel, monoid: affine } ).init( renderer );
		composed.compute( renderer );
		compare( label( 'scan by an operator that does not commute' ), await composed.read( renderer ), referenceScan( maps, { type: 'vec2', monoid: affine } ).output );
		composed.dispose();

		for ( const monoid of [ 'add', 'max' ] as const ) {

			const sum = await new ReducePass( attribute( words ), { ...SMALL, ...kernel, monoid } ).init( renderer );
			sum.compute( renderer );
			compare( label( `reduction by ${ monoid }` ), await sum.readTotal( renderer ), referenceReduce( words, { type: 'uint', monoid } ) );
			sum.dispose();

		}

		const values = storage( attribute( words ), 'uint', COUNT ).toReadOnly();
		const valueAt = ( i: Node<'uint'> ): Node<'uint'> => values.element( i );

		const compact = await new CompactPass( COUNT, ( i ) => valueAt( i ).mod( uint( 3 ) ).equal( uint( 0 ) ), { ...kernel, workgroupSize: 64 } ).init( renderer );
		compact.compute( renderer );
		const survivors = referenceCompact( COUNT, ( i ) => words[ i ] % 3 === 0 );
		compare( label( 'compaction' ), await compact.readIndices( renderer ), survivors );
		compare( label( 'number of survivors' ), await compact.readSurvivorCount( renderer ), survivors.length );
		compact.dispose();

		const partition = await new PartitionPass( COUNT, 7, ( i ) => valueAt( i ).mod( uint( 8 ) ), { ...kernel, workgroupSize: 64 } ).init( renderer );
		partition.compute( renderer );
		const buckets = referencePartition( COUNT, 7, ( i ) => words[ i ] % 8 );
		compare( label( 'partition' ), await partition.readIndices( renderer ), buckets.indices );
		compare( label( 'offsets of a partition' ), await partition.readOffsets( renderer ), buckets.offsets );
		partition.dispose();

		for ( const workgroupSize of [ 36, 64 ] ) {

			const n = 2 * workgroupSize;
			const output = attribute( new Uint32Array( n ) );
			const target = storage( output, 'uint', n );

			const node = Fn( () => {

				const at = workgroupId.x.mul( uint( workgroupSize ) ).add( invocationLocalIndex ).toVar();
				const value = valueAt( at ).toVar();
				const { prefix, total } = workgroupScan( value, { kernel: 'shared-memory', sharedMemoryScan } ) as { prefix: Node<'uint'>; total: Node<'uint'> };
				target.element( at ).assign( prefix.bitXor( total ) );

			} )().computeKernel( [ workgroupSize ] );

			renderer.compute( Object.assign( node, { dispatchSize: [ 2, 1, 1 ] } ) );

			const expected = [ 0, 1 ].flatMap( ( group ) => {

				const scan = referenceScan( words.slice( group * workgroupSize, ( group + 1 ) * workgroupSize ), { type: 'uint' } );
				return Array.from( scan.output, ( value ) => ( value ^ scan.total as number ) >>> 0 );

			} );

			compare( label( `workgroupScan of ${ workgroupSize } invocations` ), new Uint32Array( await renderer.getArrayBufferAsync( output ) ), expected );
			node.dispose();

		}

	}

	for ( const [ name, culled, all ] of await drawnTwice( renderer ) ) compare( name, culled, all );

	const { kernel } = picked.policy;
	picked.dispose();
	return { kernel, results };

}

/** Pictures of instances with shadows and levels of detail, culled and unculled, with what it needs to say that something was there to cull. */
async function drawnTwice( renderer: WebGPURenderer ): Promise<[string, ArrayLike<number> | number, ArrayLike<number> | number][]> {

	const size = 64;
	const target = new RenderTarget( size, size );
	const { scene, instances, sun } = makeStage();
	sun.castShadow = renderer.shadowMap.enabled = true;
	const pictures: [string, ArrayLike<number> | number, ArrayLike<number> | number][] = [];

	const draw = async ( camera: PerspectiveCamera, culling: typeof instances.culling ): Promise<ArrayLike<number>> => {

		instances.culling = culling;
		for ( let i = 0; i < 2; i ++ ) await new Promise( requestAnimationFrame ); // shadows are drawn once a frame
		renderer.setRenderTarget( target );
		renderer.render( scene, camera );
		renderer.setRenderTarget( null );
		return await renderer.readRenderTargetPixelsAsync( target, 0, 0, size, size );

	};

	for ( const [ x, z ] of [ [ 0, 0 ], [ 20, - 20 ] ] ) {

		const camera = new PerspectiveCamera( 60, 1, 0.1, 100 );
		camera.position.set( x, 2, z );
		camera.lookAt( - 9, 1, - 5 );

		const culled = await draw( camera, 'on' );
		const visible = ( await instances.readVisibleCounts( renderer ) ).reduce( ( sum, count ) => sum + count );
		pictures.push( [ `picture from ${ x }, ${ z }`, culled, await draw( camera, 'off' ) ] );
		pictures.push( [ `something culled, and something not, from ${ x }, ${ z }`, Number( visible > 0 && visible < instances.count ), 1 ] );

	}

	return pictures;

}
