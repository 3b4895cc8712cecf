import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoxGeometry, BufferGeometry, Float32BufferAttribute, InstancedBufferGeometry, InstancedMesh, Mesh, MeshBasicNodeMaterial, PlaneGeometry, StorageBufferAttribute, type Material, type Node, type WebGPURenderer } from 'three/webgpu';
import { Fn, If, bool, instanceIndex, float, storage, uint, uniform, userData, vec3, vertexIndex } from 'three/tsl';
import { CompactPass, IndirectDraws, PartitionPass, ScanError } from 'three-scan';
import { referenceCompact } from 'three-scan/reference';
import { createRenderer, deviceName, expectNoGpuErrors, readUint32, tick } from '../support/gpu';
import { CAN_DRAW, Picture, countingMaterial, differences, expectTags, refusalOf, squareGeometry, tagAt } from '../support/drawing';

/** Five survivors of 64 candidates. */
const KEPT = [ 3, 8, 20, 21, 63 ];
const SMALL = { workgroupSize: 64 } as const;

describe( `IndirectDraws on ${ deviceName }`, () => {

	let renderer: WebGPURenderer;
	let kept: Uint32Array;
	let compact: ( draws: IndirectDraws ) => Promise<CompactPass>;

	beforeAll( async () => {

		( { renderer } = await createRenderer() );
		kept = new Uint32Array( 64 );
		for ( const i of KEPT ) kept[ i ] = 1;
		const flags = storage( new StorageBufferAttribute( kept, 1 ), 'uint', 64 ).toReadOnly();
		compact = ( draws ) => new CompactPass( 64, ( i ) => flags.element( i ).notEqual( uint( 0 ) ), { ...SMALL, draws } ).init( renderer );

	} );

	afterAll( expectNoGpuErrors );

	const survivors = ( pixel: number ): number => KEPT.includes( pixel ) ? pixel : - 1;

	/** A mesh that shows the survivors of a pass over `compact`'s flags: each as the pixel of its index. */
	async function scene( { geometry = squareGeometry(), make = ( geometry: BufferGeometry, material: Material ): Mesh => new Mesh( geometry, material ), size = 1, target = 'mesh', attach = true } = {} ): Promise<{ picture: Picture; mesh: Mesh; draws: IndirectDraws; pass: CompactPass; material: MeshBasicNodeMaterial }> {

		const mesh = make( geometry, new MeshBasicNodeMaterial() );
		const draws = new IndirectDraws( target === 'mesh' ? mesh : geometry );
		if ( attach ) draws.attach();
		mesh.frustumCulled = false;
		const pass = await compact( draws );
		const index = pass.element( instanceIndex );
		const material = countingMaterial( index, index, size );
		mesh.material = material;
		const picture = new Picture( renderer );
		picture.scene.add( mesh );
		return { picture, mesh, draws, pass, material };

	}

	describe( 'records', () => {

		it( 'are five words each, indexed or not, with no instances at first', async () => {

			const box = new BoxGeometry(), plane = new PlaneGeometry(), soup = squareGeometry( { indexed: false } );
			const draws = new IndirectDraws( [ box, new Mesh( soup ), plane ] );
			expect( draws.length ).toBe( 3 );
			expect( [ 0, 1, 2 ].map( ( i ) => draws.byteOffset( i ) ) ).toEqual( [ 0, 20, 40 ] );

			const words = ( array: ArrayLike<number> ): number[][] => [ 0, 5, 10 ].map( ( at ) => Array.from( array ).slice( at, at + 5 ) );
			for ( const record of words( draws.attribute.array ) ) expect( record[ 1 ] ).toBe( 0 );
			expect( draws.attribute.array.byteLength ).toBeGreaterThanOrEqual( 60 );

			const pass = await compact( draws );
			pass.compute( renderer );
			expect( words( await readUint32( renderer, draws.attribute ) ) ).toEqual( [ [ 36, 5, 0, 0, 0 ], [ 6, 5, 0, 0, 0 ], [ 6, 5, 0, 0, 0 ] ] );
			expect( await draws.readCounts( renderer ) ).toEqual( [ 5, 5, 5 ] );
			pass.dispose();

		} );

		it( 'have the element counts of the moment, batched too', async () => {

			const geometry = squareGeometry(), soup = squareGeometry( { indexed: false } );
			const draws = new IndirectDraws( [ geometry, soup ] );
			const pass = await compact( draws );
			const counts = async (): Promise<number[]> => Array.from( await readUint32( renderer, draws.attribute ) ).filter( ( _, i ) => i === 0 || i === 2 || i === 5 || i === 7 );
			const frame = [ ...pass.nodes ];

			renderer.compute( frame );
			expect( await counts() ).toEqual( [ 6, 0, 6, 0 ] );

			geometry.setDrawRange( 3, 3 );
			soup.setDrawRange( 3, Infinity );
			renderer.compute( frame );
			expect( await counts() ).toEqual( [ 3, 3, 3, 3 ] );

			geometry.setDrawRange( 0, 1000 );
			soup.setDrawRange( 0, Infinity );
			soup.setIndex( [ 0, 1, 2 ] );
			renderer.compute( frame );
			expect( await counts() ).toEqual( [ 6, 0, 3, 0 ] );

			geometry.setIndex( null );
			geometry.setAttribute( 'position', new Float32BufferAttribute( new Float32Array( 27 ), 3 ) );
			renderer.compute( frame );
			expect( await counts() ).toEqual( [ 9, 0, 3, 0 ] );
			expect( await draws.readCounts( renderer ) ).toEqual( [ 5, 5 ] );
			pass.dispose();

		} );

		it( 'of a slot, of several, of several objects: only theirs are written', async () => {

			const geometry = squareGeometry();
			const a = new IndirectDraws( [ geometry, geometry, geometry ] ), b = new IndirectDraws( [ geometry, geometry ] ), c = new IndirectDraws( geometry );
			const flags = storage( new StorageBufferAttribute( kept, 1 ), 'uint', 64 ).toReadOnly();
			const counts = async (): Promise<number[][]> => Promise.all( [ a, b, c ].map( async ( draws ) => Array.from( await readUint32( renderer, draws.attribute ) ).filter( ( _, i ) => i % 5 === 1 ).slice( 0, draws.length ) ) );

			// puts all three on the GPU
			const first = await new CompactPass( 64, () => bool( false ), { ...SMALL, draws: [ a.slot( 0 ), b.slot( 0 ), c.slot( 0 ) ] } ).init( renderer );
			first.compute( renderer );
			first.dispose();

			for ( const [ draws, expected ] of [
				[ a.slot( 1 ), [ [ 0, 5, 0 ], [ 0, 0 ], [ 0 ] ] ],
				[ [ a.slot( 2 ), b.slot( 0 ) ], [ [ 0, 5, 5 ], [ 5, 0 ], [ 0 ] ] ],
				[ [ c.slot( 0 ), b.slot( 1 ), a.slot( 0 ) ], [ [ 5, 5, 5 ], [ 5, 5 ], [ 5 ] ] ],
			] as const ) {

				const pass = await new CompactPass( 64, ( i ) => flags.element( i ).notEqual( uint( 0 ) ), { ...SMALL, draws: [ draws ].flat() } ).init( renderer );
				pass.compute( renderer );
				expect( await counts() ).toEqual( expected );
				pass.dispose();

			}

			// bucket k to slot k of the list, whatever object it is of
			const partition = await new PartitionPass( 64, 3, ( i ) => flags.element( i ), { ...SMALL, itemsPerThread: 2, draws: [ c.slot( 0 ), a.slot( 2 ), b.slot( 1 ) ] } ).init( renderer );
			partition.compute( renderer );
			expect( await counts() ).toEqual( [ [ 5, 5, 5 ], [ 5, 0 ], [ 59 ] ] );
			partition.dispose();

		} );

		it( 'of ten objects at once, more than a kernel can bind, are written or refused', async () => {

			const all = Array.from( { length: 10 }, () => new IndirectDraws( squareGeometry() ) );
			const flags = storage( new StorageBufferAttribute( kept, 1 ), 'uint', 64 ).toReadOnly();

			const refusal = await refusalOf( async () => {

				const pass = await new CompactPass( 64, ( i ) => flags.element( i ).notEqual( uint( 0 ) ), { ...SMALL, draws: all.map( ( draws ) => draws.slot( 0 ) ) } ).init( renderer );
				pass.compute( renderer );
				for ( const draws of all ) expect( await draws.readCounts( renderer ) ).toEqual( [ 5 ] );
				pass.dispose();

			} );

			if ( refusal !== null ) expect( refusal ).toMatch( /maxStorageBuffersPerShaderStage/ );

		} );

		it( 'can be written by a kernel of the user\'s', async () => {

			const draws = new IndirectDraws( [ squareGeometry(), squareGeometry() ] );
			const fill = Fn( () => {

				If( instanceIndex.equal( uint( 0 ) ), () => { draws.instanceCountNode( 1 ).assign( uint( 7 ) ); } );

			} )().compute( 1 );

			renderer.compute( fill );
			expect( await draws.readCounts( renderer ) ).toEqual( [ 0, 7 ] );
			draws.dispose();

		} );

	} );

	describe.runIf( CAN_DRAW )( 'drawn', () => {

		it.each( [ [ 'mesh', true ], [ 'mesh', false ], [ 'geometry', true ], [ 'geometry', false ] ] as const )( 'a %s, indexed: %s, shows nothing before the first run, then each survivor once', async ( target, indexed ) => {

			const { picture, mesh, pass, draws } = await scene( { geometry: squareGeometry( { indexed } ), target } );
			expectTags( 'before', await picture.render(), () => - 1 );
			pass.compute( renderer );
			expectTags( 'after', await picture.render(), survivors );
			expect( mesh.geometry.indirect ).toBe( draws.attribute );
			pass.dispose();

		} );

		it( 'attach() keeps the CPU from culling a mesh as a whole', async () => {

			const mesh = new Mesh( squareGeometry() );
			new IndirectDraws( mesh ).attach();
			expect( mesh.frustumCulled ).toBe( false );

		} );

		it( 'attach( i ) attaches that one alone, dispose() detaches', async () => {

			const meshes = [ new Mesh( squareGeometry() ), new Mesh( squareGeometry() ) ];
			const draws = new IndirectDraws( meshes );
			draws.attach( 1 );
			expect( meshes[ 0 ].geometry.indirect ).toBeNull();
			expect( meshes[ 1 ].geometry.indirect ).toBe( draws.attribute );
			expect( meshes[ 1 ].geometry.indirectOffset ).toBe( 20 );
			draws.dispose();
			draws.dispose();
			expect( meshes[ 1 ].geometry.indirect ).toBeNull();

		} );

		it( 'a mesh draws as before after dispose()', async () => {

			const { picture, mesh, pass, draws } = await scene();
			pass.compute( renderer );
			expectTags( 'indirect', await picture.render(), survivors );
			draws.dispose();
			mesh.count = 2;
			expectTags( 'direct', await picture.render(), ( pixel ) => KEPT.slice( 0, 2 ).includes( pixel ) ? pixel : - 1 );
			pass.dispose();

		} );

	} );

	// Case 25: what three would draw wrong, or skip without a word. Either is fine: drawn right, or refused with a message.
	describe.runIf( CAN_DRAW )( 'is drawn right or refused', () => {

		it( 'mesh.count = 0', async () => {

			const { picture, mesh, pass } = await scene();
			await refusalOf( async () => {

				mesh.count = 0;
				pass.compute( renderer );
				expectTags( 'count 0', await picture.render(), survivors );
				mesh.count = 0;
				expectTags( 'count 0 again', await picture.render(), survivors );

			} );
			pass.dispose();

		} );

		it( 'mesh.count = 0 before attach()', async () => {

			await refusalOf( async () => {

				const { picture, pass } = await scene( { make: ( geometry, material ) => Object.assign( new Mesh( geometry, material ), { count: 0 } ) } );
				pass.compute( renderer );
				expectTags( 'count 0', await picture.render(), survivors );
				pass.dispose();

			} );

		} );

		it( 'an InstancedMesh with count 0', async () => {

			await refusalOf( async () => {

				const { picture, mesh, pass } = await scene( { make: ( geometry, material ) => new InstancedMesh( geometry, material, 64 ) } );
				const instanced = mesh as InstancedMesh;
				for ( let i = 0; i < 64; i ++ ) instanced.setMatrixAt( i, instanced.matrix );
				instanced.count = 0;
				pass.compute( renderer );
				expectTags( 'count 0', await picture.render(), survivors );
				pass.dispose();

			} );

		} );

		it( 'geometry.instanceCount = 0', async () => {

			const square = squareGeometry(), geometry = new InstancedBufferGeometry();
			geometry.setAttribute( 'position', square.getAttribute( 'position' ) ).setIndex( square.index );

			for ( const target of [ 'mesh', 'geometry' ] as const ) {

				await refusalOf( async () => {

					const { picture, pass, draws } = await scene( { geometry, target } );
					geometry.instanceCount = 0;
					pass.compute( renderer );
					expectTags( target, await picture.render(), survivors );
					draws.dispose();
					pass.dispose();

				} );

			}

		} );

		it( 'wireframe, toggled', async () => {

			const { picture, pass, material } = await scene( { size: 8, geometry: squareGeometry( { size: 8 } ) } );
			pass.compute( renderer );
			const filled = await picture.render();
			expect( KEPT.every( ( i ) => tagAt( filled, 8 * ( i % 8 ) + 3 + 64 * ( 8 * Math.floor( i / 8 ) + 3 ) ) === i ) ).toBe( true );

			await refusalOf( async () => {

				material.wireframe = true;
				pass.compute( renderer );
				const wires = await picture.render();

				// the same drawn without a record
				const plain = new Mesh( squareGeometry( { size: 8 } ), material );
				plain.count = 5;
				plain.frustumCulled = false;
				const twin = new Picture( renderer );
				twin.scene.add( plain );
				expect( differences( wires, await twin.render() ) ).toBe( 0 );
				expect( wires.some( ( byte ) => byte > 0 ) ).toBe( true );
				expect( differences( wires, filled ) ).toBeGreaterThan( 0 );

			} );

			material.wireframe = false;
			pass.compute( renderer );
			expect( differences( await picture.render(), filled ) ).toBe( 0 );
			pass.dispose();

		} );

		it( 'the mesh\'s geometry, exchanged for a clone', async () => {

			const { picture, mesh, pass } = await scene();
			pass.compute( renderer );
			await picture.render();

			await refusalOf( async () => {

				mesh.geometry = mesh.geometry.clone();
				pass.compute( renderer );
				expectTags( 'clone', await picture.render(), survivors );

			} );

			pass.dispose();

		} );

		it( 'a clone of the geometry in another mesh', async () => {

			for ( const target of [ 'mesh', 'geometry' ] as const ) {

				const { picture, mesh, pass } = await scene( { target } );

				await refusalOf( async () => {

					const clone = new Mesh( mesh.geometry.clone(), mesh.material );
					clone.frustumCulled = false;
					picture.scene.remove( mesh ).add( clone );
					pass.compute( renderer );
					expectTags( target, await picture.render(), survivors );

				} );

				pass.dispose();

			}

		} );

		it( 'an index added later', async () => {

			for ( const target of [ 'mesh', 'geometry' ] as const ) {

				const { picture, mesh, pass } = await scene( { geometry: squareGeometry( { indexed: false } ), target } );
				pass.compute( renderer );
				expectTags( 'before', await picture.render(), survivors );

				await refusalOf( async () => {

					mesh.geometry.setIndex( [ 0, 1, 2, 3, 4, 5 ] );
					pass.compute( renderer );
					expectTags( 'after', await picture.render(), survivors );

				} );

				pass.dispose();

			}

		} );

		it( 'a draw range', async () => {

			for ( const indexed of [ true, false ] ) {

				// two squares side by side, of which the range is the second
				const two = new BufferGeometry();
				const one = squareGeometry( { indexed: false } ).getAttribute( 'position' ).array;
				two.setAttribute( 'position', new Float32BufferAttribute( [ ...one, ...one.map( ( x, i ) => i % 3 === 0 ? x + 1 : x ) ], 3 ) );
				if ( indexed ) two.setIndex( [ 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5 ] );
				const { picture, pass } = await scene( { geometry: two } );

				await refusalOf( async () => {

					two.setDrawRange( 6, 6 );
					pass.compute( renderer );
					const shift = indexed ? 0 : 1;
					expectTags( `indexed ${ indexed }`, await picture.render(), ( pixel ) => pixel % 64 < shift ? - 1 : survivors( pixel - shift ) );
					two.setDrawRange( 6, 0 );
					pass.compute( renderer );
					expectTags( `indexed ${ indexed }, nothing`, await picture.render(), () => - 1 );

				} );

				pass.dispose();

			}

		} );

		it( 'groups under one material', async () => {

			const geometry = squareGeometry();
			geometry.addGroup( 0, 3, 0 );
			geometry.addGroup( 3, 3, 1 );

			await refusalOf( async () => {

				const { picture, pass } = await scene( { geometry } );
				pass.compute( renderer );
				expectTags( 'groups', await picture.render(), survivors );
				pass.dispose();

			} );

		} );

		it( 'vertices made by the shader, in a geometry without attributes', async () => {

			const geometry = new BufferGeometry();
			geometry.setDrawRange( 0, 6 );

			await refusalOf( async () => {

				const { picture, pass, material } = await scene( { geometry } );
				const corner = vertexIndex.mod( 3 ).add( vertexIndex.div( 3 ) ); // 0 1 2 1 2 3
				const index = pass.element( instanceIndex );
				material.positionNode = vec3( float( index.mod( 64 ).add( corner.mod( 2 ) ) ), float( index.div( 64 ).add( corner.div( 2 ) ) ), 0 );
				pass.compute( renderer );
				expectTags( 'procedural', await picture.render(), survivors );
				pass.dispose();

			} );

		} );

		it( 'a material array', async () => {

			const materials = [ new MeshBasicNodeMaterial(), new MeshBasicNodeMaterial() ];
			const geometry = squareGeometry();
			geometry.addGroup( 0, 3, 0 );
			geometry.addGroup( 3, 3, 1 );
			expect( await refusalOf( () => { new IndirectDraws( new Mesh( geometry, materials ) ).attach(); } ) ).toMatch( /^IndirectDraws[\s\S]*material/ );

		} );

	} );

	describe.runIf( CAN_DRAW )( 'many', () => {

		const COUNT = 3000, BUCKETS = 300;
		// bucket 7 is empty, 13 gets most, and every eleventh candidate is in none
		const bucketOf = ( i: number ): number => i % 11 === 0 ? BUCKETS : i % 5 === 0 ? 13 : ( ( i * 37 ) % BUCKETS ) === 7 ? 8 : ( i * 37 ) % BUCKETS;

		const buckets = (): ( ( i: Node<'uint'> ) => Node<'uint'> ) => {

			const node = storage( new StorageBufferAttribute( Uint32Array.from( { length: COUNT }, ( _, i ) => bucketOf( i ) ), 1 ), 'uint', COUNT ).toReadOnly();
			return ( i ) => node.element( i );

		};

		const shown = ( pixel: number ): number => pixel >= COUNT || bucketOf( pixel ) === BUCKETS ? - 1 : bucketOf( pixel );

		it( '300 meshes share one buffer, fed by one partition', async () => {

			const meshes = Array.from( { length: BUCKETS }, ( _, k ) => Object.assign( new Mesh( squareGeometry( { indexed: k % 2 === 0 } ) ), { userData: { bucket: k } } ) );
			const draws = new IndirectDraws( meshes ).attach();
			const pass = await new PartitionPass( COUNT, BUCKETS, buckets(), { ...SMALL, itemsPerThread: 2, draws } ).init( renderer );
			const bucket = userData( 'bucket', 'uint' ) as unknown as Node<'uint'>;
			const material = countingMaterial( pass.element( bucket, instanceIndex ), bucket );
			const picture = new Picture( renderer );

			for ( const mesh of meshes ) {

				mesh.material = material;
				expect( mesh.geometry.indirect ).toBe( draws.attribute );
				picture.scene.add( mesh );

			}

			pass.compute( renderer );
			expectTags( 'all', await picture.render(), shown );

			await tick();
			pass.count = 0;
			pass.compute( renderer );
			expectTags( 'none', await picture.render(), () => - 1 );

			await tick();
			pass.count = 100;
			pass.compute( renderer );
			expectTags( '100', await picture.render(), ( pixel ) => pixel < 100 ? shown( pixel ) : - 1 );
			pass.dispose();
			draws.dispose();

		} );

		it( 'merge() draws 300 geometries with one mesh', async () => {

			const { geometry, draws, bucketNode } = IndirectDraws.merge( Array.from( { length: BUCKETS }, () => squareGeometry() ) );
			expect( draws.length ).toBe( BUCKETS );
			const pass = await new PartitionPass( COUNT, BUCKETS, buckets(), { ...SMALL, itemsPerThread: 2, draws } ).init( renderer );
			const mesh = new Mesh( geometry, countingMaterial( pass.element( bucketNode, instanceIndex ), bucketNode ) );
			mesh.frustumCulled = false;
			const picture = new Picture( renderer );
			picture.scene.add( mesh );

			pass.compute( renderer );
			expectTags( 'all', await picture.render(), shown );

			await tick();
			pass.count = 0;
			pass.compute( renderer );
			expectTags( 'none', await picture.render(), () => - 1 );
			pass.dispose();

		} );

	} );

	it.runIf( CAN_DRAW )( 'merge() keeps each geometry\'s own shape', async () => {

		// bucket k is a bar of k + 1 pixels; one row each
		const bars = [ 0, 1, 2 ].map( ( k ) => new BufferGeometry().copy( squareGeometry( { indexed: k !== 1 } ) ).scale( k + 1, 1, 1 ) );
		const of = storage( new StorageBufferAttribute( new Uint32Array( [ 2, 0, 1, 2 ] ), 1 ), 'uint', 4 ).toReadOnly();
		const { geometry, draws, bucketNode } = IndirectDraws.merge( bars );
		const pass = await new PartitionPass( 4, 3, ( i ) => of.element( i ), { ...SMALL, itemsPerThread: 2, draws } ).init( renderer );
		const index = pass.element( bucketNode, instanceIndex );
		const mesh = new Mesh( geometry, countingMaterial( index.mul( 64 ), bucketNode ) );
		mesh.frustumCulled = false;
		const picture = new Picture( renderer );
		picture.scene.add( mesh );
		pass.compute( renderer );

		expectTags( 'bars', await picture.render(), ( pixel ) => {

			const [ x, y ] = [ pixel % 64, Math.floor( pixel / 64 ) ], bucket = [ 2, 0, 1, 2 ][ y ];
			return bucket !== undefined && x <= bucket ? bucket : - 1;

		} );

		pass.dispose();

	} );

	it.runIf( CAN_DRAW )( 'draws 10,000 overlapping translucent quads in survivor order: the same bytes every frame', async () => {

		const count = 10_000;
		const keeps = ( i: number ): boolean => ( i * 7919 ) % 10 < 6;
		const mesh = new Mesh( squareGeometry( { size: 8 } ) );
		const draws = new IndirectDraws( mesh ).attach();
		const shift = uniform( 0, 'uint' );
		const pass = await new CompactPass( count, ( i ) => i.add( shift ).mul( 7919 ).mod( 10 ).lessThan( uint( 6 ) ), { ...SMALL, draws } ).init( renderer );

		// lies over its neighbours by seven pixels; its colour is from a hash of its index
		const shown = ( index: Node<'uint'> ): MeshBasicNodeMaterial => {

			const material = countingMaterial( index.mod( 57 * 64 ), index.mul( 2654435761 ).shiftRight( 16 ) );
			material.blending = 1; // NormalBlending
			material.opacity = 0.5;
			return material;

		};

		const picture = new Picture( renderer );
		picture.scene.add( mesh );
		mesh.material = shown( pass.element( instanceIndex ) );

		// drawn from a list made by the CPU
		const list = referenceCompact( count, keeps );
		const plain = new Mesh( squareGeometry( { size: 8 } ), shown( storage( new StorageBufferAttribute( list, 1 ), 'uint', list.length ).toReadOnly().element( instanceIndex ) ) );
		plain.count = list.length;
		plain.frustumCulled = false;
		const twin = new Picture( renderer );
		twin.scene.add( plain );
		const expected = await twin.render();

		for ( let frame = 0; frame < 8; frame ++ ) {

			shift.value = frame === 4 ? 3 : 0;
			pass.compute( renderer );
			const pixels = await picture.render();
			if ( frame === 4 ) expect( differences( pixels, expected ) ).toBeGreaterThan( 1000 );
			else expect( differences( pixels, expected ), `frame ${ frame }` ).toBe( 0 );
			await tick( 1 );

		}

		pass.dispose();

	} );

	it( 'refuses bad targets and slots', () => {

		const wrong = <T>( value: unknown ): T => value as T;
		const refuses = ( act: () => unknown, ...says: ( string | RegExp )[] ): void => {

			let error: unknown;
			try { act(); } catch ( caught ) { error = caught; }
			expect( error ).toBeInstanceOf( ScanError );
			expect( error ).toMatchObject( { code: 'invalid-argument' } );
			for ( const part of [ /^IndirectDraws/, ...says ] ) expect( ( error as ScanError ).message ).toMatch( part );

		};

		const draws = new IndirectDraws( [ squareGeometry(), squareGeometry() ] );
		refuses( () => new IndirectDraws( [] ), 'got' );
		refuses( () => new IndirectDraws( wrong( undefined ) ), 'got undefined' );
		refuses( () => new IndirectDraws( [ squareGeometry(), wrong( {} ) ] ), 'got' );
		for ( const i of [ - 1, 2, 0.5, NaN, wrong<number>( '1' ) ] ) {

			refuses( () => draws.slot( i ), 'got' );
			refuses( () => draws.byteOffset( i ), 'got' );
			refuses( () => draws.instanceCountNode( i ), 'got' );
			refuses( () => draws.attach( i ), 'got' );

		}

		refuses( () => IndirectDraws.merge( [] ), 'got' );
		refuses( () => IndirectDraws.merge( wrong( squareGeometry() ) ), 'got' );
		refuses( () => IndirectDraws.merge( [ new PlaneGeometry(), squareGeometry() ] ), /normal|uv/ );

	} );

} );
