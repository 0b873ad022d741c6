import type { DestinationView } from './application-view.js';
import type { HelmRevision } from './manifest-view.js';

/** What was found of an object, the worst first. */
export const COMPARED_STATES = ['missing', 'changed', 'unreadable', 'unknown', 'ignored', 'same'] as const;
export type ComparedState = (typeof COMPARED_STATES)[number];

/** A field that differs. Values are JSON, shortened; without one it is not there, and without both it is not shown. */
export interface ComparedField {
  /** JSON pointer into the object. */
  readonly path: string;
  readonly wanted?: string;
  readonly live?: string;
}

/** An object as it is wanted, and as it is. Unknown texts are empty. */
export interface ComparedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly state: ComparedState;
  /** Why it could not be compared, or what should be known of it. */
  readonly message: string;
  readonly fields: readonly ComparedField[];
  /** Number of other fields that differ. */
  readonly moreFields: number;
}

/** What was compared at one destination. */
export interface LiveDiffFindings {
  /** Of a HelmRelease: what it rendered is what is wanted. */
  readonly helm?: HelmRevision;
  /** The worst first. */
  readonly objects: readonly ComparedObject[];
  /** Number of others that were not compared because there are too many. */
  readonly more: number;
  /** What is known of what is wanted, where that is not all; empty otherwise. */
  readonly note: string;
  /** What could not be read, and why; empty if all was read. */
  readonly problem: string;
}

/** One destination: what is wanted there, and what is there. */
export interface LiveDiffView extends DestinationView, LiveDiffFindings {
  /** Namespace and name. */
  readonly application: string;
}

/** The worst first; those of one state keep their order. */
export function worstCompared(objects: readonly ComparedObject[]): ComparedObject[] {
  return COMPARED_STATES.flatMap((state) => objects.filter((object) => object.state === state));
}

/** True for an object that is not as it is wanted. */
export function differs({ state }: Pick<ComparedObject, 'state'>): boolean {
  return state === 'missing' || state === 'changed';
}

/** How many objects have which state, without those that none has: `1 missing, 2 changed, 40 same`. */
export function comparedSummary({ objects, more }: Pick<LiveDiffFindings, 'objects' | 'more'>): string {
  const counts = COMPARED_STATES.map(
    (state) => [objects.filter((each) => each.state === state).length, state] as const,
  );
  const parts = [...counts, [more, 'not compared'] as const].filter(([number]) => number > 0);
  return parts.length === 0 ? 'no objects' : parts.map((part) => part.join(' ')).join(', ');
}
