import { IndirectStorageBufferAttribute, type BufferGeometry, type Mesh, type Node, type WebGPURenderer } from 'three/webgpu';
import { attribute } from 'three/tsl';
import { describe, invalidArgument } from '../errors';
import { view } from '../builder/buffers';
import { asNode, uint, type StorageExpr } from '../builder/tsl';
import { BUCKET_ATTRIBUTE, mergeGeometries, type DrawRange } from './mergeGeometries';
import { RECORD_WORDS } from '../plan/draws';
import { Readback } from '../readback';
import { watch } from '../watch';

type DrawTarget = Mesh | BufferGeometry;

/** What {@link IndirectDraws.merge} returns. */
export interface MergedDraws {

	/** All geometries in one, attached: drawn once a slot. */
	geometry: BufferGeometry;
	/** One slot a geometry. */
	draws: IndirectDraws;
	/** Which geometry is being drawn, in a material's nodes. */
	bucketNode: Node<'uint'>;

}

/** One draw of an {@link IndirectDraws}: what a pass's `draws` takes. */
export interface DrawSlot {

	readonly isDrawSlot: true;
	readonly draws: IndirectDraws;
	readonly index: number;

}

/**
 * Draw records on the GPU, five words each, for meshes or geometries, indexed or not. A pass that is given them as `draws`
 * writes the survivors' number as the instance count, and the element counts as the geometry has them at that moment.
 * Until then the instance count is 0: nothing is drawn.
 */
export class IndirectDraws {

	readonly isIndirectDraws = true;
	/** The records: what `geometry.setIndirect()` takes. */
	readonly attribute: IndirectStorageBufferAttribute;
	/** Number of draws. */
	readonly length: number;

	private readonly targets: DrawTarget[];
	private readonly slots: DrawSlot[];
	private readonly attached = new Map<number, () => void>();
	private ranges: DrawRange[] | null = null;
	private readonly records: StorageExpr;
	private readonly readback = new Readback( 'IndirectDraws' );

	/**
	 * @param targets - One mesh or geometry a draw.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( targets: DrawTarget | DrawTarget[] ) {

		this.targets = Array.isArray( targets ) ? [ ...targets ] : [ targets ];
		if ( this.targets.length === 0 ) throw invalidArgument( 'IndirectDraws: needs at least one mesh or geometry (got an empty array).' );
		this.targets.forEach( target => checkTarget( target ) );

		this.length = this.targets.length;
		this.slots = this.targets.map( ( _, index ) => ( { isDrawSlot: true, draws: this, index } ) );

		this.attribute = new IndirectStorageBufferAttribute( new Uint32Array( this.length * RECORD_WORDS ), 1 );
		this.writeElementRanges();
		this.records = view( this.attribute, 'uint' );

	}

	/**
	 * Makes one geometry of several, drawn once each by one mesh with one material: one slot a geometry, for a PartitionPass
	 * with as many buckets. In the material `bucketNode` tells them apart: `partition.element( bucketNode, instanceIndex )`.
	 *
	 * @throws {ScanError} `invalid-argument` unless all geometries have the first one's attributes.
	 */
	static merge( geometries: BufferGeometry[] ): MergedDraws {

		const { geometry, ranges } = mergeGeometries( 'IndirectDraws.merge', geometries );
		const draws = IndirectDraws.forRanges( geometry, ranges );
		draws.attached.set( 0, attachTarget( geometry, draws.attribute, ranges.map( ( _, k ) => draws.byteOffset( k ) ) ) );

		return { geometry, draws, bucketNode: attribute( BUCKET_ATTRIBUTE, 'uint' ) };

	}

	/**
	 * Records over ranges of one target, not attached: for those who set `geometry.indirect` themselves.
	 *
	 * @internal
	 */
	static forRanges( target: DrawTarget, ranges: DrawRange[] ): IndirectDraws {

		const draws = new IndirectDraws( ranges.map( () => target ) );
		draws.ranges = ranges;
		draws.writeElementRanges();
		return draws;

	}

	/** Draw `i`, for a pass's `draws`. */
	slot( i: number ): DrawSlot {

		return this.slots[ this.checkIndex( 'slot', i ) ];

	}

	/** Where draw `i`'s record begins in the attribute, in bytes. */
	byteOffset( i: number ): number {

		return this.checkIndex( 'byteOffset', i ) * RECORD_WORDS * 4;

	}

	/** The instance count of draw `i` as a TSL element, writable in the user's own kernels. */
	instanceCountNode( i: number ): Node<'uint'> {

		return asNode( this.records.element( uint( this.checkIndex( 'instanceCountNode', i ) * RECORD_WORDS + 1 ) ) );

	}

	/** Makes geometry `i` (default: all) draw indirectly. A mesh is no longer culled as a whole by the CPU, since its bounds say nothing of its instances. */
	attach( i?: number ): this {

		for ( const k of i === undefined ? this.slots.keys() : [ this.checkIndex( 'attach', i ) ] ) {

			if ( ! this.attached.has( k ) ) this.attached.set( k, attachTarget( this.targets[ k ], this.attribute, this.byteOffset( k ) ) );

		}

		return this;

	}

	/** Reads the instance counts, one a draw. For tests and displays: drawing needs no read. */
	async readCounts( renderer: WebGPURenderer ): Promise<number[]> {

		const words = await this.readback.words( renderer, this.attribute );
		return this.slots.map( ( _, i ) => words[ i * RECORD_WORDS + 1 ] );

	}

	/** Detaches the geometries, which then draw as before, and frees the records. */
	dispose(): void {

		for ( const detach of this.attached.values() ) detach();
		this.attached.clear();
		this.readback.dispose();
		this.attribute.dispose();

	}

	/** How many indices or vertices draw `i` has now, and where they begin: what a pass writes into its record. */
	elementRange( i: number ): DrawRange {

		return elementRange( this.targets[ i ], this.ranges?.[ i ] );

	}

	private writeElementRanges(): void {

		for ( let i = 0; i < this.length; i ++ ) {

			const { elements, first } = this.elementRange( i );
			this.attribute.array[ i * RECORD_WORDS ] = elements;
			this.attribute.array[ i * RECORD_WORDS + 2 ] = first;

		}

	}

	private checkIndex( who: string, i: number ): number {

		if ( ! Number.isInteger( i ) || i < 0 || i >= this.length ) throw invalidArgument( `IndirectDraws.${ who }: the draw's index must be an integer from 0 to ${ this.length - 1 } (got ${ describe( i ) }).` );
		return i;

	}

}

function isMesh( target: DrawTarget ): target is Mesh {

	return ( target as Mesh ).isMesh === true;

}

function checkTarget( target: unknown ): void {

	const candidate = target as ( Partial<Mesh> & Partial<BufferGeometry> ) | null;
	const geometry = candidate?.isMesh === true ? candidate.geometry : candidate?.isBufferGeometry === true ? candidate as BufferGeometry : undefined;

	if ( geometry?.isBufferGeometry !== true ) throw invalidArgument( `IndirectDraws: each target must be a Mesh or a BufferGeometry (got ${ describe( target ) }). Of points, lines and sprites pass the geometry, and set frustumCulled = false.` );
	if ( geometry.index === null && geometry.attributes.position === undefined ) throw invalidArgument( 'IndirectDraws: each geometry needs an index or a position attribute (got neither).' );
	if ( candidate?.isMesh === true ) refuseArray( candidate.material );

}

/** How many elements a draw has, and where they begin: indices, wireframe indices or vertices, of the whole geometry or of a range. */
function elementRange( target: DrawTarget, range?: DrawRange ): DrawRange {

	const geometry = isMesh( target ) ? target.geometry : target;
	const { index, drawRange } = geometry;
	const available = index?.count ?? geometry.attributes.position?.count ?? 0;
	const wireframe = isMesh( target ) && ( target.material as { wireframe?: boolean } ).wireframe === true ? 2 : 1;
	const first = range?.first ?? Math.min( drawRange.start, available );
	const elements = range?.elements ?? Math.max( 0, Math.min( drawRange.count, available - first ) );

	return { elements: elements * wireframe, first: first * wireframe };

}

/** Attaches a record to a geometry, and closes what three would draw wrong or leave out without a word. */
function attachTarget( target: DrawTarget, attribute: IndirectStorageBufferAttribute, byteOffset: number | number[] ): () => void {

	const geometry = isMesh( target ) ? target.geometry : target;
	const previous = { indirect: geometry.indirect, indirectOffset: geometry.indirectOffset };
	geometry.setIndirect( attribute, byteOffset );

	const undo: ( () => void )[] = [ () => Object.assign( geometry, previous ) ];

	// clone() leaves indirect behind: the clone would draw one instance
	const { clone } = geometry;
	const plainClone = clone.bind( geometry );
	const clones: WeakRef<BufferGeometry>[] = [];

	geometry.clone = () => {

		const copy = plainClone().setIndirect( attribute, byteOffset );
		clones.push( new WeakRef( copy ) );
		return copy;

	};

	undo.push( () => {

		geometry.clone = clone;
		for ( const copy of clones ) if ( copy.deref()?.indirect === attribute ) copy.deref()!.setIndirect( null );

	} );

	if ( isMesh( target ) ) {

		const { frustumCulled } = target;
		target.frustumCulled = false;
		undo.push( () => { target.frustumCulled = frustumCulled; } );
		undo.push( watch( target, 'count', count => refuseZero( 'mesh.count', count ) ) );
		undo.push( watch( target, 'material', refuseArray ) );

	}

	if ( ( geometry as { isInstancedBufferGeometry?: boolean } ).isInstancedBufferGeometry === true ) undo.push( watch( geometry, 'instanceCount', count => refuseZero( 'geometry.instanceCount', count ) ) );

	return () => undo.reverse().forEach( step => step() );

}

/** three leaves a draw out where the CPU's count is 0, whatever the GPU's. */
function refuseZero( label: string, count: unknown ): unknown {

	if ( count === 0 ) throw invalidArgument( `IndirectDraws: ${ label } = 0 makes three leave the indirect draw out, whatever the GPU counted (got 0). Use mesh.visible = false to hide it, or let the pass keep nothing.` );
	return count;

}

function refuseArray( material: unknown ): unknown {

	if ( Array.isArray( material ) ) throw invalidArgument( 'IndirectDraws: a mesh with an array of materials draws its geometry once a group, and a record can\'t say which part (got a material array). Split the mesh, or merge the materials.' );
	return material;

}

/** What a pass's `draws` may be: all slots of an {@link IndirectDraws}, one slot, or several. */
export type Draws = IndirectDraws | DrawSlot | DrawSlot[];

/** The slots that a `draws` option means. */
export function resolveDraws( who: string, draws: Draws | undefined ): DrawSlot[] {

	if ( draws === undefined ) return [];

	const isDraws = ( value: unknown ): value is IndirectDraws => ( value as Partial<IndirectDraws> | null )?.isIndirectDraws === true;
	const isSlot = ( value: unknown ): value is DrawSlot => ( value as Partial<DrawSlot> | null )?.isDrawSlot === true;

	if ( isDraws( draws ) ) return Array.from( { length: draws.length }, ( _, i ) => draws.slot( i ) );

	const slots: unknown[] = Array.isArray( draws ) ? draws : [ draws ];
	const wrong = slots.find( slot => ! isSlot( slot ) );
	if ( wrong !== undefined || slots.length === 0 ) throw invalidArgument( `${ who }: draws must be an IndirectDraws, a slot of one, or an array of slots (got ${ slots.length === 0 ? 'an empty array' : describe( wrong ) }).` );
	return slots as DrawSlot[];

}
