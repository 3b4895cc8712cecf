import { describe, expect, it } from 'vitest';
import { BoxGeometry, BufferAttribute, BufferGeometry, Color, DoubleSide, InstancedMesh, Matrix4, Mesh, MeshBasicNodeMaterial, Quaternion, Raycaster, Sphere, SphereGeometry, StorageBufferAttribute, TorusKnotGeometry, Vector3, type Intersection, type StorageBufferNode, Box3, InstancedBufferAttribute } from 'three/webgpu';
import { instancedArray } from 'three/tsl';
import { CulledInstancedMesh, ScanError, type CulledInstancedMeshOptions, type ScanErrorCode } from 'three-scan';
import { hash } from '../../examples/shared/random';

type Arguments = ConstructorParameters<typeof CulledInstancedMesh>;

const RED = new Color( 1, 0, 0 ), WHITE = new Color( 1, 1, 1 ), IDENTITY = new Matrix4();

/** What TypeScript would refuse, as JavaScript users may write it. */
const wrong = <T>( value: unknown ): T => value as T;

/** The type declarations have no matrices here. */
const mat4s = ( count: number ): StorageBufferNode<'mat4'> => instancedArray( count, wrong( 'mat4' ) ) as unknown as StorageBufferNode<'mat4'>;

const material = (): MeshBasicNodeMaterial => new MeshBasicNodeMaterial();
const boxes = ( capacity: number, options?: CulledInstancedMeshOptions ): CulledInstancedMesh => new CulledInstancedMesh( new BoxGeometry(), material(), capacity, options );
const moved = ( i: number ): Matrix4 => new Matrix4().makeTranslation( i, 2 * i, 3 * i );
const all = <T>( mesh: CulledInstancedMesh, get: ( i: number ) => T ): T[] => Array.from( { length: mesh.capacity }, ( _, i ) => get( i ) );
const matrices = ( mesh: CulledInstancedMesh ): Matrix4[] => all( mesh, ( i ) => mesh.getMatrixAt( i, new Matrix4() ) );
const colors = ( mesh: CulledInstancedMesh ): Color[] => all( mesh, ( i ) => mesh.getColorAt( i, new Color() ) );
const visibilities = ( mesh: CulledInstancedMesh ): boolean[] => all( mesh, ( i ) => mesh.getVisibleAt( i ) );

/** All but the multiples of 3 hidden, each where `moved` says, red. */
function fill( mesh: CulledInstancedMesh ): CulledInstancedMesh {

	for ( let i = 0; i < mesh.capacity; i ++ ) {

		mesh.setMatrixAt( i, moved( i ) );
		mesh.setColorAt( i, RED );
		mesh.setVisibleAt( i, i % 3 === 0 );

	}
	return mesh;

}

describe( 'CulledInstancedMesh: what is set', () => {

	it( 'is a mesh of as many instances as it has room for: identity, white, visible', () => {

		const mesh = boxes( 3 );
		expect( mesh.isMesh ).toBe( true );
		expect( mesh.isCulledInstancedMesh ).toBe( true );
		expect( [ mesh.count, mesh.capacity ] ).toEqual( [ 3, 3 ] );
		expect( matrices( mesh ) ).toEqual( [ IDENTITY, IDENTITY, IDENTITY ] );
		expect( colors( mesh ) ).toEqual( [ WHITE, WHITE, WHITE ] );
		expect( visibilities( mesh ) ).toEqual( [ true, true, true ] );

	} );

	it( 'is got back, and changes no neighbour', () => {

		const mesh = boxes( 70 );
		mesh.setMatrixAt( 33, moved( 5 ) );
		mesh.setColorAt( 34, RED );
		mesh.setVisibleAt( 35, false );
		expect( matrices( mesh ) ).toEqual( all( mesh, ( i ) => i === 33 ? moved( 5 ) : IDENTITY ) );
		expect( colors( mesh ) ).toEqual( all( mesh, ( i ) => i === 34 ? RED : WHITE ) );
		expect( visibilities( mesh ) ).toEqual( all( mesh, ( i ) => i !== 35 ) );

		mesh.setVisibleAt( 35, true );
		expect( mesh.getVisibleAt( 35 ) ).toBe( true );

	} );

	it( 'has attributes with a matrix and a colour for each instance', () => {

		const mesh = boxes( 4 );
		mesh.setMatrixAt( 2, moved( 2 ) );
		expect( Array.from( mesh.instanceMatrix.array.slice( 32, 48 ) ) ).toEqual( moved( 2 ).elements );
		expect( mesh.instanceColor ).toBeNull();
		mesh.setColorAt( 3, RED );
		expect( mesh.instanceColor!.count ).toBe( 4 );
		expect( [ mesh.instanceColor!.getX( 3 ), mesh.instanceColor!.getY( 3 ), mesh.instanceColor!.getY( 2 ) ] ).toEqual( [ 1, 0, 1 ] );

	} );

	it( 'stays when count is lowered and raised', () => {

		const mesh = fill( boxes( 5 ) );
		mesh.count = 2;
		expect( mesh.count ).toBe( 2 );
		mesh.count = 5;
		expect( matrices( mesh ) ).toEqual( all( mesh, moved ) );

	} );

} );

// Case 36
describe( 'CulledInstancedMesh.resize', () => {

	it( 'keeps what was set when it grows; the new ones are identity, white, visible', () => {

		const mesh = fill( boxes( 10 ) );
		mesh.resize( 40 );
		expect( [ mesh.count, mesh.capacity, mesh.instanceMatrix.count, mesh.instanceColor!.count ] ).toEqual( [ 10, 40, 40, 40 ] );
		expect( matrices( mesh ) ).toEqual( all( mesh, ( i ) => i < 10 ? moved( i ) : IDENTITY ) );
		expect( colors( mesh ) ).toEqual( all( mesh, ( i ) => i < 10 ? RED : WHITE ) );
		expect( visibilities( mesh ) ).toEqual( all( mesh, ( i ) => i >= 10 || i % 3 === 0 ) );

	} );

	it( 'forgets what it cuts off', () => {

		const mesh = fill( boxes( 40 ) );
		mesh.resize( 10 );
		expect( [ mesh.count, mesh.capacity ] ).toEqual( [ 10, 10 ] );
		mesh.resize( 40 );
		expect( matrices( mesh ) ).toEqual( all( mesh, ( i ) => i < 10 ? moved( i ) : IDENTITY ) );
		expect( colors( mesh ) ).toEqual( all( mesh, ( i ) => i < 10 ? RED : WHITE ) );
		expect( visibilities( mesh ) ).toEqual( all( mesh, ( i ) => i >= 10 || i % 3 === 0 ) );

	} );

	it( 'needs no colours', () => {

		const mesh = boxes( 2 );
		mesh.resize( 3 );
		expect( mesh.instanceColor ).toBeNull();
		expect( colors( mesh ) ).toEqual( [ WHITE, WHITE, WHITE ] );

	} );

} );

describe( 'CulledInstancedMesh: copies', () => {

	it( 'clone() has matrices, colours and visibility of its own', () => {

		const mesh = fill( boxes( 7 ) );
		mesh.count = 5;
		mesh.culling = 'off';
		mesh.name = 'boxes';
		mesh.position.set( 1, 2, 3 );
		const clone = mesh.clone();

		expect( clone ).toBeInstanceOf( CulledInstancedMesh );
		expect( [ clone.count, clone.capacity, clone.culling, clone.name, clone.position.z ] ).toEqual( [ 5, 7, 'off', 'boxes', 3 ] );
		expect( [ clone.geometry, clone.material ] ).toEqual( [ mesh.geometry, mesh.material ] );
		expect( clone.geometry ).toBe( mesh.geometry );
		expect( [ matrices( clone ), colors( clone ), visibilities( clone ) ] ).toEqual( [ matrices( mesh ), colors( mesh ), visibilities( mesh ) ] );

		clone.setMatrixAt( 1, IDENTITY );
		clone.setColorAt( 1, WHITE );
		clone.setVisibleAt( 1, true );
		expect( [ matrices( mesh )[ 1 ], colors( mesh )[ 1 ], visibilities( mesh )[ 1 ] ] ).toEqual( [ moved( 1 ), RED, false ] );

	} );

	it( 'clone() keeps levels and options', () => {

		const lods = [ { geometry: new SphereGeometry( 1, 16, 8 ), distance: 0 }, { geometry: new BoxGeometry(), distance: 5 } ];
		const mesh = new CulledInstancedMesh( lods, material(), 2, { matrices: mat4s( 2 ) } ), clone = mesh.clone();
		expect( clone.geometry ).toBe( mesh.geometry );
		expect( () => clone.setMatrixAt( 0, IDENTITY ) ).toThrow( ScanError );

	} );

	it( 'copy() takes over everything, the capacity too', () => {

		const mesh = fill( boxes( 7 ) );
		const copy = boxes( 2 ).copy( mesh );
		expect( [ copy.count, copy.capacity ] ).toEqual( [ 7, 7 ] );
		expect( [ matrices( copy ), colors( copy ), visibilities( copy ) ] ).toEqual( [ matrices( mesh ), colors( mesh ), visibilities( mesh ) ] );

	} );

	it( 'Object3D.clone() of a parent clones it', () => {

		const parent = new Mesh( new BoxGeometry(), material() );
		parent.add( fill( boxes( 3 ) ) );
		expect( matrices( parent.clone().children[ 0 ] as CulledInstancedMesh ) ).toEqual( [ moved( 0 ), moved( 1 ), moved( 2 ) ] );

	} );

} );

describe( 'CulledInstancedMesh: geometry and material', () => {

	it( 'may be null, and come later', () => {

		const mesh = new CulledInstancedMesh( null, null, 3 );
		mesh.setMatrixAt( 1, IDENTITY );
		expect( rays( mesh, AHEAD ) ).toEqual( [ [] ] );

		mesh.geometry = new BoxGeometry();
		mesh.material = material();
		for ( const i of [ 0, 2 ] ) mesh.setVisibleAt( i, false );
		expect( rays( mesh, AHEAD )[ 0 ].map( ( hit ) => hit.instanceId ) ).toEqual( [ 1 ] );

	} );

} );

describe( 'CulledInstancedMesh.computeBoundingSphere', () => {

	it( 'encloses every instance closely, whatever a broken matrix says', () => {

		const geometry = new BoxGeometry(), mesh = new CulledInstancedMesh( geometry, material(), 6 );
		const plain = new InstancedMesh( geometry, material(), 4 );
		for ( let i = 0; i < 4; i ++ ) for ( const target of [ mesh, plain ] ) target.setMatrixAt( i, moved( i ) );
		mesh.setMatrixAt( 4, filled( NaN ) );
		mesh.setMatrixAt( 5, moved( Infinity ) );

		mesh.computeBoundingSphere();
		plain.computeBoundingSphere();
		const sphere = mesh.boundingSphere!;
		expect( sphere.radius ).toBeLessThan( plain.boundingSphere!.radius * 1.01 );
		geometry.computeBoundingSphere();
		for ( let i = 0; i < 4; i ++ ) {

			const own = new Sphere().copy( geometry.boundingSphere! ).applyMatrix4( moved( i ) );
			expect( sphere.center.distanceTo( own.center ) + own.radius ).toBeLessThan( sphere.radius + 1e-5 );

		}

	} );

} );

const filled = ( value: number ): Matrix4 => new Matrix4().fromArray( new Array<number>( 16 ).fill( value ) );

/** Off the diagonals of boxes, where rays hit two triangles. */
const AHEAD: [number, number, number][] = [ [ 0.3, 0.7, 9 ] ];

type Hit = Omit<Intersection, 'object'>;

/** What rays from these points towards the origin hit, nearest first, each hit without its object. */
function rays( mesh: Mesh, from: [number, number, number][] ): Hit[][] {

	return from.map( ( point ) => {

		const origin = new Vector3( ...point ), raycaster = new Raycaster( origin, origin.clone().negate().normalize() );
		return raycaster.intersectObject( mesh ).map( ( { object, ...hit } ) => {

			expect( object ).toBe( mesh );
			return hit;

		} );

	} );

}

describe( 'CulledInstancedMesh.raycast', () => {

	const COUNT = 40;
	const POINTS = Array.from( { length: 12 }, ( _, k ) => [ hash( k, 20 ) * 20 - 10, hash( k, 21 ) * 20 - 10, hash( k, 22 ) * 20 - 10 ] as [number, number, number] );

	/** Around the origin, turned, squeezed; every fourth mirrored. */
	function strewn( i: number ): Matrix4 {

		const at = new Vector3( hash( i, 1 ) * 4 - 2, hash( i, 2 ) * 4 - 2, hash( i, 3 ) * 4 - 2 );
		const turn = new Quaternion( hash( i, 4 ), hash( i, 5 ), hash( i, 6 ), 0.5 ).normalize();
		return new Matrix4().compose( at, turn, new Vector3( 0.5 + hash( i, 7 ), 1, i % 4 === 0 ? - 1 : 1 ) );

	}

	/** A knot with everything that a hit can tell: normal, uv and uv1. */
	function knot(): BufferGeometry {

		const geometry = new TorusKnotGeometry( 0.6, 0.2, 24, 4 );
		geometry.setAttribute( 'uv1', new BufferAttribute( Float32Array.from( geometry.attributes.uv.array, ( x ) => 1 - x ), 2 ) );
		return geometry;

	}

	const instances = ( hits: Hit[][] ): string[] => hits.map( ( ray ) => ray.map( ( { instanceId } ) => instanceId ).join( ' ' ) );

	/** The hits of a mesh and those of three's own, whose instances that must not be hit are far away. */
	function parity( { lods = 1, side = {}, spoil = ( _mesh: CulledInstancedMesh ): number[] => [] } = {} ): Hit[][] {

		const levels = Array.from( { length: lods }, ( _, k ) => ( { geometry: knot().scale( 1 + k, 1 + k, 1 + k ), distance: k } ) );
		const mesh = new CulledInstancedMesh( lods === 1 ? levels[ 0 ].geometry : levels, new MeshBasicNodeMaterial( side ), COUNT );
		const plain = new InstancedMesh( levels[ 0 ].geometry, new MeshBasicNodeMaterial( side ), COUNT );
		for ( let i = 0; i < COUNT; i ++ ) for ( const target of [ mesh, plain ] ) target.setMatrixAt( i, strewn( i ) );
		for ( const i of spoil( mesh ) ) plain.setMatrixAt( i, new Matrix4().makeTranslation( 1e4, 1e4, 1e4 + i ) );
		for ( const target of [ mesh, plain ] ) {

			target.position.set( 0.1, 0.2, 0.3 );
			target.updateMatrixWorld();

		}

		const hits = rays( mesh, POINTS ), expected = rays( plain, POINTS );
		expect( instances( hits ) ).toEqual( instances( expected ) );
		expect( hits ).toEqual( expected );
		expect( hits.flat().length ).toBeGreaterThan( 2 * POINTS.length );
		return hits;

	}

	it( 'hits what three\'s InstancedMesh hits, mirrored instances too', () => {

		const hit = parity().flat()[ 0 ];
		for ( const property of [ 'instanceId', 'distance', 'point', 'face', 'faceIndex', 'normal', 'uv', 'uv1' ] as const ) expect( hit[ property ], property ).toBeDefined();

	} );

	it( 'sees both sides where the material has them', () => {

		parity( { side: { side: DoubleSide } } );

	} );

	it( 'hits the finest level, and tells as much about it', () => {

		parity( { lods: 3 } );

	} );

	it( 'never hits what is hidden', () => {

		parity( {
			spoil( mesh ) {

				const hidden = [ 1, 2, 3, 8, 31, 32, 33 ];
				for ( const i of hidden ) mesh.setVisibleAt( i, false );
				return hidden;

			},
		} );

	} );

	it.each( [
		[ 'zero', filled( 0 ) ], [ 'of no size', new Matrix4().makeScale( 0, 0, 0 ) ],
		[ 'NaN', filled( NaN ) ], [ 'in part NaN', new Matrix4().makeTranslation( NaN, 0, 0 ) ], [ 'infinite', filled( Infinity ) ],
		[ 'infinitely far', new Matrix4().makeTranslation( 0, - Infinity, 0 ) ], [ 'infinitely large', new Matrix4().makeScale( Infinity, Infinity, Infinity ) ],
	] )( 'is not spoilt by matrices that are %s', ( _, matrix ) => {

		parity( {
			spoil( mesh ) {

				const broken = [ 0, 5, 39 ];
				for ( const i of broken ) mesh.setMatrixAt( i, matrix );
				return broken;

			},
		} );

	} );

	it( 'looks at count instances, and at where they are now', () => {

		const mesh = boxes( 3 ), hit = (): ( number | undefined )[] => rays( mesh, AHEAD )[ 0 ].map( ( { instanceId } ) => instanceId );
		for ( let i = 0; i < 3; i ++ ) mesh.setMatrixAt( i, new Matrix4().makeTranslation( 0, 0, 2 * i ) );
		expect( hit() ).toEqual( [ 2, 1, 0 ] );
		mesh.count = 2;
		expect( hit() ).toEqual( [ 1, 0 ] );
		mesh.setMatrixAt( 1, moved( 50 ) );
		expect( hit() ).toEqual( [ 0 ] );

	} );

	it( 'finds an instance that was moved out of the bounds of before, once they are computed again', () => {

		const mesh = boxes( 1 );
		mesh.setMatrixAt( 0, moved( 10 ) );
		expect( rays( mesh, AHEAD ) ).toEqual( [ [] ] );
		mesh.setMatrixAt( 0, IDENTITY );
		mesh.computeBoundingSphere();
		expect( rays( mesh, AHEAD )[ 0 ] ).toHaveLength( 1 );

	} );

} );

describe( 'CulledInstancedMesh: bounds', () => {

	it( 'follow what is placed, counted and resized', () => {

		const mesh = new CulledInstancedMesh( new BoxGeometry(), material(), 1 ), far = new Raycaster( new Vector3( 50, 0, 9 ), new Vector3( 0, 0, - 1 ) );
		expect( far.intersectObject( mesh ) ).toEqual( [] );
		mesh.setMatrixAt( 0, new Matrix4().makeTranslation( 50, 0, 0 ) );
		expect( far.intersectObject( mesh )[ 0 ].instanceId ).toBe( 0 );

		mesh.setMatrixAt( 0, IDENTITY );
		expect( far.intersectObject( mesh ) ).toEqual( [] );
		mesh.resize( 2 );
		mesh.setMatrixAt( 1, new Matrix4().makeTranslation( 50, 0, 0 ) );
		expect( far.intersectObject( mesh ) ).toEqual( [] );
		mesh.count = 2;
		expect( far.intersectObject( mesh )[ 0 ].instanceId ).toBe( 1 );

	} );

	it( 'fit a box around all instances, as InstancedMesh does', () => {

		const [ mesh, plain ] = [ new CulledInstancedMesh( new BoxGeometry(), material(), 4 ), new InstancedMesh( new BoxGeometry(), material(), 4 ) ];

		for ( const each of [ mesh, plain ] ) {

			for ( let i = 0; i < 4; i ++ ) each.setMatrixAt( i, new Matrix4().makeRotationY( i ).setPosition( 3 * i, - i, i * i ) );
			each.rotation.x = 0.3;

		}

		expect( new Box3().setFromObject( mesh ) ).toEqual( new Box3().setFromObject( plain ) );

	} );

} );

describe( 'CulledInstancedMesh refuses', () => {

	/** Asserts who, what, and that it says what it got. */
	function refuses( act: () => unknown, what: RegExp, code: ScanErrorCode = 'invalid-argument' ): void {

		let error: unknown;
		try { act(); } catch ( caught ) { error = caught; }
		expect( error ).toBeInstanceOf( ScanError );
		expect( error ).toMatchObject( { code, message: expect.stringMatching( /^CulledInstancedMesh.*: .*\(got .+\)\./ ) as string } );
		expect( ( error as ScanError ).message ).toMatch( what );

	}

	const geometry = new BoxGeometry();
	const make = ( ...[ shape, surface, capacity, options ]: unknown[] ) => (): CulledInstancedMesh => new CulledInstancedMesh( ...[ shape, surface, capacity, options ] as Arguments );
	const lods = ( ...distances: unknown[] ): unknown => distances.map( ( distance ) => ( { geometry, distance } ) );

	it( 'what is no matrix, and no colour', () => {

		const mesh = make( geometry, material(), 3 )();
		for ( const value of [ undefined, 5, [ 1 ] ] ) refuses( () => mesh.setMatrixAt( 0, value as never ), /must be a Matrix4/ );
		for ( const value of [ undefined, 'red', 0xff0000 ] ) refuses( () => mesh.setColorAt( 0, value as never ), /must be a Color/ );
		expect( mesh.setMatrixAt( 0, IDENTITY ).setColorAt( 0, new Color() ).setVisibleAt( 0, true ) ).toBe( mesh );

	} );

	it( 'attributes by the instance, and morph targets among levels', () => {

		const tinted = new BoxGeometry().setAttribute( 'tint', new InstancedBufferAttribute( new Float32Array( 9 ), 3 ) );
		refuses( make( tinted, material(), 3 ), /'tint'.*instanceIndexNode/ );

		const morphed = new BoxGeometry();
		morphed.morphAttributes.position = [ morphed.attributes.position.clone() ];
		refuses( make( [ { geometry: morphed, distance: 0 } ], material(), 3 ), /morph/ );
		expect( make( morphed, material(), 3 ) ).not.toThrow();

	} );

	it.each( [ 0, - 1, 1.5, NaN, Infinity, undefined, '3' ] )( 'a capacity of %s', ( capacity ) => {

		refuses( make( geometry, material(), capacity ), /capacity/ );
		refuses( () => boxes( 2 ).resize( wrong( capacity ) ), /capacity/ );

	} );

	it.each( [ [ '5', 5 ], [ 'a list of null', [ null ] ], [ 'an empty list', [] ], [ 'a list of geometries', [ geometry ] ], [ 'a level of no geometry', [ { distance: 0 } ] ], [ 'an object', {} ] ] )( 'as geometry: %s', ( _, shape ) => {

		refuses( make( shape, material(), 1 ), /geometr|level/ );

	} );

	it( 'a level whose geometry has no position', () => {

		refuses( make( [ { geometry, distance: 0 }, { geometry: new BufferGeometry(), distance: 1 } ], material(), 1 ), /position/ );

	} );

	it.each( [ [ [ 1, 2 ] ], [ [ 0, 3, 2 ] ], [ [ 0, NaN ] ], [ [ 0, '3' ] ], [ [ 0, undefined ] ], [ [ - 1, 3 ] ] ] )( 'levels from the distances %j', ( distances ) => {

		refuses( make( lods( ...distances ), material(), 1 ), /distance/ );

	} );

	it( 'material arrays, at once and later', () => {

		refuses( make( geometry, [ material() ], 1 ), /material/ );
		refuses( () => boxes( 1 ).material = wrong( [ material() ] ), /material/ );

	} );

	it.each( [ - 1, 4, 1.5, NaN, undefined, '1' ] )( 'index %s of 4', ( value ) => {

		const mesh = boxes( 4 ), index = wrong<number>( value );
		mesh.setColorAt( 0, RED );
		refuses( () => mesh.setMatrixAt( index, IDENTITY ), /setMatrixAt: index/ );
		refuses( () => mesh.getMatrixAt( index, new Matrix4() ), /getMatrixAt: index/ );
		refuses( () => mesh.setColorAt( index, RED ), /setColorAt: index/ );
		refuses( () => mesh.getColorAt( index, new Color() ), /getColorAt: index/ );
		refuses( () => mesh.setVisibleAt( index, false ), /setVisibleAt: index/ );
		refuses( () => mesh.getVisibleAt( index ), /getVisibleAt: index/ );

	} );

	it( 'matrices that are too few, or no matrices', () => {

		for ( const [ count, matrices ] of [
			[ 5, new StorageBufferAttribute( new Float32Array( 64 ), 16 ) ], [ 4, new StorageBufferAttribute( new Uint32Array( 64 ), 16 ) ],
			[ 4, instancedArray( 4, 'vec4' ) ], [ 4, instancedArray( 64, 'uint' ) ], [ 4, 5 ], [ 4, new Float32Array( 64 ) ],
		] as const ) refuses( make( geometry, material(), count, { matrices } ), /matrices/ );

	} );

	it( 'setMatrixAt where the matrices are the user\'s', () => {

		refuses( () => boxes( 4, { matrices: mat4s( 4 ) } ).setMatrixAt( 0, IDENTITY ), /setMatrixAt/ );

	} );

	it( 'what is not there yet', () => {

		for ( const options of [ { occlusion: true }, { occlusion: { occluders: [] } }, { sortObjects: true } ] ) refuses( make( geometry, material(), 1, options ), new RegExp( Object.keys( options )[ 0 ] ), 'feature-missing' );
		expect( boxes( 1, { occlusion: false, sortObjects: false } ).count ).toBe( 1 );

	} );

	it.each( [
		[ 'shadowLodBias', [ - 1, 0.5, NaN, '1' ] ], [ 'minPixels', [ - 1, NaN, Infinity, '1' ] ],
		[ 'maxDistance', [ - 1, NaN, '1' ] ], [ 'hysteresis', [ - 0.1, 1, NaN, '0' ] ],
	] )( 'bad values of %s', ( option, values ) => {

		for ( const value of values ) refuses( make( geometry, material(), 1, { [ option ]: value } ), new RegExp( option ) );

	} );

} );
