import { afterAll, expect, it } from 'vitest';
import { StorageBufferAttribute } from 'three/webgpu';
import { ReducePass, ScanPass } from 'three-scan';
import { countCreations } from '../support/creations';
import { createRenderer, deviceName, expectNoGpuErrors, tick } from '../support/gpu';
import { SMALL } from '../support/scanMatrix';

afterAll( expectNoGpuErrors );

it( `1,000 frames create nothing on ${ deviceName }`, async () => {

	const { renderer, device } = await createRenderer();
	const created = countCreations( device );
	const ones = (): StorageBufferAttribute => new StorageBufferAttribute( new Uint32Array( 2000 ).fill( 1 ), 1 );

	const scan = await new ScanPass( ones(), { ...SMALL, segments: ones() } ).init( renderer );
	const sum = await new ReducePass( ones(), SMALL ).init( renderer );
	const frame = [ ...scan.nodes, ...sum.nodes ];
	renderer.compute( frame );
	const before = { ...created.made };

	for ( let i = 0; i < 1000; i ++ ) {

		scan.count = 2 * i;
		sum.count = 2000 - 2 * i;
		renderer.compute( frame );
		if ( i % 100 === 0 ) await tick( 0 ); // three's frame ends with the task

	}

	expect( created.made ).toEqual( before );
	expect( await sum.readTotal( renderer ) ).toBe( 2 );
	scan.dispose();
	sum.dispose();

} );
