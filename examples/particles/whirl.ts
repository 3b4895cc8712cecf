import type { Node } from 'three/webgpu';
import { color, float, mix, smoothstep, vec3 } from 'three/tsl';

/**
 * A whirl that draws in below, rises in the middle and spreads above; in it a turbulence without sources or sinks
 * (two octaves of an Arnold–Beltrami–Childress flow).
 */
export function wind( position: Node<'vec3'>, seconds: Node<'float'> ): Node<'vec3'> {

	const { x, y, z } = position;
	const distance = position.xz.length().max( 0.01 );
	const around = vec3( z, 0, x.negate() ).div( distance ).mul( float( 0.9 ).div( distance.add( 0.4 ) ) );
	const outward = vec3( x, 0, z ).mul( y.sub( 1.05 ).mul( 0.42 ) );
	const up = vec3( 0, distance.mul( distance ).mul( - 2 ).exp().mul( 0.8 ).add( 0.07 ), 0 );
	const octave = ( p: Node<'vec3'> ): Node<'vec3'> => p.zxy.sin().add( p.yzx.cos() );
	const broad = octave( position.mul( 2.3 ).sub( seconds.mul( 0.3 ) ) ).mul( 0.16 );
	const fine = octave( position.mul( 6.1 ).add( seconds.mul( 0.2 ) ) ).mul( 0.1 );
	return around.add( outward ).add( up ).add( broad ).add( fine );

}

/** The light of a spark, from birth (0) to death (1): gold, orange, crimson, violet. */
export function glow( age: Node<'float'> ): Node<'vec3'> {

	const hot = mix( color( '#ffc47a' ), color( '#ff7b1e' ), smoothstep( 0, 0.3, age ) );
	const cold = mix( color( '#e0245e' ), color( '#5a35ff' ), smoothstep( 0.5, 0.85, age ) );
	const strength = smoothstep( 0, 0.22, age ).mul( 0.85 ).add( 0.15 ).mul( age.oneMinus().pow( 0.7 ) );
	return mix( hot, cold, smoothstep( 0.25, 0.7, age ) ).mul( strength );

}
