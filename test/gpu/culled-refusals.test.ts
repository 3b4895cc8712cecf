import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferGeometry, DoubleSide, Mesh, MeshBasicNodeMaterial, type Node, type WebGPURenderer } from 'three/webgpu';
import { positionLocal, vec3, vec4 } from 'three/tsl';
import { CulledInstancedMesh, ScanError } from 'three-scan';
import { createRenderer, deviceName, expectNoGpuErrors, ONCE } from '../support/gpu';
import { WIDTH, expectTags, squareGeometry, type Picture } from '../support/drawing';
import { refusedBy, wrong } from '../support/refusals';
import { internals } from '../../src/three-types';
import { pixels, type tagMaterial } from '../support/stage';

type NodeMaterial = ReturnType<typeof tagMaterial>;

const refuses = refusedBy( /^CulledInstancedMesh/ );

// What can be assigned at any time is refused when it is, or at the latest when it would be drawn.
describe.runIf( ONCE )( `what a CulledInstancedMesh refuses to draw on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	beforeAll( async () => { ( { renderer } = await createRenderer() ); } );
	afterAll( expectNoGpuErrors );

	const upTo = ( count: number ) => ( pixel: number ): number => pixel < count ? pixel : - 1;

	const MISTAKES: [name: string, make: ( mesh: CulledInstancedMesh ) => void, says: RegExp, undo: ( mesh: CulledInstancedMesh ) => void][] = [
		[ 'a vertexNode', ( mesh ) => ( ( mesh.material as NodeMaterial ).vertexNode = vec4( 0 ) ), /vertexNode/, ( mesh ) => ( ( mesh.material as NodeMaterial ).vertexNode = null ) ],
		[ 'a castShadowPositionNode', ( mesh ) => ( ( mesh.material as NodeMaterial ).castShadowPositionNode = vec3( 0 ) ), /castShadowPositionNode/, ( mesh ) => ( ( mesh.material as NodeMaterial ).castShadowPositionNode = null ) ],
		[ 'a list of materials', ( mesh ) => ( mesh.material = wrong( [ mesh.material ] ) ), /material/, () => {} ],
		[ 'a drawRange', ( mesh ) => mesh.geometry.setDrawRange( 0, 3 ), /drawRange/, ( mesh ) => mesh.geometry.setDrawRange( 0, Infinity ) ],
		[ 'a geometry without position', ( mesh ) => ( mesh.geometry = new BufferGeometry() ), /position/, ( mesh ) => ( mesh.geometry = squareGeometry() ) ],
		[ 'a number as geometry', ( mesh ) => ( mesh.geometry = wrong( 5 ) ), /geometry/, ( mesh ) => ( mesh.geometry = squareGeometry() ) ],
		[ 'a count above the capacity', ( mesh ) => ( mesh.count = 11 ), /count/, ( mesh ) => ( mesh.count = 10 ) ],
		[ 'half an instance', ( mesh ) => ( mesh.count = 2.5 ), /count/, ( mesh ) => ( mesh.count = 10 ) ],
		[ 'less than nothing', ( mesh ) => ( mesh.count = - 1 ), /count/, ( mesh ) => ( mesh.count = 10 ) ],
		[ 'a count of NaN', ( mesh ) => ( mesh.count = NaN ), /count/, ( mesh ) => ( mesh.count = 10 ) ],
	];

	/** Ten instances, pixels 0 to 9; below them a plain mesh, whose pixel shows 77. */
	function scene(): { picture: Picture; mesh: CulledInstancedMesh; neighbor: Mesh } {

		const { picture, mesh } = pixels( renderer, 10 );
		const neighbor = new Mesh( squareGeometry(), new MeshBasicNodeMaterial( { side: DoubleSide } ) );
		( neighbor.material ).colorNode = vec4( 77, 0, 1, 255 ).div( 255 );
		neighbor.position.y = 1;
		picture.scene.add( neighbor );
		return { picture, mesh, neighbor };

	}

	const withNeighbor = ( pixel: number ): number => pixel === WIDTH ? 77 : upTo( 10 )( pixel );

	/** Asserts that the mistake is refused, and that renderer, neighbour and mesh are as good as new after it. */
	async function expectRefusal( { picture, mesh, neighbor }: ReturnType<typeof scene>, make: ( mesh: CulledInstancedMesh ) => void, says: RegExp, undo: ( mesh: CulledInstancedMesh ) => void ): Promise<void> {

		let error: unknown;
		try {

			make( mesh );
			picture.draw();

		} catch ( caught ) { error = caught; }
		// three has come to the end of its render, if it began one
		expect( [ picture.target, null ] ).toContain( renderer.getRenderTarget() );
		expect( internals( renderer )._callDepth ).toBe( - 1 );
		renderer.setRenderTarget( null );
		expect( error ).toBeInstanceOf( ScanError );
		expect( ( error as ScanError ).code ).toBe( 'invalid-argument' );
		expect( ( error as ScanError ).message ).toMatch( /^CulledInstancedMesh.*: .*\(got .+\)/ );
		expect( ( error as ScanError ).message ).toMatch( says );

		picture.scene.remove( mesh );
		expectTags( 'the neighbour alone', await picture.render(), ( pixel ) => pixel === WIDTH ? 77 : - 1 );
		undo( mesh );
		picture.scene.add( mesh );
		expectTags( 'undone', await picture.render(), withNeighbor );
		expectTags( 'the next frame', await picture.render(), withNeighbor );
		for ( const owner of [ mesh, neighbor.material as NodeMaterial ] ) owner.dispose();

	}

	it.each( MISTAKES )( '%s, before the first frame', async ( _, make, says, undo ) => {

		await expectRefusal( scene(), make, says, undo );

	} );

	it.each( MISTAKES )( '%s, between two frames', async ( _, make, says, undo ) => {

		const made = scene();
		expectTags( 'before', await made.picture.render(), withNeighbor );
		await expectRefusal( made, make, says, undo );

	} );

	it.each( [ 'before the first frame', 'between two frames' ] )( 'no positionNode assigned %s: the instances are placed, and moved by it', async ( when ) => {

		const { picture, mesh } = scene();
		if ( when === 'between two frames' ) await picture.render();
		( mesh.material as NodeMaterial ).positionNode = positionLocal.add( vec3( 0, 2, 0 ) );
		expectTags( 'two rows down', await picture.render(), ( pixel ) => pixel === WIDTH ? 77 : pixel >= 2 * WIDTH ? upTo( 10 )( pixel - 2 * WIDTH ) : - 1 );
		mesh.dispose();

	} );

	it( 'no positionNode made of the one that was there', async () => {

		const { picture, mesh } = scene();
		const material = mesh.material as NodeMaterial;
		material.positionNode = vec3( 0, 2, 0 ).add( material.positionNode as Node<'vec3'> );
		expectTags( 'two rows down', await picture.render(), ( pixel ) => pixel === WIDTH ? 77 : pixel >= 2 * WIDTH ? upTo( 10 )( pixel - 2 * WIDTH ) : - 1 );
		mesh.dispose();

	} );

	it( 'a mesh with nothing assigned', async () => {

		const { picture, neighbor } = scene(), mesh = new CulledInstancedMesh( null, null, 3 );
		picture.scene.clear();
		picture.scene.add( mesh, neighbor );
		await refuses( () => picture.draw(), 'invalid-argument', 'position' );
		renderer.setRenderTarget( null );
		picture.scene.remove( mesh );
		expectTags( 'the next frame', await picture.render(), ( pixel ) => pixel === WIDTH ? 77 : - 1 );

	} );

	it( 'what the device can\'t bind: the rest of the picture is drawn, each frame says so', async () => {

		const { picture, mesh } = pixels( renderer, 10, { policy: { workgroupSize: 4096 } } );
		const neighbor = scene().neighbor;
		picture.scene.add( neighbor );

		for ( let frame = 0; frame < 2; frame ++ ) {

			await refuses( () => picture.draw(), 'limit-exceeded', 'workgroupSize' );
			expectTags( 'the neighbour', await picture.read(), ( pixel ) => pixel === WIDTH ? 77 : - 1 );

		}

		await refuses( () => mesh.init( renderer ), 'limit-exceeded', 'workgroupSize' );
		mesh.dispose();

	} );

} );
