// @ts-check
// The WebGPU devices that the tests run on: software Vulkan drivers, so that no GPU is needed.
//
//   node scripts/drivers.mjs                 sets up what is missing, lists the devices
//   node scripts/drivers.mjs env lavapipe-8  prints the environment of one device, for `env $(…) node probe.mjs`

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath( new URL( '../.cache/drivers/', import.meta.url ) );

/** Debian 12's own Mesa 22 is too old for Dawn; this build needs only libraries that Debian 12 has. */
const MESA_VERSION = '25.0.7-2~bpo12+1';
const MESA = join( CACHE, `mesa-${ MESA_VERSION }` );
const LAVAPIPE_ICD = join( CACHE, 'lavapipe.json' );
const SWIFTSHADER_ICD = '/usr/lib/chromium/vk_swiftshader_icd.json';
const CHROMIUM = '/usr/bin/chromium';
const FIREFOX = '/usr/bin/firefox-esr';

/** Debian's package of each file that must be there; mesa-vulkan-drivers also brings lavapipe's libraries and Firefox's device. */
const PACKAGES = [
	{ name: 'chromium', isInstalled: () => existsSync( CHROMIUM ) && existsSync( SWIFTSHADER_ICD ) },
	{ name: 'firefox-esr', isInstalled: () => existsSync( FIREFOX ) },
	{ name: 'libvulkan1', isInstalled: () => hasPackage( 'libvulkan1' ) },
	{ name: 'mesa-vulkan-drivers', isInstalled: () => hasPackage( 'mesa-vulkan-drivers' ) },
];

/**
 * Each device has its own subgroup width; `default` is whatever adapter the machine itself offers.
 * @type {Readonly<Record<string, { icd: string | null, vectorBits?: number }>>}
 */
const DEVICES = {
	'swiftshader': { icd: SWIFTSHADER_ICD },
	'lavapipe-4': { icd: LAVAPIPE_ICD, vectorBits: 128 },
	'lavapipe-8': { icd: LAVAPIPE_ICD, vectorBits: 256 },
	'lavapipe-16': { icd: LAVAPIPE_ICD, vectorBits: 512 },
	'default': { icd: null },
};

/** The devices that every test run covers. */
export const TEST_DEVICES = Object.keys( DEVICES ).filter( ( device ) => device !== 'default' );

/**
 * The environment variables that make a process see this device only.
 * @param {string} device
 * @returns {Record<string, string>}
 */
export function environmentFor( device ) {

	const description = DEVICES[ device ];
	if ( description === undefined ) throw new Error( `drivers: unknown device '${ device }'. Known: ${ Object.keys( DEVICES ).join( ', ' ) }.` );

	if ( description.icd === null ) return { THREE_SCAN_DEVICE: device };
	if ( existsSync( description.icd ) === false ) throw new Error( `drivers: the driver of '${ device }' is missing. Run: node scripts/drivers.mjs` );

	return {
		THREE_SCAN_DEVICE: device,
		XDG_RUNTIME_DIR: '/tmp', // unset, it makes the loader warn
		VK_DRIVER_FILES: description.icd,
		VK_ICD_FILENAMES: description.icd, // the older name, which loaders before 1.3.207 read
		// one cache for each width, so that code compiled for one is never run at another
		MESA_SHADER_CACHE_DIR: join( CACHE, 'shaders', device ),
		...( description.vectorBits && { LP_NATIVE_VECTOR_WIDTH: String( description.vectorBits ) } ),
	};

}

/** Path of a system Chromium, or null. Playwright's own browser, where there is one, comes first: see browser.mjs. */
export function findChromium() {

	return [ CHROMIUM, '/usr/bin/chromium-browser', '/usr/bin/google-chrome' ].find( ( path ) => existsSync( path ) ) ?? null;

}

/** Path of a system Firefox, or null. */
export function findFirefox() {

	return [ FIREFOX, '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox' ].find( ( path ) => existsSync( path ) ) ?? null;

}

/** WebGPU on SwiftShader. Without the Vulkan flags, drawing to a canvas loses the device. */
export const CHROMIUM_FLAGS = [
	'--no-sandbox',
	'--enable-unsafe-webgpu',
	'--use-webgpu-adapter=swiftshader',
	'--enable-features=Vulkan',
	'--use-vulkan=swiftshader',
	'--use-angle=swiftshader',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/**
 * Installs what is missing where that is allowed (THREE_SCAN_SETUP=1, root, Debian), unpacks lavapipe beside the system.
 * @returns {string[]} what could not be set up, with the command that would
 */
export function setUpDrivers() {

	const problems = installMissing( PACKAGES );

	try {

		if ( isDebian() === false ) throw new Error( "needs Debian 12. On this machine's own GPU run: npm test -- gpu:default" );
		if ( findLavapipe() === null ) unpackLavapipe();
		writeLavapipeIcd();

	} catch ( error ) {

		problems.push( `lavapipe: ${ error instanceof Error ? error.message : String( error ) }` );

	}

	return problems;

}

/** The same for a browser only. */
export function setUpChromium() {

	return findChromium() === null ? installMissing( PACKAGES.filter( ( item ) => item.name === 'chromium' ) ) : [];

}

/**
 * @param {typeof PACKAGES} packages
 * @returns {string[]} problems
 */
function installMissing( packages ) {

	const missing = packages.filter( ( item ) => item.isInstalled() === false ).map( ( item ) => item.name );
	if ( missing.length === 0 ) return [];
	if ( maySetUp() === false ) return [ `missing: ${ missing.join( ', ' ) }. On Debian 12 run: sudo apt-get install --no-install-recommends ${ missing.join( ' ' ) }` ];

	installPackages( missing );
	return [];

}

function maySetUp() {

	return process.env.THREE_SCAN_SETUP === '1' && process.getuid?.() === 0 && isDebian();

}

function isDebian() {

	return existsSync( '/etc/debian_version' );

}

/** @param {string} name */
function hasPackage( name ) {

	const { stdout } = spawnSync( 'dpkg-query', [ '--show', '--showformat=${Status}', name ], { encoding: 'utf8' } );
	return typeof stdout === 'string' && stdout.includes( 'ok installed' );

}

/** @param {string[]} names */
function installPackages( names ) {

	// standard output stays clean: it may carry the environment of `env`
	const options = { stdio: /** @type {['ignore', 2, 2]} */ ( [ 'ignore', 2, 2 ] ), env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
	execFileSync( 'apt-get', [ '-q', 'update' ], options );
	execFileSync( 'apt-get', [ '-q', '-y', 'install', '--no-install-recommends', ...names ], options );

}

/** @returns {string | null} */
function findLavapipe() {

	const libraries = join( MESA, 'usr/lib' );
	if ( existsSync( libraries ) === false ) return null;

	return readdirSync( libraries )
		.map( ( folder ) => join( libraries, folder, 'libvulkan_lvp.so' ) )
		.find( ( path ) => existsSync( path ) ) ?? null;

}

function unpackLavapipe() {

	const aptOptions = useBackports();
	const staging = join( CACHE, `staging-${ process.pid }` );
	mkdirSync( staging, { recursive: true } );

	try {

		const options = { cwd: staging, stdio: /** @type {['ignore', 2, 2]} */ ( [ 'ignore', 2, 2 ] ) };
		execFileSync( 'apt-get', [ ...aptOptions, '-q', 'update' ], options );
		execFileSync( 'apt-get', [ ...aptOptions, '-q', 'download', `mesa-vulkan-drivers=${ MESA_VERSION }` ], options );

		const archive = readdirSync( staging ).find( ( file ) => file.endsWith( '.deb' ) );
		if ( archive === undefined ) throw new Error( 'apt-get download left no package' );

		execFileSync( 'dpkg', [ '-x', archive, 'unpacked' ], options );
		rmSync( MESA, { recursive: true, force: true } );
		renameSync( join( staging, 'unpacked' ), MESA );

	} finally {

		rmSync( staging, { recursive: true, force: true } );

	}

}

/**
 * A source list of our own beside the system's, which stays as it is. It takes the mirror from there.
 * @returns {string[]} options that make apt use it
 */
function useBackports() {

	const apt = join( CACHE, 'apt' );
	for ( const folder of [ 'lists/partial', 'cache/archives/partial' ] ) mkdirSync( join( apt, folder ), { recursive: true } );

	const targets = execFileSync( 'apt-get', [ 'indextargets', '--format', '$(SITE)|$(RELEASE)|$(COMPONENT)', 'Created-By: Packages' ], { encoding: 'utf8' } );
	const main = targets.split( '\n' ).map( ( line ) => line.split( '|' ) ).find( ( [ , release, component ] ) => release === 'bookworm' && component === 'main' );
	if ( main === undefined ) throw new Error( "needs Debian 12 (bookworm). On this machine's own GPU run: npm test -- gpu:default" );

	const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
	const sources = join( apt, 'debian.sources' );

	writeFileSync( sources, [
		'Types: deb',
		`URIs: ${ main[ 0 ] }`,
		'Suites: bookworm-backports',
		'Components: main',
		...( existsSync( keyring ) ? [ `Signed-By: ${ keyring }` ] : [] ),
		'',
	].join( '\n' ) );

	return [
		`Dir::Etc::sourcelist=${ sources }`,
		'Dir::Etc::sourceparts=/dev/null',
		`Dir::State::lists=${ join( apt, 'lists' ) }`,
		`Dir::Cache=${ join( apt, 'cache' ) }`,
		'APT::Sandbox::User=root', // the sandbox user cannot write below a private folder
	].flatMap( ( option ) => [ '-o', option ] );

}

/** A driver description with an absolute path. Written each time, since the repository may have moved. */
function writeLavapipeIcd() {

	const library = findLavapipe();
	if ( library === null ) throw new Error( `no libvulkan_lvp.so below ${ MESA }` );

	const missing = spawnSync( 'ldd', [ library ], { encoding: 'utf8' } ).stdout.split( '\n' ).filter( ( line ) => line.includes( 'not found' ) );
	if ( missing.length > 0 ) throw new Error( `libraries missing: ${ missing.map( ( line ) => line.trim().split( ' ' )[ 0 ] ).join( ', ' ) }` );

	const text = JSON.stringify( { file_format_version: '1.0.0', ICD: { api_version: '1.4.305', library_path: library } } );
	if ( existsSync( LAVAPIPE_ICD ) && readFileSync( LAVAPIPE_ICD, 'utf8' ) === text ) return;
	writeFileSync( LAVAPIPE_ICD, text );

}

function main() {

	const problems = setUpDrivers();
	for ( const problem of problems ) console.error( problem );

	const [ command, device ] = process.argv.slice( 2 );

	if ( command === 'env' ) {

		for ( const [ name, value ] of Object.entries( environmentFor( device ?? '' ) ) ) console.log( `${ name }=${ value }` );
		return;

	}

	for ( const name of TEST_DEVICES ) {

		const { icd } = /** @type {{ icd: string }} */ ( DEVICES[ name ] );
		console.log( `${ name.padEnd( 12 ) } ${ existsSync( icd ) ? icd : 'missing' }` );

	}

	console.log( `${ 'chromium'.padEnd( 12 ) } ${ findChromium() ?? 'missing' }` );
	console.log( `${ 'firefox'.padEnd( 12 ) } ${ findFirefox() ?? 'missing' }` );
	process.exitCode = problems.length > 0 ? 1 : 0;

}

if ( process.argv[ 1 ] !== undefined && resolve( process.argv[ 1 ] ) === fileURLToPath( import.meta.url ) ) main();
