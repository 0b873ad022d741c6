import type { Application } from '#api/v1alpha1/application.js';
import type { ClusterIndex } from '../child/cluster.js';
import type { Child, Entry, Violation } from '../child/types.js';
import type { Resolved } from '../destinations/template-use.js';
import type { Valid } from '../destinations/validate.js';
import type { HistoryPlan, Pins } from '../spec/history.js';

/** One (entry, cluster), or a child of the Application that no entry matches. */
export interface Destination {
  /** Undefined: no entry matches its child. */
  readonly entry: Entry | undefined;
  /** Undefined: its entry has no child yet. */
  readonly live: Child | undefined;
  /** Name of its child, which a new one gets. */
  readonly name: string;
  /** Why its entry is not valid: its fields, its template, its values or its cluster. */
  readonly violation: Violation | undefined;
  /** The children that its entry may continue, where that is unclear. */
  readonly candidates: readonly Child[];
  /** Another holder of its release, as text for people. */
  readonly owner: string | undefined;
  /** A missing object that its entry refers to, as a sentence. */
  readonly missing: string | undefined;
  /** The HelmChart that the engine made for its child. */
  readonly chart: Child | undefined;
  /** The source that was made for the inline one of its child. */
  readonly source: Child | undefined;
}

/** A destination of an entry. */
export interface EntryDestination extends Destination {
  readonly entry: Entry;
}

/** A child that no entry matches. */
export interface Leftover extends Destination {
  readonly entry: undefined;
  readonly live: Child;
}

/** The children at one target, and who is about to create one. */
export interface TargetFacts {
  /** All children with this target, owned or not. */
  readonly children: readonly Child[];
  /** Another Application of the same namespace that is about to create a child with this target. */
  readonly claimant: Application | undefined;
}

/** The destinations of an earlier revision on the clusters that there are now. */
export interface EarlierSpec {
  /** With its templates merged. */
  readonly application: Application;
  readonly entries: readonly Entry[];
  /** By the path of an entry. */
  readonly violations: ReadonlyMap<string, Violation>;
}

/** The history of an Application. */
export interface WorldRevisions {
  readonly history: HistoryPlan;
  readonly pins: Pins;
  /** By number: what an earlier revision wants, or why that is not known. */
  readonly earlier: ReadonlyMap<number, EarlierSpec | { readonly problem: string }>;
  /** Why the spec is no revision yet: what has an earlier one keeps it. */
  readonly waits?: string | undefined;
  /** Why the revision that the spec is could not be kept: nothing is written of it. */
  readonly unkept?: string | undefined;
}

/** The wishes of an Application that is valid as a whole, with its templates merged. */
export type Wanted = Pick<Resolved, 'application' | 'inUse' | 'sources' | 'warning'> &
  Pick<Valid, 'selections' | 'warnings' | 'choices'>;

/**
 * Everything that decides about an Application, read at one moment. It has no functions: it can be printed, compared
 * and made up.
 */
export interface World {
  /** As the API server has it. */
  readonly application: Application;
  /** Or why it is invalid as a whole. */
  readonly wanted: Wanted | { readonly violation: Violation };
  /** Those of entries in their order, then the children without one by name. */
  readonly destinations: readonly Destination[];
  /** Children of this very Application. */
  readonly owned: readonly Child[];
  /** Children that an entry may adopt; they must not be deleted. */
  readonly adoptable: readonly Child[];
  /** False until all caches of children are synced: what looks unwanted may only be incomplete. */
  readonly complete: boolean;
  readonly clusters: ClusterIndex;
  /** Why clusters may be missing, as sentences; empty: none is. */
  readonly lost: readonly string[];
  /** By the index values of the targets of the entries, also at earlier revisions. */
  readonly targets: ReadonlyMap<string, TargetFacts>;
  /** The target that a child of these was last seen to apply; absent: none was seen. */
  readonly proven: ReadonlyMap<Child, string>;
  /** Since when children have been about to leave or to move, by `fateText`, in epoch milliseconds. */
  readonly unmatchedSince: ReadonlyMap<string, number>;
  /** How long a cluster must not match before its release is removed. */
  readonly delayMs: number;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Flux reconciles the children. */
  readonly isEngineExternal: boolean;
  /** Undefined: none are kept. */
  readonly revisions: WorldRevisions | undefined;
  /** The sources that do not exist. */
  readonly missingSources: Violation | undefined;
  /** Sources outside of the watched namespace, as a sentence. */
  readonly unwatched: string | undefined;
}

/** True for a destination of an entry. */
export function isOfEntry(destination: Destination): destination is EntryDestination {
  return destination.entry !== undefined;
}

/** True for a child that no entry matches. */
export function isLeftover(destination: Destination): destination is Leftover {
  return destination.entry === undefined;
}
