import { expect } from 'playwright/test';
import { openExample, picture, strikePose, test, TOLERANCE } from './pages';

const FEW = 2_000; // each is drawn in full where no levels of detail are

test( 'the valley looks as it did, from four poses', async ( { page } ) => {

	await openExample( page, 'culling' );

	for ( const pose of [ 0, 1, 2, 3 ] ) {

		const { visible, total, levels } = await strikePose( page, pose );
		expect.soft( await picture( page ) ).toMatchSnapshot( `culling-${ pose }.png`, TOLERANCE );
		expect( visible ).toBeGreaterThan( 0 );
		expect( visible ).toBeLessThan( total );
		expect( levels ).toHaveLength( 3 );

	}

} );

test( 'compacted by a scan, on the CPU, or not at all: byte for byte the same picture; by atomic append, as many', async ( { page } ) => {

	const off = await openExample( page, 'culling', { pose: 1, count: FEW, culling: 'off' } );
	expect( off.visible ).toBe( off.total );
	const all = await picture( page );

	const scan = await openExample( page, 'culling', { pose: 1, count: FEW, culling: 'scan' } );
	expect( scan.visible ).toBeGreaterThan( 0 );
	expect( scan.visible ).toBeLessThan( scan.total );
	expect( ( await picture( page ) ).equals( all ) ).toBe( true );

	const loop = await openExample( page, 'culling', { pose: 1, count: FEW, culling: 'CPU' } );
	expect( loop.visible ).toBe( scan.visible );
	expect( ( await picture( page ) ).equals( all ) ).toBe( true );

	const append = await openExample( page, 'culling', { pose: 1, count: FEW, culling: 'atomic append' } );
	expect( append.visible ).toBe( scan.visible );

} );

test( 'the map shows the frustum and what is in it, the colours show the levels of detail', async ( { page } ) => {

	await openExample( page, 'culling', { pose: 2, count: FEW, map: 1, levels: 1 } );
	expect( await picture( page ) ).toMatchSnapshot( 'culling-map.png', TOLERANCE );

} );
