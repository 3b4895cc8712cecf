import GUI from 'three/addons/libs/lil-gui.module.min.js';
import { describe, Hud } from '../shared/hud';
import type { Report } from '../shared/page';

export const settings = { speed: 1, turning: true };

/** Shows the panel; the function returned shows what a report says, at most a few times a second. */
export function addPanel(): ( read: () => Promise<Report> ) => void {

	const panel = new GUI( { title: 'Sparks' } );
	panel.add( settings, 'speed', 0, 2, 0.05 );
	panel.add( settings, 'turning' );
	if ( matchMedia( '(max-width: 700px)' ).matches ) panel.close();

	const hud = new Hud();
	let isReading = false;
	return ( read ) => {

		if ( isReading || ! hud.isDue ) return;
		isReading = true;
		void read().then( ( { visible, total, policy, adapter } ) => {

			hud.show( `${ visible.toLocaleString() } of ${ total.toLocaleString() } sparks alive and in view`, describe( policy ), adapter );
			isReading = false;

		} );

	};

}
