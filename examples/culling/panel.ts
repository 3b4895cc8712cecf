import GUI from 'three/addons/libs/lil-gui.module.min.js';
import { MAXIMUM } from './herd';
import { WAYS, type WayName } from './ways';

export interface Settings {
	count: number;
	way: WayName;
	camera: 'path' | 'free';
	frozen: boolean;
	map: boolean;
}

export function addPanel( settings: Settings, onWay: () => void ): void {

	const panel = new GUI( { title: 'Rabbits' } );
	panel.add( settings, 'count', 1000, MAXIMUM, 1000 ).name( 'how many' );
	panel.add( settings, 'way', WAYS ).name( 'culling' ).onChange( onWay );
	panel.add( settings, 'frozen' ).name( 'freeze the culling' );
	panel.add( settings, 'map' );
	panel.add( settings, 'camera', [ 'path', 'free' ] ).listen();
	if ( matchMedia( '(max-width: 700px)' ).matches ) panel.close();

}
