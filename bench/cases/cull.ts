import { CulledInstancedMesh, type IndirectDraws } from 'three-scan';
import { referenceLod } from 'three-scan/reference';
import { BoxGeometry, MeshBasicNodeMaterial, PerspectiveCamera, RenderTarget, Scene, WebGPUCoordinateSystem, type BufferAttribute, type Camera, type ComputeNode, type WebGPURenderer } from 'three/webgpu';
import type { Context } from '../gpu/context';
import { HALF } from './compact';
import { nodesWork, type Case } from './Case';

const MAX_LOG = 22;
/** Where levels begin, as parts of the field's side, and at the least. */
const DISTANCES = [ { part: 0, least: 0 }, { part: 0.15, least: 15 }, { part: 0.4, least: 30 } ];
/** World units within which f32 may decide either way. */
const TOLERANCE = 1e-2;

/** What a renderer does with a mesh, and a look at what comes of it. */
interface MeshInternals {

	cull( renderer: WebGPURenderer, camera: Camera, frame: { frameId: number; isShadow: boolean; wireframe: boolean } ): void;
	readonly views: { get( camera: Camera ): { readonly draws: IndirectDraws } | undefined };

}

/** Instances in three levels of detail, one a square metre of a square field, seen from one side of it. */
export class Field {

	readonly mesh: CulledInstancedMesh;
	readonly camera: PerspectiveCamera;
	private readonly spheres: Float32Array;
	private readonly distances: number[];

	constructor( readonly count: number ) {

		const side = Math.ceil( Math.sqrt( count ) );
		this.distances = DISTANCES.map( ( { part, least } ) => Math.max( part * side, least ) );
		this.mesh = new CulledInstancedMesh( this.distances.map( ( distance ) => ( { geometry: new BoxGeometry(), distance } ) ), new MeshBasicNodeMaterial(), count );

		// written as a whole: a million calls of setMatrixAt() take a while
		const { array } = this.mesh.instanceMatrix;
		this.spheres = new Float32Array( 4 * count );

		for ( let i = 0; i < count; i ++ ) {

			const [ x, z ] = [ i % side, Math.floor( i / side ) ];
			array[ 16 * i + 12 ] = x;
			array[ 16 * i + 14 ] = z;
			this.spheres.set( [ x, 0, z, Math.sqrt( 0.75 ) ], 4 * i );

		}

		this.camera = new PerspectiveCamera( 60, 16 / 9, 0.1, 2 * side );
		this.camera.coordinateSystem = WebGPUCoordinateSystem;
		this.camera.position.set( side / 2, 3, 0.9 * side );
		this.camera.updateProjectionMatrix();
		this.camera.updateMatrixWorld();

	}

	/** Renders once; returns what that computed. */
	render( renderer: WebGPURenderer ): ComputeNode[] {

		const nodes: ComputeNode[] = [];
		const compute = renderer.compute.bind( renderer );
		const target = new RenderTarget( 64, 36 );
		const scene = new Scene();
		scene.add( this.mesh );

		renderer.compute = ( computed, ...rest ) => {

			nodes.push( ...( computed as ComputeNode[] ) );
			return compute( computed, ...rest );

		};

		try {

			renderer.setRenderTarget( target );
			renderer.render( scene, this.camera );
			return nodes;

		} finally {

			renderer.setRenderTarget( null );
			renderer.compute = compute;
			target.dispose();

		}

	}

	/** Culls as a render does. */
	cull( renderer: WebGPURenderer ): void {

		this.internals.cull( renderer, this.camera, { frameId: 1, isShadow: false, wireframe: false } );

	}

	/** The draw records. */
	get records(): BufferAttribute {

		return this.internals.views.get( this.camera )!.draws.attribute;

	}

	private get internals(): MeshInternals {

		return this.mesh as unknown as MeshInternals;

	}

	/** What is wrong with the numbers of visible instances, or null. */
	async verify( renderer: WebGPURenderer ): Promise<string | null> {

		const got = await this.mesh.readVisibleCounts( renderer, this.camera );
		const [ low, high ] = [ - TOLERANCE, TOLERANCE ].map( ( tolerance ) => referenceLod( { spheres: this.spheres }, { camera: this.camera, lodDistances: this.distances.slice( 1 ), tolerance } ) );

		for ( const [ level, count ] of got.entries() ) {

			let [ sure, possible ] = [ 0, 0 ];

			low.forEach( ( a, i ) => {

				const answers = [ a, high[ i ] ];
				if ( answers.every( ( answer ) => answer === level ) ) sure ++;
				if ( answers.includes( level ) ) possible ++;

			} );

			if ( count < sure || count > possible || possible === 0 ) return `level ${ level }: ${ count } instances (expected ${ sure } to ${ possible }).`;

		}

		return null;

	}

	dispose(): void {

		this.mesh.dispose();

	}

}

/** A camera's culling in a CulledInstancedMesh. */
export const cullCases: Case[] = [ {
	group: 'cull', name: 'cull 3 LODs', kernel: 'default', type: 'uint', pattern: HALF.pattern, maxLog: MAX_LOG,
	async prepare( { context, words }: { context: Context; words: number } ) {

		const { renderer, ledger } = context;
		const field = new Field( words );
		const start = performance.now();
		await field.mesh.init( renderer );
		const initMilliseconds = performance.now() - start;

		const bytes = ledger.liveBytes;
		const nodes = field.render( renderer );

		return {
			work: nodesWork( renderer, nodes ), policy: field.mesh.policy, initMilliseconds, scratchBytes: ledger.liveBytes - bytes, result: field.records,
			settle: () => { field.render( renderer ); },
			verify: () => field.verify( renderer ),
			dispose: () => field.dispose(),
		};

	},
} ];
