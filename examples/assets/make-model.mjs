/**
 * Makes the models of the culling example: each stands on the ground at unit height, with colours at its vertices and three levels
 * of detail by meshoptimizer. Run it again after a change here or in make/ (rocks and flowers are in a package of their own, which
 * nothing else needs):
 *
 *   npm install --no-save @dgreenheck/ez-tree@1.1.0 && node examples/assets/make-model.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import bunny from '@pmndrs/assets/models/bunny.glb.js';
import { join, simplify, simplifyApart, standOnGround } from './make/levels.mjs';
import { readGlb } from './make/readGlb.mjs';
import { growTree } from './make/tree.mjs';
import { writeGlb } from './make/writeGlb.mjs';

const EZ_TREE = new URL( '../../node_modules/@dgreenheck/ez-tree/src/app/public/', import.meta.url );
const WHITE = [ 1, 1, 1 ];
/** Of the flower's materials. White is what each flower's own colour is multiplied with. */
const FLOWER_COLORS = { 'texture3': [ 0.1, 0.24, 0.05 ], 'texture 2': [ 0.75, 0.42, 0.03 ], 'leef': [ 0.09, 0.25, 0.04 ], 'green': [ 0.1, 0.26, 0.05 ], 'dark green': [ 0.06, 0.16, 0.03 ] };

const rabbit = await readGlb( Buffer.from( bunny.slice( bunny.indexOf( ',' ) + 1 ), 'base64' ) );
const rock = await readGlb( readFileSync( new URL( 'rock1.glb', EZ_TREE ) ) );
const flower = await readGlb( readFileSync( new URL( 'flower_white.glb', EZ_TREE ) ) );

make( 'rabbit', [ 320, 110, 36 ], rabbit.map( ( part ) => ( { ...part, color: WHITE } ) ), 'CC0 1.0, after the Stanford bunny of @pmndrs/assets' );
const tree = growTree();
make( 'tree', [ 900, 300, [ 12, 150 ] ], tree, 'MIT, branches by the TreeGenerator of three.js', { flags: [ 'Prune' ] }, ( model, sizes ) => simplifyApart( model, tree[ 0 ].indices.length, sizes ) );
make( 'rock', [ 240, 80, 36 ], rock.map( ( part ) => ( { ...part, color: WHITE } ) ), 'MIT, copyright 2024 Daniel Greenheck, after a rock of @dgreenheck/ez-tree' );
make( 'flower', [ 260, 90, 70 ], flower.map( ( part ) => ( { ...part, color: FLOWER_COLORS[ part.material ] ?? WHITE } ) ), 'MIT, copyright 2024 Daniel Greenheck, after a flower of @dgreenheck/ez-tree', { isThin: true, flags: [ 'Prune', 'Permissive' ] },
	( model, most ) => simplify( model, most, { isThin: true, isSloppy: true } ) );

function make( name, triangles, parts, copyright, options, coarsest = ( model, most ) => simplify( model, most, options ) ) {
	const model = join( parts );
	standOnGround( model );
	const levels = triangles.map( ( most, i ) => ( { name: `${ name }-${ i }`, ...( i === 2 ? coarsest( model, most ) : simplify( model, most, options ) ) } ) );
	writeFileSync( new URL( `${ name }.glb`, import.meta.url ), writeGlb( levels, copyright ) );
	console.log( `${ name }: ${ levels.map( ( { indices, positions } ) => `${ indices.length / 3 } triangles, ${ positions.length / 3 } vertices` ).join( '; ' ) }` );
}
