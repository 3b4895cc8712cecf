/** What is drawn for each rabbit: itself, the shadow on the ground, and a dot on the map. */
import { type BufferGeometry, Mesh, MeshBasicNodeMaterial, MeshLambertNodeMaterial, PlaneGeometry, Vector3, type Node } from 'three/webgpu';
import {
	cameraPosition, color, Fn, hash, instanceIndex, mix, normalLocal, normalWorld, positionGeometry, positionWorld, smoothstep, uniform,
	vec2, vec3, vec4,
} from 'three/tsl';
import type { Herd } from './herd';
import { SUN } from './scenery';

export const MAP_LAYER = 1;
/** Metres across of a dot on the map. */
export const dotSize = uniform( 4 );

const EYES = [ new Vector3( - 0.293, 0.725, 0.275 ), new Vector3( - 0.467, 0.725, 0.078 ) ];
const NOSE = new Vector3( - 0.478, 0.635, 0.29 );
const TAIL = new Vector3( 0.47, 0.22, 0 );

/** Says which rabbit the k-th drawn instance is, e.g. `(k) => compact.element(k)`. */
export type Lookup = ( k: Node<'uint'> ) => Node<'uint'>;

export function makeGeometries( model: BufferGeometry ): [BufferGeometry, BufferGeometry, BufferGeometry] {

	return [ model.clone(), new PlaneGeometry(), new PlaneGeometry() ];

}

export function makeMeshes( [ rabbit, quad, dot ]: ReturnType<typeof makeGeometries>, herd: Herd, lookup: Lookup ): Mesh[] {

	const rabbits = new Mesh( rabbit, rabbitMaterial( herd, lookup ) );
	const shadows = new Mesh( quad, shadowMaterial( herd, lookup ) );
	const dots = new Mesh( dot, dotMaterial( herd, lookup ) );
	dots.layers.set( MAP_LAYER );
	const meshes = [ rabbits, shadows, dots ];
	for ( const mesh of meshes ) mesh.frustumCulled = false; // three knows the bounds of one rabbit only
	return meshes;

}

function rabbitMaterial( herd: Herd, lookup: Lookup ): MeshLambertNodeMaterial {

	const material = new MeshLambertNodeMaterial();
	material.positionNode = Fn( () => {

		const index = lookup( instanceIndex ).toVar();
		const place = herd.places.element( index );
		const turn = quaternion( herd.turns.element( index ).xyz ).toVar();
		normalLocal.assign( rotate( turn, normalLocal ) );
		return rotate( turn, positionGeometry.mul( place.w ) ).add( place.xyz );

	} )();

	const index = lookup( instanceIndex );
	const fur = palette( herd.turns.element( index ).w ).mul( hash( index ).mul( 0.35 ).add( 0.8 ) ).toVarying();
	const tail = mix( fur, color( '#f7f0e4' ), spot( TAIL, 0.2 ).mul( 0.8 ) );
	const nose = mix( tail, color( '#c9837a' ), spot( NOSE, 0.034 ) );
	const eyes = mix( nose, color( '#160d0a' ), EYES.map( ( eye ) => spot( eye, 0.036 ) ).reduce( ( one, other ) => one.max( other ) ) );
	const belly = smoothstep( 0.3, 0.02, positionGeometry.y ).mul( 0.55 ).oneMinus(); // little light reaches down there
	material.colorNode = eyes.mul( belly );

	// against the sun, fur glows at its outline
	const toEye = cameraPosition.sub( positionWorld ).normalize();
	const outline = normalWorld.dot( toEye ).max( 0 ).oneMinus().pow( 3 );
	const against = toEye.dot( vec3( SUN ) ).negate().mul( 0.5 ).add( 0.5 ).pow( 2 );
	material.emissiveNode = color( '#ffcf8f' ).mul( outline.mul( against ).mul( 0.75 ) );
	return material;

}

/** 1 near a point of the model, 0 outside the radius. */
function spot( point: Vector3, radius: number ): Node<'float'> {

	return smoothstep( radius, radius * 0.8, positionGeometry.distance( vec3( point ) ) );

}

/** Cream, apricot, cocoa, slate. */
function palette( t: Node<'float'> ): Node<'vec3'> {

	const light = mix( color( '#f4e6d0' ), color( '#d9914f' ), smoothstep( 0.15, 0.5, t ) );
	const dark = mix( color( '#7d4f33' ), color( '#7f8796' ), smoothstep( 0.75, 0.95, t ) );
	return mix( light, dark, smoothstep( 0.5, 0.72, t ) );

}

/** A soft ellipse that begins under the paws and runs out away from the sun. */
function shadowMaterial( herd: Herd, lookup: Lookup ): MeshBasicNodeMaterial {

	const material = new MeshBasicNodeMaterial( { transparent: true, depthWrite: false } );
	const length = positionGeometry.x.add( 0.5 ).mul( 2 ).sub( 0.45 ); // in heights of the rabbit
	const width = positionGeometry.y.mul( 1.1 );
	material.positionNode = Fn( () => {

		const index = lookup( instanceIndex ).toVar();
		const place = herd.places.element( index );
		const up = rotate( quaternion( herd.turns.element( index ).xyz ), vec3( 0, 1, 0 ) ).toVar();
		const sun = vec3( SUN );
		const along = up.mul( sun.dot( up ) ).sub( sun ).normalize().toVar(); // on the slope
		const onGround = along.mul( length ).add( up.cross( along ).mul( width ) ).add( up.mul( 0.05 ) );
		return onGround.mul( place.w ).add( place.xyz );

	} )();
	material.colorNode = color( '#101b08' );
	const fade = vec2( length.div( length.lessThan( 0 ).select( 0.45, 1.55 ) ), width.div( 0.55 ) ).length();
	material.opacityNode = smoothstep( 1, 0.15, fade ).mul( 0.8 );
	return material;

}

function dotMaterial( herd: Herd, lookup: Lookup ): MeshBasicNodeMaterial {

	const material = new MeshBasicNodeMaterial( { fog: false } );
	const place = herd.places.element( lookup( instanceIndex ) );
	const { x, y } = positionGeometry;
	material.positionNode = place.xyz.add( vec3( x, 0, y.negate() ).mul( dotSize ) ).add( vec3( 0, 3, 0 ) );
	material.colorNode = color( '#ff8a3c' );
	return material;

}

function quaternion( xyz: Node<'vec3'> ): Node<'vec4'> {

	return vec4( xyz, xyz.dot( xyz ).oneMinus().max( 0 ).sqrt() );

}

function rotate( by: Node<'vec4'>, vector: Node<'vec3'> ): Node<'vec3'> {

	const twist = by.xyz.cross( vector ).mul( 2 );
	return vector.add( twist.mul( by.w ) ).add( by.xyz.cross( twist ) );

}
