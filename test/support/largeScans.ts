import { StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { ScanPass, type PassOptions } from 'three-scan';
import { Random, asWords, countWrongRuns } from './scanMatrix';

/** Scans random words, which wrap, by the kernel's default policy; throws at the first element that is wrong. */
export async function checkLargeScan( renderer: WebGPURenderer, count: number, options: PassOptions, seed = 3 ): Promise<void> {

	const random = new Random( seed );
	const values = new Uint32Array( count );
	for ( let i = 0; i < count; i ++ ) values[ i ] = random.word();

	const pass = await new ScanPass( new StorageBufferAttribute( values, 1 ), options ).init( renderer );
	pass.compute( renderer );
	const output = await pass.read( renderer ), total = await pass.readTotal( renderer );
	pass.dispose();

	let sum = 0;

	for ( let i = 0; i < count; i ++ ) {

		if ( output[ i ] !== sum ) throw new Error( `${ count } elements, seed ${ seed }: element ${ i } is ${ output[ i ] } (expected ${ sum }).` );
		sum = ( sum + values[ i ] ) >>> 0;

	}

	if ( output.length !== count || total !== sum ) throw new Error( `${ count } elements, seed ${ seed }: ${ output.length } were read, their total is ${ String( total ) } (expected ${ sum }).` );

}

/** Runs a scan of random floats many times: how many elements ever had other bits than in the first run, and the largest error against f64, relative to the largest prefix. */
export async function checkFloatScan( renderer: WebGPURenderer, count: number, runs: number, options: PassOptions = {}, seed = 4 ): Promise<{ wrong: number; error: number }> {

	const random = new Random( seed );
	const values = new Float32Array( count );
	for ( let i = 0; i < count; i ++ ) values[ i ] = random.word() / 2 ** 32 - 0.25;

	const pass = await new ScanPass( new StorageBufferAttribute( values, 1 ), options ).init( renderer );
	pass.compute( renderer );
	const first = await pass.read( renderer );

	let sum = 0, largest = 0, off = 0;

	for ( let i = 0; i < count; i ++ ) {

		off = Math.max( off, Math.abs( first[ i ] - sum ) );
		largest = Math.max( largest, Math.abs( sum ) );
		sum += values[ i ];

	}

	const wrong = await countWrongRuns( renderer, pass, asWords( first ), runs );
	pass.dispose();
	return { wrong, error: off / largest };

}
