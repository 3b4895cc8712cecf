import { expect } from 'vitest';
import { AdditiveBlending, Color, DoubleSide, Matrix4, MeshBasicNodeMaterial, OrthographicCamera, PerspectiveCamera, RenderTarget, Scene, type Camera, type Material, type Node, type WebGPURenderer } from 'three/webgpu';
import { float, vec4 } from 'three/tsl';
import { CulledInstancedMesh, type CulledInstancedMeshOptions } from 'three-scan';
import { differences, Picture, squareGeometry, WIDTH } from './drawing';
import { tick } from './gpu';

/** A scene in space, drawn into a square target of its own. */
export class Stage {

	readonly scene = new Scene();
	readonly target: RenderTarget;

	constructor( readonly renderer: WebGPURenderer, readonly size = WIDTH ) {

		this.target = new RenderTarget( size, size );
		this.scene.background = new Color( 0x203040 );

	}

	/** Draws in the frame that is on, however many were drawn in it before. */
	draw( camera: Camera ): void {

		const { renderer } = this;
		renderer.setRenderTarget( this.target );
		try { renderer.render( this.scene, camera ); } finally { renderer.setRenderTarget( null ); }

	}

	/** The picture of a frame of its own: RGBA. */
	async shoot( camera: Camera ): Promise<Uint8Array> {

		await nextFrame( this.renderer );
		this.draw( camera );
		return Uint8Array.from( await this.renderer.readRenderTargetPixelsAsync( this.target, 0, 0, this.size, this.size ) as Uint8Array );

	}

	/** Asserts that culling changes nothing in the picture, and that there is something in it. */
	async expectWhole( mesh: CulledInstancedMesh, camera: Camera, label = '' ): Promise<Uint8Array> {

		const culled = await this.shoot( camera );
		expect( differences( culled, await this.shootAll( mesh, camera ) ), label ).toBe( 0 );
		return culled;

	}

	/** The picture of all instances. */
	async shootAll( mesh: CulledInstancedMesh, camera: Camera ): Promise<Uint8Array> {

		mesh.culling = 'off';
		const pixels = await this.shoot( camera );
		mesh.culling = 'on';
		expect( differences( pixels, pixels.map( ( _, i ) => pixels[ i % 4 ] ) ), 'the picture is empty' ).toBeGreaterThan( 0 );
		return pixels;

	}

}

/** Waits for three's next frame: shadows are drawn once in each. Its loop begins with the first draw. */
export async function nextFrame( renderer: WebGPURenderer ): Promise<void> {

	const { frame } = renderer.info;
	while ( frame > 0 && renderer.info.frame === frame ) await tick( 2 );

}

export function perspective( from: readonly number[], to: readonly number[], fov = 60 ): PerspectiveCamera {

	const camera = new PerspectiveCamera( fov, 1, 0.1, 100 );
	camera.position.fromArray( from );
	camera.lookAt( to[ 0 ], to[ 1 ], to[ 2 ] );
	return camera;

}

export function orthographic( from: readonly number[], to: readonly number[], extent: number ): OrthographicCamera {

	const camera = new OrthographicCamera( - extent, extent, extent, - extent, 0.1, 100 );
	camera.position.fromArray( from );
	camera.lookAt( to[ 0 ], to[ 1 ], to[ 2 ] );
	return camera;

}

/** Shows `index` in red and green, one unit of blue a draw: see `tagAt`. */
export function tagMaterial( index: Node<'uint'> ): MeshBasicNodeMaterial {

	const material = new MeshBasicNodeMaterial( { side: DoubleSide, transparent: true, blending: AdditiveBlending, depthTest: false, depthWrite: false } );
	material.colorNode = vec4( float( index.bitAnd( 255 ) ), float( index.div( 256 ) ), 1, 255 ).div( 255 );
	return material;

}

/** The place of a pixel in a {@link Picture}. */
export const pixelMatrix = ( pixel: number ): Matrix4 => new Matrix4().makeTranslation( pixel % WIDTH, Math.floor( pixel / WIDTH ), 0 );

/** A picture of instances that are a pixel each: instance i is pixel i, and shows its index. */
export function pixels( renderer: WebGPURenderer, capacity: number, options?: CulledInstancedMeshOptions, material?: Material ): { picture: Picture; mesh: CulledInstancedMesh } {

	const mesh = new CulledInstancedMesh( squareGeometry(), null, capacity, options );
	mesh.material = material ?? tagMaterial( mesh.instanceIndexNode );
	if ( options?.matrices === undefined ) for ( let i = 0; i < capacity; i ++ ) mesh.setMatrixAt( i, pixelMatrix( i ) );
	const picture = new Picture( renderer );
	picture.scene.add( mesh );
	return { picture, mesh };

}
