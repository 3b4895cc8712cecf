import { expect } from 'playwright/test';
import { openExample, picture, test, TOLERANCE } from './pages';

for ( const pose of [ 0, 1, 2, 3 ] ) {

	test( `culling, pose ${ pose }: looks as it did, and byte for byte as without culling`, async ( { page } ) => {

		const culled = await openExample( page, 'culling', { pose } );
		const withCulling = await picture( page );
		expect.soft( withCulling ).toMatchSnapshot( `culling-${ pose }.png`, TOLERANCE );
		expect( culled.visible ).toBeGreaterThan( 0 );
		expect( culled.visible ).toBeLessThan( culled.total );

		const all = await openExample( page, 'culling', { pose, culling: 'off' } );
		expect( all.visible ).toBe( all.total );
		expect( ( await picture( page ) ).equals( withCulling ) ).toBe( true );

	} );

}

test( 'culling on the CPU or by atomic append finds as many; on the CPU in the same order, so that not a byte differs', async ( { page } ) => {

	const scan = await openExample( page, 'culling', { pose: 1 } );
	const inOrder = await picture( page );

	const loop = await openExample( page, 'culling', { pose: 1, culling: 'CPU' } );
	expect( loop.visible ).toBe( scan.visible );
	expect( ( await picture( page ) ).equals( inOrder ) ).toBe( true );

	const append = await openExample( page, 'culling', { pose: 1, culling: 'atomic append' } );
	expect( append.visible ).toBe( scan.visible );

} );

test( 'the map shows the frustum and what survives', async ( { page } ) => {

	await openExample( page, 'culling', { pose: 2, map: 1 } );
	expect( await picture( page ) ).toMatchSnapshot( 'culling-map.png', TOLERANCE );

} );
