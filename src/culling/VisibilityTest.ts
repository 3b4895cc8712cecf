import type { ArrayCamera, BufferAttribute, Camera, Node, Vector2 } from 'three/webgpu';
import { ScanError, describe, invalidArgument } from '../errors';
import { allocate, isClosure, resolveBuffer, view, type Source } from '../builder/buffers';
import { If, Loop, asExpr, asNode, bool, float, uint, uniform, uniformArray, vec3, type Expr, type StorageExpr, type UniformExpr } from '../builder/tsl';
import { choose } from '../builder/wgsl';
import type { ScanType } from '../shaders/monoids';
import { EyeUniforms, eyesOf } from './eyes';
import { checkLimits, type VisibilityLimits } from './limits';
import { boxInFrustum, projectedRadius, sphereInFrustum, type PlaneArray } from './frustumTests';

/** Options of {@link VisibilityTest}. Exactly one of `spheres` and `boxes`, in world space. `minPixels` needs `size` in `update()`. */
export interface VisibilityOptions extends VisibilityLimits {

	/** vec4: centre and radius. */
	spheres?: Source;
	/** Lower and upper corners: vec3, or vec4 whose w is ignored. */
	boxes?: { min: Source; max: Source };
	/** Not there yet: refused with `feature-missing`. */
	occlusion?: unknown;
	/** False: everything is visible; levels still follow the distance. Default true. */
	enabled?: boolean;
	/** With hysteresis over closures: how many bounds there are. Default: the buffer's length. */
	capacity?: number;

}

const OUT_OF_RANGE = 0x80000000;
/** A sphere of a smaller radius is not there at all: not seen even where everything is. */
const NOT_THERE = - 1e29;

/**
 * Which bounds a camera sees, and in which level of detail, as closures for the passes:
 *
 * ```js
 * const test = new VisibilityTest( { spheres } ).update( camera );
 * const visible = new CompactPass( n, test.isVisible, { draws } );
 * const levels = new PartitionPass( n, 4, test.lodOf, { draws: fourDraws } ); // with lodDistances: [ 10, 30, 90 ]
 * ```
 *
 * A bound is visible if at least one eye has it neither wholly outside a frustum plane nor farther than `maxDistance` nor smaller than `minPixels`;
 * touching is visible. Hysteresis keeps state for one view: use a test per camera, and in compute only. In a material ask inside an `Fn`.
 */
export class VisibilityTest {

	/** For checks of kind. */
	readonly isVisibilityTest = true;
	/** Whether bound `i` is visible. */
	readonly isVisible: ( i: Node<'uint'> ) => Node<'bool'>;
	/** The level of bound `i`, `levelCount` when it is not visible. */
	readonly lodOf: ( i: Node<'uint'> ) => Node<'uint'>;
	/** `lodDistances.length + 1`. */
	readonly levelCount: number;

	/** Of the spheres, or of the lower and the upper corners: one node each, however often a shader asks. */
	private readonly readers: ( ( i: Expr ) => Expr )[];
	private readonly eyes = new EyeUniforms();
	private readonly limits: { enabled: UniformExpr<number>; maxDistance: UniformExpr<number>; minPixels: UniformExpr<number>; hysteresis: UniformExpr<number> };
	private readonly lodDistances: number[];
	private readonly lodNodes: Expr | null;
	private readonly history: BufferAttribute | null;
	private readonly historyNode: StorageExpr | null;

	/** @throws {ScanError} `invalid-argument`, `feature-missing` */
	constructor( options: VisibilityOptions ) {

		if ( options === null || typeof options !== 'object' ) throw invalidArgument( `VisibilityTest: options must be an object with spheres or boxes (got ${ describe( options ) }). Pass { spheres } or { boxes: { min, max } }.` );

		const { occlusion, enabled = true } = options;
		const { maxDistance, minPixels, lodDistances, hysteresis } = checkLimits( 'VisibilityTest', options );

		const length = checkBounds( options );
		if ( occlusion !== undefined && occlusion !== false ) throw new ScanError( 'feature-missing', 'VisibilityTest: occlusion is not there yet (got it asked for). Omit it.' );

		const { spheres, boxes } = options;
		this.readers = boxes === undefined ? [ reader( spheres!, 'spheres' ) ] : [ reader( boxes.min, 'boxes.min' ), reader( boxes.max, 'boxes.max' ) ];

		this.levelCount = lodDistances.length + 1;
		this.lodDistances = lodDistances;
		this.lodNodes = lodDistances.length === 0 ? null : uniformArray( this.lodDistances as unknown as object[], 'float' );

		this.limits = {
			enabled: uniform( enabled ? 1 : 0, 'uint' ),
			maxDistance: uniform( maxDistance, 'float' ),
			minPixels: uniform( minPixels, 'float' ),
			hysteresis: uniform( hysteresis, 'float' )
		};

		this.history = hysteresis > 0 ? allocate( 'uint', historyLength( options.capacity ?? length ) ) : null;
		// one node: two that may write would alias where both closures stand in one shader
		this.historyNode = this.history === null ? null : view( this.history, 'uint', 'visibilityHistory' );
		this.isVisible = i => asNode( this.judge( asExpr( i ) ).visible );

		this.lodOf = i => {

			const { visible, level } = this.judge( asExpr( i ) );
			return asNode( choose( 'uint', visible, level, uint( this.levelCount ) ) );

		};

	}

	/** False shows everything. */
	get enabled(): boolean {

		return this.limits.enabled.value !== 0;

	}

	set enabled( enabled: boolean ) {

		this.limits.enabled.value = enabled ? 1 : 0;

	}

	/**
	 * Takes a camera's view: uniforms only. Its matrices are taken as three last updated them; a camera without a parent is updated here.
	 *
	 * @param camera - An ArrayCamera counts as the union of its eyes.
	 * @param size - The picture in pixels, for `minPixels`; an eye's own viewport replaces it.
	 */
	update( camera: Camera | ArrayCamera, size?: Vector2 ): this {

		if ( ( camera as Partial<Camera> | undefined )?.isCamera !== true ) throw invalidArgument( `VisibilityTest.update: needs a camera (got ${ describe( camera ) }). Pass the one that the scene is rendered with.` );
		if ( this.limits.minPixels.value > 0 && size === undefined && eyesOf( camera ).some( eye => eye.viewport === undefined ) ) throw invalidArgument( 'VisibilityTest.update: minPixels needs the size of the picture (got none). Pass it in pixels: update( camera, renderer.getDrawingBufferSize( size ) ).' );

		if ( camera.parent === null && camera.matrixWorldAutoUpdate ) camera.updateMatrixWorld();
		this.setView( camera, size );
		return this;

	}

	/**
	 * Takes a camera's matrices as they are. Distances start at `viewer` if given: a shadow shows the levels that its viewer sees.
	 *
	 * @internal
	 */
	setView( camera: Camera | ArrayCamera, size?: Vector2, viewer?: Camera ): void {

		this.eyes.set( 'VisibilityTest', camera, size, viewer );

	}

	/** Forgets what hysteresis remembers. */
	reset(): void {

		if ( this.history === null ) return;
		this.history.array.fill( 0 );
		this.history.needsUpdate = true;

	}

	/** Frees the buffer that hysteresis keeps. */
	dispose(): void {

		this.history?.dispose();

	}

	/** One bound, in the shader of whoever asks. */
	private judge( i: Expr ): { visible: Expr; level: Expr } {

		const { eyes, limits: { enabled, maxDistance, minPixels, hysteresis } } = this;
		const bound = this.bound( i );
		const needsSize = minPixels.value > 0;

		const seen = bool( false ).toVar();
		const nearest = float( 3e38 ).toVar();
		const largest = float( 0 ).toVar();

		Loop( { start: uint( 0 ), end: eyes.count, type: 'uint', condition: '<', update: 1 }, ( { i: eye } ) => {

			const position = eyes.positions.element( eye ).toVar();
			const distance = bound.centre.sub( position.xyz ).length().toVar();
			const inside = bound.isInside( eyes.planes as unknown as PlaneArray, eyes.firstPlane( eye ) ).toVar();
			const near = this.isInRange( distance, maxDistance ).toVar();

			nearest.assign( nearest.min( distance ) );

			if ( needsSize ) {

				const diameter = asExpr( projectedRadius( asNode( bound.centre ), asNode( bound.radius ), asNode( eyes.rows.element( eye ) ), asNode( position.w ) ) ).mul( 2 ).toVar();
				largest.assign( largest.max( diameter ) );
				near.assign( near.and( diameter.lessThan( minPixels ).not() ) );

			}

			seen.assign( seen.or( inside.and( near ) ) );

		} );

		const state = this.historyNode === null ? null : this.historyNode.element( i );
		const last = state === null ? uint( 0 ).toVar() : state.toVar();
		const wasOut = last.bitAnd( uint( OUT_OF_RANGE ) ).notEqual( 0 );
		const lastLevel = last.bitAnd( uint( 0x7fffffff ) ).toVar();

		const level = this.levelAt( nearest, lastLevel, hysteresis );

		const whenDisabled = enabled.equal( 0 ).and( bound.radius.greaterThan( NOT_THERE ) );
		if ( state === null ) return { visible: whenDisabled.or( seen ), level };

		// over all eyes together, with hysteresis: what the history keeps; asked twice, the answer is the same
		const scale = choose( 'float', wasOut, float( 1 ).sub( hysteresis ), float( 1 ) ).toVar();
		const inRange = this.isInRange( nearest, maxDistance.mul( scale ) );
		const near = ( needsSize ? inRange.and( largest.mul( scale ).lessThan( minPixels ).not() ) : inRange ).toVar();

		state.assign( level.add( 1 ).bitOr( choose( 'uint', near, uint( 0 ), uint( OUT_OF_RANGE ) ) ) );
		return { visible: whenDisabled.or( seen.and( near ) ), level };

	}

	/** Without a limit whatever is there, however far: f32's distances overflow. */
	private isInRange( distance: Expr, limit: Expr ): Expr {

		return this.limits.maxDistance.value === Infinity ? bool( true ) : distance.greaterThan( limit ).not();

	}

	/** How many of the distances have been passed; those passed before are held on to a little longer. */
	private levelAt( distance: Expr, lastLevel: Expr, hysteresis: Expr ): Expr {

		const level = uint( 0 ).toVar();
		const { lodNodes } = this;
		if ( lodNodes === null ) return level;

		this.lodDistances.forEach( ( _, k ) => {

			const begin = lodNodes.element( uint( k ) );
			const passed = lastLevel.greaterThan( k + 1 ); // the history holds level + 1
			const threshold = this.history === null ? begin : choose( 'float', passed, begin.mul( float( 1 ).sub( hysteresis ) ), begin );
			If( distance.greaterThanEqual( threshold ), () => { level.assign( k + 1 ); } );

		} );

		return level;

	}

	private bound( i: Expr ): { centre: Expr; radius: Expr; isInside: ( planes: PlaneArray, first: Expr ) => Expr } {

		const [ first, second ] = this.readers.map( read => read( i ).toVar() );

		if ( second === undefined ) {

			const [ centre, radius ] = [ first.xyz.toVar(), first.w.toVar() ];
			return { centre, radius, isInside: ( planes, plane ) => asExpr( sphereInFrustum( planes, asNode( centre ), asNode( radius ), asNode( plane ) ) ) };

		}

		const [ min, max ] = [ first, second ].map( corner => vec3( corner.xyz ).toVar() );
		return {
			centre: min.add( max ).mul( 0.5 ).toVar(),
			radius: max.sub( min ).length().mul( 0.5 ).toVar(),
			isInside: ( planes, plane ) => asExpr( boxInFrustum( planes, asNode( min ), asNode( max ), asNode( plane ) ) )
		};

	}

}

/** Refuses bounds that no shader could read. Returns how many the buffers hold, undefined for closures. */
function checkBounds( { spheres, boxes }: VisibilityOptions ): number | undefined {

	if ( ( spheres === undefined ) === ( boxes === undefined ) ) throw invalidArgument( `VisibilityTest: the bounds must be either spheres or boxes (got ${ spheres === undefined ? 'neither' : 'both' }). Pass one of them.` );
	if ( boxes === undefined ) return checkSource( 'spheres', spheres, [ 'vec4' ], 'Pack the radius behind the centre.' );

	const [ lower, upper ] = ( [ 'min', 'max' ] as const ).map( corner => checkSource( `boxes.${ corner }`, boxes[ corner ], [ 'vec3', 'vec4' ], 'Pack the corner\'s x, y and z.' ) );
	if ( lower !== undefined && upper !== undefined && lower !== upper ) throw invalidArgument( `VisibilityTest: boxes must have as many lower as upper corners (got ${ lower } and ${ upper }). Make both buffers the same length.` );
	return lower ?? upper;

}

function checkSource( name: string, source: unknown, types: ScanType[], remedy: string ): number | undefined {

	if ( isClosure( source ) ) return undefined;

	const { type, length } = resolveBuffer( `VisibilityTest: ${ name }`, source );
	if ( ! types.includes( type ) ) throw invalidArgument( `VisibilityTest: ${ name } must hold floats, ${ types.join( ' or ' ) } (got ${ type }). ${ remedy }` );
	return length;

}

function historyLength( count: number | undefined ): number {

	if ( count === undefined || ! Number.isInteger( count ) || count < 1 ) throw invalidArgument( `VisibilityTest: hysteresis needs the number of bounds, at least 1 (got ${ describe( count ) }). Pass it as capacity.` );
	return count;

}

/** Elements of a source: by the user's own node where there is one, since other views of the buffer may stand in the same shader. */
function reader( source: Source, name: string ): ( i: Expr ) => Expr {

	if ( isClosure( source ) ) return i => asExpr( source( asNode( i ) ) );

	const { attribute, node, type } = resolveBuffer( `VisibilityTest: ${ name }`, source );
	const elements = node ?? view( attribute, type, name.replace( '.', '' ) ).toReadOnly();
	return i => elements.element( i );

}
