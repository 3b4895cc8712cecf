import type { BufferAttribute } from 'three/webgpu';

/** Words between two changes that are cheaper to upload than a call of its own. */
const GAP_WORDS = 1024;

/** Which elements of an attribute were written since the last upload, a bit each. */
export class DirtyElements {

	private readonly bits: Uint32Array;
	private isClean = true;
	private version = - 1;

	constructor( count: number ) {

		this.bits = new Uint32Array( Math.ceil( count / 32 ) );

	}

	add( element: number ): void {

		this.bits[ element >>> 5 ] |= 1 << ( element & 31 );
		this.isClean = false;

	}

	/** The attribute is new to the GPU: all of it goes up. */
	reset(): void {

		this.version = - 1;

	}

	/** Marks what was written for upload: only that, once the whole has gone up. */
	flush( attribute: BufferAttribute, wordsPerElement: number ): void {

		if ( ! this.isClean ) {

			// another version: new to this list, or the user's own needsUpdate. Then all goes up, whatever ranges the user has set
			const isPart = attribute.version === this.version;
			if ( ! isPart ) attribute.clearUpdateRanges();
			else for ( const [ first, last ] of this.runs( GAP_WORDS / wordsPerElement ) ) attribute.addUpdateRange( first * wordsPerElement, ( last - first + 1 ) * wordsPerElement );
			attribute.needsUpdate = true;

			this.bits.fill( 0 );
			this.isClean = true;

		}

		this.version = attribute.version;

	}

	/** First and last of each run, across gaps of up to `gap` elements. */
	private *runs( gap: number ): Generator<[ number, number ]> {

		const { bits } = this;
		let first = - 1;
		let last = - 1;

		for ( let w = 0; w < bits.length; w ++ ) {

			const word = bits[ w ];
			if ( word === 0 ) continue;

			const lowest = 32 * w + 31 - Math.clz32( word & - word );

			if ( first < 0 ) first = lowest;
			else if ( lowest - last > gap ) {

				yield [ first, last ];
				first = lowest;

			}

			last = 32 * w + 31 - Math.clz32( word );

		}

		if ( first >= 0 ) yield [ first, last ];

	}

}
