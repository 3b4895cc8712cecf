import { CompactPass, IndirectDraws, VisibilityTest } from 'three-scan';
import { plainMesh } from './plainMesh';
import type { Way, World } from './index';

/** This package, a level below: a test, a stable compaction and an indirect draw. All passes run in one go. */
export async function scan( { populations, camera, renderer }: World ): Promise<Way> {

	const parts = populations.map( ( population ) => {

		const geometry = population.levels[ 0 ].clone();
		const draws = new IndirectDraws( geometry );
		draws.attach();
		const test = new VisibilityTest( { spheres: population.spheres } );
		const compact = new CompactPass( population.capacity, test.isVisible, { draws } );
		return { population, test, compact, mesh: plainMesh( population, ( k ) => compact.element( k ), geometry ) };

	} );
	await Promise.all( parts.map( ( { compact } ) => compact.init( renderer ) ) );
	const nodes = parts.flatMap( ( { compact } ) => compact.nodes );

	return {
		meshes: parts.map( ( { mesh } ) => mesh ),
		isOnGpu: true,
		policy: { ...parts[ 0 ].compact.policy },
		cull( isFrozen ) {

			for ( const { population, test, compact } of parts ) {

				compact.count = population.size;
				if ( ! isFrozen ) test.update( camera );

			}
			renderer.compute( nodes );

		},
		async readVisible() {

			const counts = await Promise.all( parts.map( ( { compact } ) => compact.readSurvivorCount( renderer ) ) );
			return [ counts.reduce( ( sum, count ) => sum + count ) ];

		},
	};

}
