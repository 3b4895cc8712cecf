import type { Scene } from 'three/webgpu';
import { KINDS, loadLevels } from './kinds';
import { Population } from './population';
import { makeScenery } from './scenery';
import { Terrain } from './terrain';

/** The land and all that stands on it. */
export class Valley {

	private constructor( readonly terrain: Terrain, readonly scene: Scene, readonly populations: Population[] ) {}

	/** @param capacity - The most instances of all kinds together. */
	static async load( capacity: number ): Promise<Valley> {

		const terrain = new Terrain();
		const populations = await Promise.all( KINDS.map( async ( kind ) => new Population( kind, await loadLevels( kind ), terrain, capacity ) ) );
		return new Valley( terrain, makeScenery( terrain ), populations );

	}

	/** How many there are. */
	get size(): number {

		return this.populations.reduce( ( sum, { size } ) => sum + size, 0 );

	}

	grow( total: number, milliseconds = Infinity ): void {

		for ( const population of this.populations ) population.grow( total, milliseconds / this.populations.length );

	}

}
