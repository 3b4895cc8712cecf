import fc from 'fast-check';
import * as TSL from 'three/tsl';
import { StorageBufferAttribute, type Node, type StorageBufferNode, type WebGPURenderer } from 'three/webgpu';
import { createMonoid, ReducePass, ScanPass, type Monoid, type MonoidName, type PassOptions, type ScanOptions, type ScanType, type ScanValue, type Source } from 'three-scan';
import { referenceScan } from 'three-scan/reference';
import { deviceName } from './gpu';
import { GUARD_WORD, createGuardedAttribute, createGuardedOutput } from './guard';

/** Says what the random tests of this run drew from. Put it in their names; THREE_SCAN_SEED repeats it. */
export const SEED = Number( process.env.THREE_SCAN_SEED ?? Date.now() % 2 ** 31 );

/** Lanes of a subgroup on the device under test. */
export const SUBGROUP_WIDTH = deviceName === 'lavapipe-16' ? 16 : deviceName === 'lavapipe-8' ? 8 : 4;

/** A tile of 128 elements, small enough for counts to cross many of its edges. */
export const SMALL = { workgroupSize: 32, itemsPerThread: 4 } as const;
export const TILE = SMALL.workgroupSize * SMALL.itemsPerThread;

/** Every count at which a tile of `tile` elements starts, ends or overflows, and those of no multiple of four. */
export function tileEdges( tile: number ): number[] {

	return [ 0, 1, 2, 3, 10, 21, 33, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, 1001, 7 * tile + 3 ];

}

export interface Variant {

	name: string;
	/** Only operators with a native subgroup scan, and no segments. */
	nativeOnly?: true;
	options: PassOptions & { kernel: 'subgroup' | 'shared-memory' };

}

/** Every kernel, each forced. */
export const VARIANTS: readonly Variant[] = [
	{ name: 'subgroup native', nativeOnly: true, options: { kernel: 'subgroup', subgroupScan: 'native' } },
	{ name: 'subgroup shuffle', options: { kernel: 'subgroup', subgroupScan: 'shuffle' } },
	{ name: 'subgroup ticket', options: { kernel: 'subgroup', caps: { subgroupId: false } } },
	{ name: 'hillis-steele', options: { kernel: 'shared-memory', sharedMemoryScan: 'hillis-steele' } },
	{ name: 'blelloch', options: { kernel: 'shared-memory', sharedMemoryScan: 'blelloch' } },
];

/** The long run takes everything on every device. */
export const IS_LONG = process.env.THREE_SCAN_LONG === '1';

/**
 * Compilers of wide devices take a second for what the narrow one takes milliseconds, so that these divide the kernels among
 * them in a short run. kernels.test.ts has the tickets on each.
 */
const SHARES: Readonly<Record<string, readonly string[]>> = {
	'lavapipe-4': [ 'subgroup native', 'subgroup shuffle', 'blelloch' ],
	'lavapipe-8': [ 'subgroup native', 'subgroup ticket', 'hillis-steele' ],
	'lavapipe-16': [ 'subgroup native', 'subgroup shuffle' ],
};

const share = IS_LONG ? undefined : SHARES[ deviceName ];

/** Whether this device takes what depends on no subgroup width, too. */
export const TAKES_ALL = share === undefined;

/** The kernels that this run takes on this device. */
export const VARIANTS_HERE = VARIANTS.filter( ( { name } ) => share === undefined || share.includes( name ) );

export function variant( name: string ): Variant {

	const found = VARIANTS.find( ( candidate ) => candidate.name === name );
	if ( found === undefined ) throw new Error( `No variant '${ name }'.` );
	return found;

}

// ── random numbers ──────────────────────────────────────────────────────────────────────────────────

/** Uniform 32-bit words (mulberry32). */
export class Random {

	constructor( private state: number ) {}

	word(): number {

		this.state = ( this.state + 0x6d2b79f5 ) | 0;
		let t = Math.imul( this.state ^ ( this.state >>> 15 ), 1 | this.state );
		t = ( t + Math.imul( t ^ ( t >>> 7 ), 61 | t ) ) ^ t;
		return ( t ^ ( t >>> 14 ) ) >>> 0;

	}

	/** 0 to below `end`. */
	below( end: number ): number {

		return Math.floor( this.word() / 2 ** 32 * end );

	}

	/** A real number, `from` to below `to`. */
	between( from: number, to: number ): number {

		return from + this.word() / 2 ** 32 * ( to - from );

	}

	/** `from` to `to`, both included. */
	integer( from: number, to: number ): number {

		return from + this.below( to - from + 1 );

	}

	pick<T>( items: readonly T[] ): T {

		return items[ this.below( items.length ) ];

	}

}

// ── operators ───────────────────────────────────────────────────────────────────────────────────────

export const SCAN_TYPES: readonly ScanType[] = [ 'uint', 'int', 'float', 'uvec2', 'uvec3', 'uvec4', 'ivec2', 'ivec3', 'ivec4', 'vec2', 'vec3', 'vec4' ];
export const MONOID_NAMES: readonly MonoidName[] = [ 'add', 'mul', 'min', 'max', 'bitAnd', 'bitOr', 'bitXor' ];

export type Component = 'uint' | 'int' | 'float';
export type Words = Uint32Array | Int32Array | Float32Array;

export function componentsOf( type: ScanType ): number {

	return /[234]$/.test( type ) ? Number( type.at( - 1 ) ) : 1;

}

export function componentOf( type: ScanType ): Component {

	return type.startsWith( 'u' ) ? 'uint' : type.startsWith( 'i' ) ? 'int' : 'float';

}

/** Words from one element to the next. */
export function strideOf( type: ScanType ): number {

	return componentsOf( type ) === 3 ? 4 : componentsOf( type );

}

export function typedArray( type: ScanType, values: number | readonly number[] ): Words {

	const Type = { uint: Uint32Array, int: Int32Array, float: Float32Array }[ componentOf( type ) ];
	return typeof values === 'number' ? new Type( values ) : new Type( values );

}

/**
 * An operator with values that combine exactly in every order of evaluation, so that a GPU's result must equal the
 * sequential one in every bit: integers wrap, floats are small integers, or signed permutations.
 */
export interface TestOperator {

	name: string;
	type: ScanType;
	monoid: MonoidName | Monoid;
	/** Whether subgroups scan it natively. */
	native: boolean;
	/** Zeros keep their sign in every order of evaluation, too. */
	keepsZeros?: true;
	/** The components of one random element. */
	element( random: Random ): number[];

}

/** A ready-made monoid over `type`; undefined for bits of floats. */
export function readyMade( type: ScanType, monoid: MonoidName ): TestOperator | undefined {

	const component = componentOf( type );
	if ( component === 'float' && monoid.startsWith( 'bit' ) ) return undefined;

	const scalar = ( random: Random ): number => {

		if ( component === 'float' ) {

			if ( monoid === 'add' ) return random.integer( - 8, 8 );
			if ( monoid === 'mul' ) return random.pick( [ 1, 1, 1, - 1, 2, 0.5 ] );
			return Math.fround( ( random.word() - 2 ** 31 ) * 1.37e-7 );

		}

		let word = random.word();
		if ( monoid === 'mul' ) word |= 1; // even ones soon make all products 0
		if ( monoid === 'bitAnd' ) word |= random.word() | random.word() | random.word() | random.word();
		if ( monoid === 'bitOr' ) word &= random.word() & random.word() & random.word() & random.word();
		return component === 'uint' ? word >>> 0 : word | 0;

	};

	return {
		name: `${ type } ${ monoid }`, type, monoid,
		native: monoid === 'add' || monoid === 'mul',
		element: ( random ) => Array.from( { length: componentsOf( type ) }, () => scalar( random ) ),
	};

}

/** What the operators below need of TSL, whatever the type. */
interface Expression {

	x: Expression; y: Expression; z: Expression; w: Expression;
	add( b: Expression ): Expression;
	mul( b: Expression ): Expression;
	equal( b: Expression ): Expression;

}

type Construct = ( ...components: ( Expression | number )[] ) => Expression;

function construct( type: ScanType ): Construct {

	return ( TSL as unknown as Record<string, Construct> )[ type ];

}

const select = TSL.select as unknown as ( condition: Expression, ifTrue: Expression, ifFalse: Expression ) => Expression;

function monoidOf( type: ScanType, identity: number | number[], combine: ( a: Expression, b: Expression ) => Expression, combineReference: ( a: number[], b: number[] ) => ScanValue ): Monoid {

	const components = ( value: ScanValue ): number[] => typeof value === 'number' ? [ value ] : value;

	return createMonoid( {
		type, identity,
		combine: ( a: Node, b: Node ) => combine( a as unknown as Expression, b as unknown as Expression ) as unknown as Node,
		combineReference: ( a: ScanValue, b: ScanValue ) => combineReference( components( a ), components( b ) ),
	} );

}

/** Stands for nothing in the scalar operator of {@link ownOperator}: an ordinary number no element equals. */
const NOTHING: Record<Component, number> = { uint: 77777, int: - 77777, float: - 77777 };

const BITS_TO_KEEP = [ 0.1, 1e-30, 1e30, - 0, 1.1754943508222875e-38, 3.4028234663852886e38, - 0.1, 16777217 ].map( Math.fround );

/**
 * An operator of the user's own for each type; none commutes.
 * - scalars: the last one that is something, which carries values bit for bit
 * - 2 components: affine maps x → a·x + b, the left one applied first
 * - 3: (x, y, z)·(x', y', z') = (x + x', y + y', z + z' + x·y'), the Heisenberg group
 * - 4: products of 2×2 matrices
 */
export function ownOperator( type: ScanType ): TestOperator {

	const component = componentOf( type );
	const make = construct( type );
	const times = component === 'float' ? ( a: number, b: number ) => a * b : Math.imul;
	const word = ( random: Random ): number => component === 'uint' ? random.word() : random.word() | 0;
	const base = { type, native: false };

	switch ( componentsOf( type ) ) {

		case 1: {

			const nothing = NOTHING[ component ];

			return {
				...base, name: `${ type } last`, keepsZeros: true,
				monoid: monoidOf( type, nothing, ( a, b ) => select( b.equal( make( nothing ) ), a, b ), ( [ a ], [ b ] ) => b === nothing ? a : b ),
				element: ( random ) => [ random.below( 3 ) > 0 ? nothing : component === 'float' ? random.pick( BITS_TO_KEEP ) : word( random ) ],
			};

		}

		case 2: return {
			...base, name: `${ type } affine`,
			monoid: monoidOf( type, [ 1, 0 ],
				( a, b ) => make( a.x.mul( b.x ), b.x.mul( a.y ).add( b.y ) ),
				( a, b ) => [ times( a[ 0 ], b[ 0 ] ), times( b[ 0 ], a[ 1 ] ) + b[ 1 ] ] ),
			element: ( random ) => component === 'float' ? [ random.pick( [ 1, - 1 ] ), random.integer( - 3, 3 ) ] : [ word( random ) | 1, word( random ) ].map( ( x ) => component === 'uint' ? x >>> 0 : x ),
		};

		case 3: return {
			...base, name: `${ type } Heisenberg`,
			monoid: monoidOf( type, [ 0, 0, 0 ],
				( a, b ) => make( a.x.add( b.x ), a.y.add( b.y ), a.z.add( b.z ).add( a.x.mul( b.y ) ) ),
				( a, b ) => [ a[ 0 ] + b[ 0 ], a[ 1 ] + b[ 1 ], a[ 2 ] + b[ 2 ] + times( a[ 0 ], b[ 1 ] ) ] ),
			element: ( random ) => Array.from( { length: 3 }, () => component === 'float' ? random.integer( - 1, 1 ) : word( random ) ),
		};

		default: return {
			...base, name: `${ type } matrix`,
			monoid: monoidOf( type, [ 1, 0, 0, 1 ],
				( a, b ) => make( a.x.mul( b.x ).add( a.y.mul( b.z ) ), a.x.mul( b.y ).add( a.y.mul( b.w ) ), a.z.mul( b.x ).add( a.w.mul( b.z ) ), a.z.mul( b.y ).add( a.w.mul( b.w ) ) ),
				( a, b ) => [ times( a[ 0 ], b[ 0 ] ) + times( a[ 1 ], b[ 2 ] ), times( a[ 0 ], b[ 1 ] ) + times( a[ 1 ], b[ 3 ] ), times( a[ 2 ], b[ 0 ] ) + times( a[ 3 ], b[ 2 ] ), times( a[ 2 ], b[ 1 ] ) + times( a[ 3 ], b[ 3 ] ) ] ),
			// signed permutations stay exact as floats; as integers the products wrap, so any odd determinant keeps them from vanishing
			element: ( random ) => component !== 'uint'
				? random.pick( [ [ 1, 0, 0, 1 ], [ 0, 1, - 1, 0 ], [ 0, - 1, 1, 0 ], [ - 1, 0, 0, - 1 ], [ 1, 0, 0, - 1 ], [ 0, 1, 1, 0 ] ] )
				: random.pick( [ [ 1, word( random ), 0, 1 ], [ 1, 0, word( random ), 1 ], [ 3, 1, 2, 1 ] ] ),
		};

	}

}

/** Every operator there is over `type`. */
export function operatorsOf( type: ScanType ): TestOperator[] {

	return [ ...MONOID_NAMES.map( ( name ) => readyMade( type, name ) ).filter( ( operator ) => operator !== undefined ), ownOperator( type ) ];

}

// ── one pass under test ─────────────────────────────────────────────────────────────────────────────

export interface ScanCase {

	variant: Variant;
	operator: TestOperator;
	kind?: 'exclusive' | 'inclusive';
	reverse?: boolean;
	segments?: 'buffer' | 'closure';
	/** Where the values come from. Default `buffer`. */
	source?: 'buffer' | 'in place' | 'closure';
	/** The count is a buffer on the GPU. */
	gpuCount?: boolean;
	/** A random element in front of every prefix. */
	initial?: boolean;
	capacity: number;
	policy?: PassOptions;

}

export function nameOf( parameters: ScanCase ): string {

	const { variant: { name }, operator, kind = 'exclusive', reverse, segments, source = 'buffer', gpuCount, initial } = parameters;

	return [
		name, operator.name, kind, source,
		...( reverse ? [ 'reverse' ] : [] ),
		...( segments ? [ `segments by ${ segments }` ] : [] ),
		...( gpuCount ? [ 'GPU count' ] : [] ),
		...( initial ? [ 'initial' ] : [] ),
	].join( ', ' );

}

/** The options that force a variant, without what its operator can't have. */
export function optionsFor( { variant: { nativeOnly, options }, operator, segments, policy }: Pick<ScanCase, 'variant' | 'operator' | 'segments' | 'policy'> ): PassOptions & { kernel: 'subgroup' | 'shared-memory' } {

	if ( nativeOnly && ( ! operator.native || segments !== undefined ) ) throw new Error( `${ operator.name } has no native scan.` );
	return { ...SMALL, ...policy, ...options, caps: { ...policy?.caps, ...options.caps } };

}

/** How to fill one run: everything else is random. */
export interface Data {

	/** Components of element i. Default: random ones of the operator. */
	element?: ( i: number ) => number[];
	/** Default: about one in ten. */
	flag?: ( i: number ) => number;

}

/** Flags that are all true, whatever bits are looked at. */
const FLAGS = [ 1, 2, 0x80000000, 0xffffffff ];

abstract class Rig<Pass extends ScanPass | ReducePass> {

	abstract readonly pass: Pass;

	readonly input: StorageBufferAttribute;
	readonly flags: StorageBufferAttribute | null;
	readonly countBuffer: StorageBufferAttribute | null;
	/** How often a closure ran for each element. */
	readonly evaluations: StorageBufferAttribute | null;

	protected readonly initial: number[] | null;
	protected readonly stride: number;

	constructor( protected readonly renderer: WebGPURenderer, readonly parameters: ScanCase ) {

		const { operator: { type, element }, capacity, segments, source, gpuCount, initial } = parameters;

		this.stride = strideOf( type );
		this.input = createGuardedAttribute( typedArray( type, capacity * this.stride ), this.stride );
		this.flags = segments === undefined ? null : createGuardedOutput( 'uint', capacity );
		this.countBuffer = gpuCount ? createGuardedOutput( 'uint', 1 ) : null;
		this.evaluations = source === 'closure' ? createGuardedOutput( 'uint', capacity ) : null;
		this.initial = initial ? element( new Random( 4711 ) ) : null;

	}

	/** The pass's input, and all its options but output and kind. */
	protected describe(): { source: Source; options: Omit<ScanOptions, 'output' | 'kind'> } {

		const { parameters, input, flags, evaluations, countBuffer, initial } = this;
		const { operator: { type, monoid }, capacity, reverse, segments } = parameters;
		const options: Omit<ScanOptions, 'output' | 'kind'> = { ...optionsFor( parameters ), type, monoid, capacity };

		if ( countBuffer !== null ) options.count = countBuffer;
		if ( reverse !== undefined ) options.reverse = reverse;
		if ( initial !== null ) options.initial = initial.length === 1 ? initial[ 0 ] : initial;

		if ( flags !== null ) {

			const node = TSL.storage( flags, 'uint', capacity ).toReadOnly();
			options.segments = segments === 'buffer' ? flags : ( i ) => node.element( i );

		}

		if ( evaluations === null ) return { source: input, options };

		const values = storageOf( input, type, capacity ).toReadOnly();
		const counters = TSL.storage( evaluations, 'uint', capacity ).toAtomic();

		return {
			options,
			source: ( i ) => {

				TSL.atomicAdd( counters.element( i ), TSL.uint( 1 ) );
				return values.element( TSL.instanceIndex );

			},
		};

	}

	/** Fills the buffers, poisons what lies past `count`, and runs once. Returns what the twin makes of the same values. */
	protected run( count: number, seed: number, data: Data ): ReturnType<typeof referenceScan> {

		const { operator, kind = 'exclusive', reverse = false, capacity } = this.parameters;
		const { input, flags, evaluations, countBuffer, stride, initial, pass } = this;
		const n = componentsOf( operator.type );
		const random = new Random( seed );

		const live = Math.min( count, capacity );
		const packed = typedArray( operator.type, live * n );
		asWords( input.array ).fill( GUARD_WORD );

		for ( let i = 0; i < live; i ++ ) {

			const element = data.element?.( i ) ?? operator.element( random );
			packed.set( element, i * n );
			input.array.set( packed.subarray( i * n, ( i + 1 ) * n ), i * stride );

		}

		input.needsUpdate = true;

		let segments: Uint32Array | undefined;

		if ( flags !== null ) {

			segments = flags.array as Uint32Array;
			segments.fill( GUARD_WORD );
			for ( let i = 0; i < live; i ++ ) segments[ i ] = data.flag?.( i ) ?? ( random.below( 10 ) === 0 ? random.pick( FLAGS ) : 0 );
			flags.needsUpdate = true;

		}

		if ( evaluations !== null ) {

			evaluations.array.fill( 0, 0, capacity );
			evaluations.needsUpdate = true;

		}

		if ( countBuffer !== null ) {

			countBuffer.array[ 0 ] = count;
			countBuffer.needsUpdate = true;

		} else if ( pass.count !== count ) {

			pass.count = count;

		}

		pass.compute( this.renderer );

		return referenceScan( packed, {
			type: operator.type, monoid: operator.monoid, kind, reverse,
			...( segments && { segments } ),
			...( initial && { initial: initial.length === 1 ? initial[ 0 ] : initial } ),
		} );

	}

	/** That each closure ran once for each element, and that nothing wrote to an input. */
	protected async checkInputs( count: number, label: string ): Promise<void> {

		const { input, flags, evaluations, countBuffer, parameters: { source, capacity } } = this;

		if ( source !== 'in place' ) await this.expectUnwritten( input, `${ label }: input` );
		if ( flags !== null ) await this.expectUnwritten( flags, `${ label }: segments` );
		if ( countBuffer !== null ) await this.expectUnwritten( countBuffer, `${ label }: count` );

		if ( evaluations !== null ) {

			const runs = new Uint32Array( await this.renderer.getArrayBufferAsync( evaluations ) );
			const wrong = runs.findIndex( ( times, i ) => times !== ( i < Math.min( count, capacity ) ? 1 : i < capacity ? 0 : GUARD_WORD ) );
			if ( wrong >= 0 ) throw new Error( `${ label }: the closure ran ${ runs[ wrong ] } times for element ${ wrong }.` );

		}

	}

	private async expectUnwritten( attribute: StorageBufferAttribute, label: string ): Promise<void> {

		const words = new Uint32Array( await this.renderer.getArrayBufferAsync( attribute ) );
		const before = asWords( attribute.array );
		const wrong = before.findIndex( ( word, i ) => words[ i ] !== word );
		if ( wrong >= 0 ) throw new Error( `${ label }: word ${ wrong } was written: 0x${ words[ wrong ].toString( 16 ) } (was 0x${ before[ wrong ].toString( 16 ) }).` );

	}

	dispose(): void {

		this.pass.dispose();

	}

}

/** A ScanPass with its buffers, all guarded, to run at many counts. */
export class ScanRig extends Rig<ScanPass> {

	readonly pass: ScanPass;
	readonly output: StorageBufferAttribute;

	private constructor( renderer: WebGPURenderer, parameters: ScanCase ) {

		super( renderer, parameters );

		const { operator: { type }, capacity, kind, source: from } = parameters;
		const { source, options } = this.describe();

		this.output = from === 'in place' ? this.input : createGuardedOutput( componentOf( type ), capacity * this.stride, this.stride );
		this.pass = new ScanPass( source, { ...options, output: this.output, ...( kind && { kind } ) } );

	}

	static async create( renderer: WebGPURenderer, parameters: ScanCase ): Promise<ScanRig> {

		const rig = new ScanRig( renderer, parameters );
		await rig.pass.init( renderer );
		return rig;

	}

	/** One run at `count`: the whole output, its tail and guard words, `read()`, the total, and the inputs. */
	async check( count: number, seed = count + 1, data: Data = {} ): Promise<void> {

		const { renderer, output, pass, stride, parameters } = this;
		const { operator, capacity } = parameters;
		const live = Math.min( count, capacity );
		const label = `${ nameOf( parameters ) }, count ${ count } of ${ capacity }, data seed ${ seed }`;

		if ( output !== this.input ) {

			asWords( output.array ).fill( GUARD_WORD );
			output.needsUpdate = true;

		}

		const expected = this.run( count, seed, data );
		const { type, keepsZeros } = operator;
		const n = componentsOf( type );

		const buffer = await renderer.getArrayBufferAsync( output );
		const values = componentOf( type ) === 'uint' ? new Uint32Array( buffer ) : componentOf( type ) === 'int' ? new Int32Array( buffer ) : new Float32Array( buffer );

		expectElements( label, values, expected.output, n, stride, keepsZeros );

		const words = new Uint32Array( buffer );
		const touched = words.findIndex( ( word, i ) => word !== GUARD_WORD && ( i >= live * stride || i % stride >= n ) );
		if ( touched >= 0 ) throw new Error( `${ label }: word ${ touched } was written, which is ${ touched >= live * stride ? `${ touched - live * stride } past the count` : 'padding' }.` );

		const read = await pass.read( renderer );
		if ( read.length !== live * n || read.constructor !== values.constructor ) throw new Error( `${ label }: read() gave ${ read.constructor.name } of ${ read.length } numbers (expected ${ values.constructor.name } of ${ live * n }).` );
		expectElements( `${ label }: read()`, read, expected.output, n, n, keepsZeros );

		expectTotal( label, await pass.readTotal( renderer ), expected.total );
		await this.checkInputs( count, label );

	}

}

/** A ReducePass with its buffers, all guarded, to run at many counts. */
export class ReduceRig extends Rig<ReducePass> {

	readonly pass: ReducePass;

	private constructor( renderer: WebGPURenderer, parameters: ScanCase ) {

		super( renderer, parameters );
		const { source, options } = this.describe();
		this.pass = new ReducePass( source, options );

	}

	static async create( renderer: WebGPURenderer, parameters: ScanCase ): Promise<ReduceRig> {

		const rig = new ReduceRig( renderer, parameters );
		await rig.pass.init( renderer );
		return rig;

	}

	async check( count: number, seed = count + 1, data: Data = {} ): Promise<void> {

		const label = `${ nameOf( this.parameters ) }, count ${ count } of ${ this.parameters.capacity }, data seed ${ seed }`;
		const expected = this.run( count, seed, data );

		expectTotal( label, await this.pass.readTotal( this.renderer ), expected.total );
		await this.checkInputs( count, label );

	}

}

/** Compares bit for bit, but for the sign of zero unless `keepsZeros`; throws at the first difference. */
export function expectElements( label: string, actual: ArrayLike<number>, expected: ArrayLike<number>, components: number, stride = components, keepsZeros = false ): void {

	for ( let i = 0, e = 0; e < expected.length; i += stride ) {

		for ( let c = 0; c < components; c ++, e ++ ) {

			if ( keepsZeros ? ! Object.is( actual[ i + c ], expected[ e ] ) : actual[ i + c ] !== expected[ e ] ) throw new Error( `${ label }: element ${ i / stride }${ components > 1 ? `, component ${ c },` : '' } is ${ show( actual[ i + c ] ) } (expected ${ show( expected[ e ] ) }).` );

		}

	}

}

function show( value: number ): string {

	return Object.is( value, - 0 ) ? '-0' : String( value );

}

function expectTotal( label: string, actual: number | number[], expected: ScanValue ): void {

	const a = typeof actual === 'number' ? [ actual ] : actual, e = typeof expected === 'number' ? [ expected ] : expected;

	if ( Array.isArray( actual ) !== Array.isArray( expected ) || a.length !== e.length || a.some( ( value, i ) => value !== e[ i ] ) ) throw new Error( `${ label }: the total is ${ a.join( ', ' ) } (expected ${ e.join( ', ' ) }).` );

}

/** A storage node over any scan type. */
export function storageOf( attribute: StorageBufferAttribute, type: ScanType, count: number ): StorageBufferNode<ScanType> {

	return TSL.storage( attribute, type, count );

}

export function asWords( array: { buffer: ArrayBufferLike; byteOffset: number; length: number } ): Uint32Array {

	return new Uint32Array( array.buffer, array.byteOffset, array.length );

}

/**
 * Runs a pass many times and compares each output on the GPU, which takes no readback: each run's output is overwritten
 * before the next. Returns how many elements were ever wrong.
 */
export async function countWrongRuns( renderer: WebGPURenderer, pass: ScanPass, expected: Uint32Array, runs: number ): Promise<number> {

	const wrong = new StorageBufferAttribute( new Uint32Array( 1 ), 1 );
	const wrongNode = TSL.storage( wrong, 'uint', 1 ).toAtomic();
	const expectedNode = TSL.storage( new StorageBufferAttribute( expected, 1 ), 'uint', expected.length ).toReadOnly();
	const outputNode = TSL.storage( pass.output, 'uint', expected.length );

	const compare = TSL.Fn( () => {

		const i = TSL.instanceIndex;

		TSL.If( i.lessThan( TSL.uint( expected.length ) ), () => {

			TSL.If( ( outputNode.element( i ) as unknown as Node<'uint'> ).notEqual( expectedNode.element( i ) ), () => {

				TSL.atomicAdd( wrongNode.element( 0 ), TSL.uint( 1 ) );

			} );

			outputNode.element( i ).assign( TSL.uint( GUARD_WORD ) );

		} );

	} )().compute( expected.length );

	const frame = [ ...pass.nodes, compare ];
	for ( let run = 0; run < runs; run ++ ) renderer.compute( frame );

	return new Uint32Array( await renderer.getArrayBufferAsync( wrong ) )[ 0 ];

}

/** Every combination of type, operator, kernel and options, with a few counts about tile edges. */
export const scanCases: fc.Arbitrary<ScanCase & { counts: number[] }> = fc.record( {
	type: fc.constantFrom( ...SCAN_TYPES ),
	operator: fc.nat( 999 ),
	// the text of a shared-memory kernel is the same at every width
	variant: fc.constantFrom( ...VARIANTS_HERE.filter( ( { options } ) => TAKES_ALL || options.kernel === 'subgroup' ) ),
	kind: fc.constantFrom( 'exclusive', 'inclusive' ),
	reverse: fc.boolean(),
	segments: fc.constantFrom( 'buffer', 'closure', undefined, undefined ),
	source: fc.constantFrom( 'buffer', 'in place', 'closure' ),
	gpuCount: fc.boolean(),
	initial: fc.boolean(),
	itemsPerThread: fc.constantFrom( 1, 4, 8 ),
	tiles: fc.integer( { min: 1, max: 5 } ),
	more: fc.integer( { min: 0, max: 9 } ),
	edges: fc.array( fc.tuple( fc.nat( 5 ), fc.integer( { min: - 2, max: 2 } ) ), { minLength: 3, maxLength: 3 } ),
} ).map( ( { type, operator: pick, variant: kernel, segments, itemsPerThread, tiles, more, edges, ...rest } ) => {

	const operators = operatorsOf( type );
	const operator = operators[ pick % operators.length ];
	const canRun = ! kernel.nativeOnly || operator.native && segments === undefined;
	const tile = SMALL.workgroupSize * itemsPerThread;
	const capacity = tiles * tile + more;

	return {
		...rest, operator, capacity,
		variant: canRun ? kernel : variant( 'subgroup shuffle' ),
		policy: { itemsPerThread },
		counts: [ capacity, ...edges.map( ( [ edge, offset ] ) => Math.min( Math.max( edge * tile + offset, 0 ), capacity ) ) ],
		...( segments && { segments } ),
	};

} );
