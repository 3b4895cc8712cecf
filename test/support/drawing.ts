import { AdditiveBlending, BufferGeometry, Float32BufferAttribute, DoubleSide, MeshBasicNodeMaterial, OrthographicCamera, RenderTarget, Scene, type Node, type WebGPURenderer } from 'three/webgpu';
import { float, positionLocal, uint, vec3, vec4 } from 'three/tsl';
import { ScanError } from 'three-scan';
import { deviceName } from './gpu';

/** Mesa 25's rasterizer crashes the process when it draws with vectors of 512 bits; its kernels run. */
export const CAN_DRAW = deviceName !== 'lavapipe-16';

/** Pixels of a row. A row of RGBA is 256 bytes, which WebGPU copies without padding. */
export const WIDTH = 64;

/** A scene looked at from above: one unit is one pixel, y points down, black where nothing is drawn. */
export class Picture {

	readonly scene = new Scene();
	readonly camera: OrthographicCamera;
	readonly target: RenderTarget;
	readonly pixelCount: number;

	constructor( private readonly renderer: WebGPURenderer, readonly height = WIDTH ) {

		this.pixelCount = WIDTH * height;
		this.camera = new OrthographicCamera( 0, WIDTH, 0, height, - 10, 10 );
		this.target = new RenderTarget( WIDTH, height, { depthBuffer: true } );
		renderer.setClearColor( 0x000000, 0 );

	}

	/** Submits one frame. */
	draw(): void {

		const { renderer } = this;
		renderer.setRenderTarget( this.target );
		renderer.render( this.scene, this.camera );
		renderer.setRenderTarget( null );

	}

	/** RGBA, row by row from the top. */
	async read(): Promise<Uint8Array> {

		return Uint8Array.from( await this.renderer.readRenderTargetPixelsAsync( this.target, 0, 0, WIDTH, this.height ) as Uint8Array );

	}

	async render(): Promise<Uint8Array> {

		this.draw();
		return this.read();

	}

	dispose(): void {

		this.target.dispose();

	}

}

/** A square that covers `size` × `size` pixels, at pixel 0; indexed or not. */
export function squareGeometry( { indexed = true, size = 1 } = {} ): BufferGeometry {

	const corners = [ [ 0, 0 ], [ size, 0 ], [ 0, size ], [ size, size ] ], order = [ 0, 1, 2, 2, 1, 3 ];
	const vertices = indexed ? corners : order.map( ( i ) => corners[ i ] );
	const geometry = new BufferGeometry();
	geometry.setAttribute( 'position', new Float32BufferAttribute( vertices.flatMap( ( [ x, y ] ) => [ x, y, 0 ] ), 3 ) );
	if ( indexed ) geometry.setIndex( order );
	return geometry;

}

/** The vertex, moved to pixel `index`, or to cell `index` of a grid of `size` × `size` pixels each. */
export function atPixel( index: Node<'uint'>, size = 1 ): Node<'vec3'> {

	const columns = uint( WIDTH / size );
	return positionLocal.add( vec3( float( index.mod( columns ) ).mul( size ), float( index.div( columns ) ).mul( size ), 0 ) );

}

/**
 * Shows two numbers: `tag` in red and green, and one unit of blue a draw. Blended additively, blue counts
 * how often a pixel was drawn.
 */
export function countingMaterial( index: Node<'uint'>, tag: Node<'uint'>, size = 1 ): MeshBasicNodeMaterial {

	const material = new MeshBasicNodeMaterial( { side: DoubleSide, transparent: true, blending: AdditiveBlending, depthTest: false, depthWrite: false } );
	material.positionNode = atPixel( index, size );
	const shown = tag.toVarying();
	material.colorNode = vec4( float( shown.bitAnd( 255 ) ), float( shown.div( 256 ) ), 1, 255 ).div( 255 );
	return material;

}

/** The red and green of a pixel as one number, or -1 where nothing was drawn. Throws where something was drawn twice. */
export function tagAt( pixels: Uint8Array, pixel: number ): number {

	const [ r, g, times ] = pixels.subarray( 4 * pixel, 4 * pixel + 3 );
	if ( times > 1 ) throw new Error( `Pixel ${ pixel } was drawn ${ times } times.` );
	return times === 0 ? - 1 : r + 256 * g;

}

/** Compares every pixel with the tag that it should show; -1 means background. */
export function expectTags( label: string, pixels: Uint8Array, expected: ( pixel: number ) => number ): void {

	for ( let pixel = 0; pixel < pixels.length / 4; pixel ++ ) {

		const tag = tagAt( pixels, pixel );
		if ( tag !== expected( pixel ) ) throw new Error( `${ label }: pixel ${ pixel } shows ${ tag === - 1 ? 'the background' : tag } (expected ${ expected( pixel ) === - 1 ? 'the background' : expected( pixel ) }).` );

	}

}

/** Runs what must either go through or be refused by a {@link ScanError} that says something. Returns the message if it was refused. */
export async function refusalOf( act: () => void | Promise<void> ): Promise<string | null> {

	try {

		await act();
		return null;

	} catch ( error ) {

		if ( error instanceof ScanError && error.message.length > 20 ) return error.message;
		throw error;

	}

}

/** How many bytes differ. */
export function differences( a: Uint8Array, b: Uint8Array ): number {

	if ( a.length !== b.length ) throw new Error( `Pictures of ${ a.length } and ${ b.length } bytes.` );
	return a.reduce( ( sum, byte, i ) => byte === b[ i ] ? sum : sum + 1, 0 );

}
