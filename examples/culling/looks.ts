/** How each kind is painted, whichever way its instances are found. */
import { MeshLambertNodeMaterial, Vector3, type Node } from 'three/webgpu';
import {
	attribute, cameraPosition, color, float, hash, mix, mx_noise_float, normalWorld, positionGeometry, positionWorld, smoothstep, uniform, vec3,
} from 'three/tsl';
import type { Kind } from './kinds';
import { SUN } from './scenery';

/** 1 shows the levels of detail: green, amber, red. */
export const levelTint = uniform( 0 );

const EYES = [ new Vector3( - 0.293, 0.725, 0.275 ), new Vector3( - 0.467, 0.725, 0.078 ) ];
const NOSE = new Vector3( - 0.478, 0.635, 0.29 );
const TAIL = new Vector3( 0.47, 0.22, 0 );

/** @param index - Of the instance. */
export function makeMaterial( { name }: Kind, index: Node<'uint'> ): MeshLambertNodeMaterial {

	const material = new MeshLambertNodeMaterial();
	const level = attribute<'float'>( 'level', 'float' );
	const levelColor = mix( mix( color( '#1f9d55' ), color( '#ffb300' ), level.clamp( 0, 1 ) ), color( '#e53935' ), level.sub( 1 ).clamp( 0, 1 ) );
	material.colorNode = mix( PAINTS[ name ]( index ), levelColor, levelTint.mul( 0.9 ) );

	// against the sun, fur and leaves glow at their outlines
	const glows = { rabbit: 0.75, tree: 0.22, rock: 0, flower: 0.35 };
	const glow = glows[ name ];
	if ( glow === 0 ) return material;
	const toEye = cameraPosition.sub( positionWorld ).normalize();
	const outline = normalWorld.dot( toEye ).max( 0 ).oneMinus().pow( 3 );
	const against = toEye.dot( vec3( SUN ) ).negate().mul( 0.5 ).add( 0.5 ).pow( 2 );
	material.emissiveNode = color( name === 'rabbit' ? '#ffcf8f' : '#c8d86a' ).mul( outline.mul( against ).mul( levelTint.oneMinus() ).mul( glow ) );
	return material;

}

const PAINTS: Record<Kind[ 'name' ], ( index: Node<'uint'> ) => Node<'vec3'>> = {

	rabbit( index ) {

		const fur = palette( hash( index.add( 31 ) ) ).mul( hash( index ).mul( 0.35 ).add( 0.8 ) ).toVarying();
		const tail = mix( fur, color( '#f7f0e4' ), spot( TAIL, 0.2 ).mul( 0.8 ) );
		const nose = mix( tail, color( '#c9837a' ), spot( NOSE, 0.034 ) );
		const eyes = mix( nose, color( '#160d0a' ), EYES.map( ( eye ) => spot( eye, 0.036 ) ).reduce( ( one, other ) => one.max( other ) ) );
		return eyes.mul( smoothstep( 0.3, 0.02, positionGeometry.y ).mul( 0.45 ).oneMinus() ); // little light reaches the belly

	},

	tree( index ) {

		const season = hash( index.add( 17 ) );
		const tint = mix( vec3( 0.9, 1, 0.85 ), vec3( 1.75, 1.05, 0.6 ), smoothstep( 0.72, 1, season ) ).mul( hash( index ).mul( 0.5 ).add( 0.85 ) ).toVarying();
		const near = smoothstep( 110, 20, cameraPosition.distance( positionWorld ) );
		const leaves = mx_noise_float( positionWorld.mul( 2.3 ) ).mul( 0.5 ).add( mx_noise_float( positionWorld.mul( 7.1 ) ) ).mul( near ).mul( 0.6 ).add( 1 );
		return attribute<'vec3'>( 'color', 'vec3' ).mul( tint ).mul( leaves ).mul( 1.9 );

	},

	rock( index ) {

		const stone = mix( color( '#b9b0a0' ), color( '#9c9a94' ), hash( index ) ).toVarying();
		const grain = mx_noise_float( positionGeometry.mul( 7 ) ).mul( 0.16 ).add( mx_noise_float( positionGeometry.mul( 19 ) ).mul( 0.1 ) ).add( 0.95 );
		const moss = smoothstep( 0.35, 0.9, normalWorld.y.add( mx_noise_float( positionGeometry.mul( 4 ) ).mul( 0.5 ) ) ).mul( 0.55 );
		return mix( stone.mul( grain ), color( '#7f8a45' ), moss );

	},

	flower( index ) {

		const which = hash( index.add( 5 ) );
		const warm = mix( color( '#fff6e6' ), color( '#ffd23f' ), smoothstep( 0.42, 0.44, which ) );
		const petals = mix( warm, mix( color( '#ff6fa5' ), color( '#7d6bff' ), smoothstep( 0.86, 0.88, which ) ), smoothstep( 0.66, 0.68, which ) ).toVarying();
		const own = attribute<'vec3'>( 'color', 'vec3' );
		return mix( own, petals, smoothstep( 0.3, 0.8, own.z ) );

	},

};

/** 1 near a point of the model, 0 outside the radius. */
function spot( point: Vector3, radius: number ): Node<'float'> {

	return smoothstep( float( radius ), float( radius * 0.8 ), positionGeometry.distance( vec3( point ) ) );

}

/** Cream, apricot, cocoa, slate. */
function palette( t: Node<'float'> ): Node<'vec3'> {

	const light = mix( color( '#f4e6d0' ), color( '#d9914f' ), smoothstep( 0.25, 0.6, t ) );
	const dark = mix( color( '#7d4f33' ), color( '#7f8796' ), smoothstep( 0.8, 0.95, t ) );
	return mix( light, dark, smoothstep( 0.6, 0.8, t ) );

}
