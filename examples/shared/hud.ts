/** Text in a corner, renewed a few times a second: numbers that flicker can't be read. */
export class Hud {

	private readonly element = document.createElement( 'p' );
	private readonly sums = new Map<string, { total: number; times: number }>();
	private renewed = 0;

	constructor() {

		this.element.className = 'hud';
		document.body.append( this.element );

	}

	/** Adds a measurement; the mean since the text was last renewed is shown. */
	measured( what: string, milliseconds: number ): void {

		const { total, times } = this.sums.get( what ) ?? { total: 0, times: 0 };
		this.sums.set( what, { total: total + milliseconds, times: times + 1 } );

	}

	get isDue(): boolean {

		return performance.now() > this.renewed + 300;

	}

	show( headline: string, ...lines: string[] ): void {

		const times = [ ...this.sums ].map( ( [ what, { total, times } ] ) => `${ what } ${ ( total / times ).toFixed( 2 ) } ms` );
		this.sums.clear();
		this.renewed = performance.now();
		const strong = Object.assign( document.createElement( 'b' ), { textContent: headline } );
		this.element.replaceChildren( strong, `\n${ [ ...lines, times.join( ' · ' ) ].join( '\n' ) }` );

	}

}

/** One line about the kernels of a pass. */
export function describe( policy: Readonly<Record<string, unknown>> ): string {

	const { kernel, algorithm, dispatches, workgroupSize, itemsPerThread } = policy as Readonly<Record<string, string | number>>;
	return algorithm === undefined
		? `${ kernel }`
		: `${ kernel } kernel, ${ algorithm } in ${ dispatches } dispatches, tiles of ${ workgroupSize } × ${ itemsPerThread }`;

}
