import type { BufferAttribute, ComputeNode, StorageBufferAttribute } from 'three/webgpu';
import { allocate } from '../builder/buffers';
import type { ScanType } from '../shaders/monoids';
import { setDispatchSize } from '../three-types';
import type { DeviceCaps } from './caps';
import { dispatchSize } from './dispatchSize';

/** A run of a pass: nodes in order, and what they need. */
export interface Plan {

	nodes: ComputeNode[];
	/** Buffers of the plan's own, freed with it. */
	scratch: BufferAttribute[];
	/** Sets the dispatch sizes for a number of elements. */
	setCount( count: number ): void;

}

/** Collects a plan's nodes and scratch. */
export class PlanBuilder {

	private readonly steps: { node: ComputeNode; workgroups: ( elements: number ) => number }[] = [];
	private readonly scratch: StorageBufferAttribute[] = [];

	constructor( private readonly who: string, private readonly caps: DeviceCaps ) {}

	/** Adds a node that takes so many workgroups for a number of elements; default: one. */
	add( node: ComputeNode, workgroups: ( elements: number ) => number = () => 1 ): void {

		this.steps.push( { node, workgroups } );

	}

	/** Allocates scratch. */
	own( type: ScanType, length: number ): StorageBufferAttribute {

		const attribute = allocate( type, length );
		this.scratch.push( attribute );
		return attribute;

	}

	build(): Plan {

		const { steps, scratch, who, caps } = this;

		return {
			nodes: steps.map( step => step.node ),
			scratch,
			setCount( elements ) {

				for ( const { node, workgroups } of steps ) setDispatchSize( node, dispatchSize( who, workgroups( elements ), caps.maxComputeWorkgroupsPerDimension ) );

			}
		};

	}

}
