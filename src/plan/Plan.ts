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

	private readonly nodes: ComputeNode[] = [];
	private readonly counted: ( ( elements: number ) => void )[] = [];
	private readonly scratch: BufferAttribute[] = [];

	constructor( private readonly who: string, private readonly caps: DeviceCaps ) {}

	/** Adds a node that takes so many workgroups for a number of elements; default: one. */
	add( node: ComputeNode, workgroups: ( elements: number ) => number = () => 1 ): void {

		this.nodes.push( node );
		this.counted.push( elements => setDispatchSize( node, dispatchSize( this.who, workgroups( elements ), this.caps.maxComputeWorkgroupsPerDimension ) ) );

	}

	/** Adds another plan's nodes, which run over so many elements for a number of this plan's. */
	addPlan( plan: Plan, elementsOf: ( elements: number ) => number ): void {

		this.nodes.push( ...plan.nodes );
		this.scratch.push( ...plan.scratch );
		this.counted.push( elements => plan.setCount( elementsOf( elements ) ) );

	}

	/** Allocates scratch. */
	own( type: ScanType, length: number ): StorageBufferAttribute {

		const attribute = allocate( type, length );
		this.scratch.push( attribute );
		return attribute;

	}

	build(): Plan {

		const { nodes, scratch, counted } = this;
		return { nodes, scratch, setCount: elements => counted.forEach( set => set( elements ) ) };

	}

}
