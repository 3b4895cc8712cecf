import type { Source } from '../builder/buffers';
import { ScanBase, type ReduceOptions } from './ScanBase';

/**
 * Reduces a buffer or a closure to one value, `total`: the same as a scan's total, without the prefixes.
 *
 * ```js
 * const sum = await new ReducePass( energies, { monoid: 'max' } ).init( renderer );
 * sum.compute( renderer );
 * await sum.readTotal( renderer );
 * ```
 */
export class ReducePass extends ScanBase {

	readonly isReducePass = true;
	protected readonly scanOutput = undefined;

	/**
	 * @param input - Elements: an attribute, a storage node, or a closure from an element's index to its value.
	 * @throws {ScanError} `invalid-argument`
	 */
	constructor( input: Source, options: ReduceOptions = {} ) {

		super( 'ReducePass', input, options );

	}

}
