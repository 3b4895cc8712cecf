import type { Closure } from '../../builder/buffers';
import { closureFunction } from '../../builder/closure';
import { If, convert, uint, type Expr, type StorageExpr } from '../../builder/tsl';
import { choose } from '../../builder/wgsl';
import type { ShaderBuilder } from '../../three-types';
import { combineFunction, componentType, constant, type Monoid, type ScanValue } from '../monoids';
import type { Fields, WorkgroupCollective } from '../workgroup/WorkgroupCollective';

/** Where a segment begins: flags the user gave, or bits parked from a closure. */
export type SegmentFlags = { flags: StorageExpr } | { bits: StorageExpr };

/** What the kernels over tiles of a scan have in common. */
export interface TileShape {

	who: string;
	monoid: Monoid;
	/** Elements a register holds: 4 with vec4 access to scalars, else 1. */
	lanes: 1 | 4;
	/** Registers a thread holds. */
	rows: number;
	workgroupSize: number;
	reverse: boolean;
	segments?: SegmentFlags;
	initial?: ScanValue;
	/** The number of elements, in the kernel. */
	count: () => Expr;

}

/** TSL type of a register: 4 scalars make a vec4. */
export function registerType( monoid: Monoid, lanes: 1 | 4 ): string {

	return lanes === 1 ? monoid.type : `${ { uint: 'u', int: 'i', float: '' }[ componentType( monoid.type ) ] }vec4`;

}

/** One register of a thread: up to four elements that follow each other in scan order. */
interface Register {

	vector: Expr;
	/** The elements in scan order: what the operator combines. */
	cells: Expr[];
	/** Per element, 1 where a segment begins at or before it in this register. */
	flags: Expr[];
	/** Per element, whether a segment begins there. */
	heads: Expr[];
	/** Index of the register in memory, and of its first element. */
	memory: Expr;
	first: Expr;

}

/**
 * A tile of the input in a workgroup's registers: loaded by the collective's order, scanned within each
 * register, stored by the same order. Registers past the count hold identities.
 */
export class Tile {

	readonly registers: Register[] = [];
	readonly count: Expr;
	readonly size: number;
	readonly combine: ( a: Expr, b: Expr ) => Expr;
	readonly identity: Expr;
	readonly initial: Expr | undefined;

	private readonly full: Expr;
	private readonly memoryOrder: number[];

	constructor( private readonly builder: ShaderBuilder, readonly shape: TileShape, readonly index: Expr, collective: WorkgroupCollective ) {

		const { monoid, lanes, rows, workgroupSize, reverse } = shape;

		this.count = shape.count().toVar();
		this.size = workgroupSize * rows * lanes;
		this.combine = combineFunction( builder, monoid );
		this.identity = constant( monoid.type, monoid.identity );
		this.initial = shape.initial === undefined ? undefined : constant( monoid.type, shape.initial );
		this.memoryOrder = lanes === 1 ? [ 0 ] : reverse ? [ 3, 2, 1, 0 ] : [ 0, 1, 2, 3 ];

		const perTile = workgroupSize * rows;
		const registerCount = this.count.add( lanes - 1 ).div( lanes ).toVar();
		const inside = index.add( 1 ).mul( perTile ).lessThanEqual( registerCount );
		const torn = this.count.mod( lanes ).notEqual( 0 );

		// the torn register is the last in memory: the last tile's going forward, the first tile's in reverse
		this.full = ( reverse
			? inside.and( index.notEqual( 0 ).or( torn.not() ) )
			: index.add( 1 ).mul( this.size ).lessThanEqual( this.count ) ).toVar();

		for ( let k = 0; k < rows; k ++ ) {

			const position = index.mul( perTile ).add( collective.position( k, rows ) );
			const memory = ( reverse ? registerCount.sub( 1 ).sub( position ) : position ).toVar();
			const first = lanes === 1 ? memory : memory.mul( lanes ).toVar();
			const vector = ( lanes === 1 ? this.identity : convert( registerType( monoid, lanes ) )( this.identity ) ).toVar();
			const components = lanes === 1 ? [ vector ] : [ vector.x, vector.y, vector.z, vector.w ];

			this.registers.push( { vector, memory, first, cells: this.memoryOrder.map( c => components[ c ] ), flags: [], heads: [] } );

		}

	}

	/** Loads the tile from a buffer. */
	load( source: StorageExpr ): void {

		const { registers, count, identity, memoryOrder, shape: { monoid: { type: scalar } } } = this;

		If( this.full, () => {

			for ( const { vector, memory } of registers ) vector.assign( source.element( memory ) );

		} ).Else( () => {

			for ( const { vector, memory, first, cells } of registers ) If( first.lessThan( count ), () => {

				vector.assign( source.element( memory ) );
				cells.forEach( ( cell, j ) => { if ( memoryOrder[ j ] > 0 ) cell.assign( choose( scalar, first.add( memoryOrder[ j ] ).lessThan( count ), cell, identity ) ); } );

			} );

		} );

		this.begin();

	}

	/** Loads the tile from a closure, once an element, and parks the values in a buffer. */
	loadClosure( closure: Closure, parking: StorageExpr | null ): void {

		const { shape, registers, count, memoryOrder } = this;
		const value = closureFunction( this.builder, shape.who, 'input', closure, shape.monoid.type );

		for ( const { first, cells } of registers ) cells.forEach( ( cell, j ) => {

			const element = first.add( memoryOrder[ j ] ).toVar();
			If( element.lessThan( count ), () => { cell.assign( value( element ) ); } );

		} );

		if ( parking !== null ) this.storeRegisters( parking, k => registers[ k ].vector );
		this.begin();

	}

	/** Reads the segments' flags and puts `initial` in front of each segment. */
	private begin(): void {

		const { shape, registers, count, memoryOrder } = this;
		const { segments, reverse } = shape;

		if ( segments === undefined ) return;

		for ( const { first, cells, heads, flags } of registers ) cells.forEach( ( cell, j ) => {

			const element = first.add( memoryOrder[ j ] ).toVar();
			const head = uint( 0 ).toVar();

			If( element.lessThan( count ), () => {

				// going backwards, a segment begins at the element in front of the next segment's first
				const flagged = reverse ? element.add( 1 ).toVar() : element;
				const outermost = reverse ? flagged.greaterThanEqual( count ) : element.equal( 0 );

				If( outermost, () => { head.assign( 1 ); } ).Else( () => { head.assign( readFlag( segments, flagged ) ); } );

			} );

			heads.push( head.notEqual( 0 ).toVar() );
			flags.push( head );
			if ( this.initial !== undefined ) cell.assign( choose( shape.monoid.type, heads[ j ], this.combine( this.initial, cell ), cell ) );

		} );

	}

	/** Scans each register's elements; the last of each is the register's aggregate. */
	scanRegisters(): Fields[] {

		const { registers, combine } = this;

		return registers.map( ( { cells, flags, heads } ) => {

			for ( let j = 1; j < cells.length; j ++ ) {

				const combined = combine( cells[ j - 1 ], cells[ j ] );
				cells[ j ].assign( heads.length > 0 ? choose( this.shape.monoid.type, heads[ j ], cells[ j ], combined ) : combined );
				if ( heads.length > 0 ) flags[ j ].assign( flags[ j ].bitOr( flags[ j - 1 ] ) );

			}

			const last = cells.length - 1;
			return heads.length > 0 ? { value: cells[ last ].toVar(), flag: flags[ last ] } : { value: cells[ last ].toVar() };

		} );

	}

	/** `a` in front of `b`, where either may be of a segmented scan. */
	combineFields( a: Fields, b: Fields ): Fields {

		const combined = this.combine( a.value, b.value );

		if ( a.flag === undefined || b.flag === undefined ) return { value: combined.toVar() };

		return { value: choose( this.shape.monoid.type, b.flag.notEqual( 0 ), b.value, combined ).toVar(), flag: a.flag.bitOr( b.flag ).toVar() };

	}

	/** Stores the scan: prefixes are everything in front of each register. */
	store( target: StorageExpr, kind: 'exclusive' | 'inclusive', prefixes: readonly Fields[] ): void {

		const { registers, shape, identity, memoryOrder } = this;
		const start = this.initial ?? identity;

		this.storeRegisters( target, k => {

			const { cells, flags, heads } = registers[ k ];
			const prefix = prefixes[ k ].value;
			const segmented = heads.length > 0;

			const inclusive = ( j: number ): Expr => {

				const combined = this.combine( prefix, cells[ j ] );
				return segmented ? choose( shape.monoid.type, flags[ j ].notEqual( 0 ), cells[ j ], combined ) : combined;

			};

			const exclusive = ( j: number ): Expr => {

				const before = j === 0 ? prefix : inclusive( j - 1 );
				return segmented ? choose( shape.monoid.type, heads[ j ], start, before ) : before;

			};

			const results = cells.map( ( _, j ) => ( kind === 'inclusive' ? inclusive( j ) : exclusive( j ) ).toVar() );
			if ( results.length === 1 ) return results[ 0 ];

			const inMemory = results.map( ( _, c ) => results[ memoryOrder.indexOf( c ) ] );
			return convert( registerType( shape.monoid, shape.lanes ) )( ...inMemory ).toVar();

		} );

	}

	private storeRegisters( target: StorageExpr, value: ( k: number ) => Expr ): void {

		const { registers, count, shape, full } = this;
		const values = registers.map( ( _, k ) => value( k ) );

		If( full, () => {

			registers.forEach( ( { memory }, k ) => target.element( memory ).assign( values[ k ] ) );

		} ).Else( () => registers.forEach( ( { memory, first }, k ) => {

			if ( shape.lanes === 1 ) {

				If( first.lessThan( count ), () => { target.element( memory ).assign( values[ k ] ); } );
				return;

			}

			If( first.add( 3 ).lessThan( count ), () => {

				target.element( memory ).assign( values[ k ] );

			} ).ElseIf( first.lessThan( count ), () => {

				// what lies past the count stays: one thread owns the torn register, so it may read, mend and write
				const old = target.element( memory ).toVar();
				const [ a, b ] = [ values[ k ], old ].map( v => [ v.x, v.y, v.z, v.w ] );
				const mended = a.map( ( component, c ) => choose( shape.monoid.type, first.add( c ).lessThan( count ), component, b[ c ] ) );
				target.element( memory ).assign( convert( registerType( shape.monoid, 4 ) )( ...mended ) );

			} );

		} ) );

	}

}

function readFlag( segments: SegmentFlags, element: Expr ): Expr {

	return 'flags' in segments
		? choose( 'uint', segments.flags.element( element ).notEqual( 0 ), uint( 1 ), uint( 0 ) )
		: segments.bits.element( element.shiftRight( 5 ) ).shiftRight( element.bitAnd( 31 ) ).bitAnd( 1 );

}
