import GUI from 'three/addons/libs/lil-gui.module.min.js';
import { WAYS, type WayName } from './ways';

export interface Settings {
	count: number;
	way: WayName;
	camera: 'path' | 'free';
	frozen: boolean;
	levels: boolean;
	map: boolean;
}

export function addPanel( settings: Settings, maximum: number, onWay: () => void ): void {

	const panel = new GUI( { title: 'Valley' } );
	panel.add( settings, 'count', 1000, maximum, 1000 ).name( 'how many' );
	panel.add( settings, 'way', WAYS ).name( 'culling' ).onChange( onWay );
	panel.add( settings, 'frozen' ).name( 'freeze the culling' );
	panel.add( settings, 'levels' ).name( 'levels of detail' );
	panel.add( settings, 'map' );
	panel.add( settings, 'camera', [ 'path', 'free' ] ).listen();
	if ( matchMedia( '(max-width: 700px)' ).matches ) panel.close();

}
