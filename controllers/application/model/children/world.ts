import pick from 'lodash/pick.js';
import type { Application } from '#api/v1alpha1/application.js';
import { clusterIdText } from '../../../cluster/model/cluster.js';
import { hasBackend } from '../backends/index.js';
import { clusterIdOf, type ClusterIndex, type ClusterView, indexClusters } from '../child/cluster.js';
import type { Child, Entry, Violation } from '../child/types.js';
import { foundFor } from '../child/verdicts.js';
import { entriesOf } from '../destinations/entries.js';
import { freeChildName, matchChildren, placeText } from '../destinations/identity.js';
import type { Resolved } from '../destinations/template-use.js';
import type { Valid } from '../destinations/validate.js';
import { engineOf } from '../spec/flux-spec.js';
import type { HistoryPlan } from '../spec/history.js';
import { type Pins, resolvedPins } from '../spec/pins.js';
import { type Elapsed, elapsedOf, type ElapsedLookups } from './elapsed.js';
import { type LeftBehind, matchWithOrphans } from './left-behind.js';
import type { Successor } from './successors.js';
import { type TargetFacts, type Targets, targetValueOf } from './same-target.js';

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
  /** It has the release of its entry. */
  readonly leftBehind?: LeftBehind | undefined;
  /** Without an entry: another Application that specifies its release. */
  readonly successor?: Successor | undefined;
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
export interface World extends Elapsed {
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

/** The history of an Application, as it was read; see `WorldRevisions`. */
export interface Revisions extends Pick<WorldRevisions, 'history' | 'pins'> {
  readonly earlier: ReadonlyMap<number, Earlier>;
  /** Milliseconds until the values of earlier revisions are to be made again. */
  readonly retryAfterMs?: number | undefined;
  readonly waits?: string | undefined;
  readonly unkept?: string | undefined;
}

/** The destinations of an earlier revision, or why they are not known. */
export type Earlier = Pick<Valid, 'resolved' | 'entries' | 'violationOf'> | { readonly problem: string };

type Given = 'application' | 'owned' | 'adoptable' | 'complete' | 'delayMs' | 'nowMs' | 'missingSources' | 'unwatched';

/** Look-ups at one moment, of which a world is made. */
export interface Lookups extends Pick<World, Given>, ElapsedLookups {
  /** The result of validating the Application on its own. */
  readonly validation: Valid | { readonly violation: Violation };
  readonly clusters: ClusterView;
  readonly revisions: Revisions | undefined;
  readonly isEngineExternal?: boolean | undefined;
  /** True for names of existing children in the namespace. */
  readonly isTaken: (name: string) => boolean;
  /** Another holder of the release of an entry, as text for people. */
  readonly otherOwnerOf: (entry: Entry) => string | undefined;
  /** Another Application that specifies the release of a child. Default: there is none. */
  readonly successorOf?: (child: Child) => Successor | undefined;
  /** Undefined: nobody else applies anything. */
  readonly targets?: Targets | undefined;
  /** The HelmChart that the engine made for a child. */
  readonly chartOf: (child: Child) => Child | undefined;
  /** The source of a child that was made for an inline one. */
  readonly sourceOf: (child: Child) => Child | undefined;
  /** A missing object that the entry refers to, as a sentence. */
  readonly missingOf: (entry: Entry) => string | undefined;
}

function earlierSpec(earlier: Earlier): EarlierSpec | { readonly problem: string } {
  if ('problem' in earlier) return earlier;
  const { resolved, entries, violationOf } = earlier;
  const violations = entries.flatMap((entry) => {
    const violation = violationOf(entry);
    return violation === undefined ? [] : [[entry.path, violation] as const];
  });
  return { application: resolved.application, entries, violations: new Map(violations) };
}

function revisionsIn({ revisions, owned }: Lookups, destinations: readonly Destination[]): WorldRevisions | undefined {
  if (revisions === undefined) return undefined;
  const { history, earlier, waits, unkept } = revisions;
  const entries = destinations.flatMap(({ entry }) => entry ?? []);
  const pins = resolvedPins(revisions.pins, entries, owned);
  const specs = [...earlier].map(([number, each]) => [number, earlierSpec(each)] as const);
  return { history, pins, waits, unkept, earlier: new Map(specs) };
}

function wantedIn({ validation }: Lookups): World['wanted'] {
  if ('violation' in validation) return { violation: validation.violation };
  return {
    ...pick(validation.resolved, 'application', 'inUse', 'sources', 'warning'),
    ...pick(validation, 'selections', 'warnings', 'choices'),
  };
}

const UNJUDGED = { violation: undefined, candidates: [], owner: undefined };

/** Nothing but its child is known of what no entry matches. */
function leftoverOf(live: Child): Leftover {
  const nothing = { ...UNJUDGED, missing: undefined, chart: undefined, source: undefined };
  return { ...nothing, entry: undefined, live, name: live.metadata.name };
}

function stated(entry: Entry, live: Child | undefined, lookups: Lookups): EntryDestination {
  const { application, isTaken, missingOf, chartOf, sourceOf } = lookups;
  return {
    ...UNJUDGED,
    entry,
    live,
    name: live?.metadata.name ?? freeChildName([application.metadata.name, entry.key], entry.release, isTaken),
    missing: missingOf(entry),
    chart: live && chartOf(live),
    source: live && sourceOf(live),
  };
}

/** The entries of an Application that is invalid as a whole are only reported. */
function statedDestinations(lookups: Lookups): Destination[] {
  const { application, owned, clusters } = lookups;
  const entries = hasBackend(engineOf(application)) ? entriesOf(application, clusters) : [];
  const { childOf, unmatched } = matchChildren(entries, owned);
  return [...entries.map((entry) => stated(entry, childOf.get(entry), lookups)), ...unmatched.map(leftoverOf)];
}

function destinationsIn(lookups: Lookups): Destination[] {
  const { validation, owned, adoptable, otherOwnerOf } = lookups;
  if ('violation' in validation) return statedDestinations(lookups);
  const { entries, violationOf } = validation;
  const matching = matchWithOrphans(validation.resolved.application, entries, [...owned, ...adoptable]);
  const { childOf, unclear, unmatched, leftBehind } = matching;
  const own = new Set(owned);
  const judged = entries.map((entry) => ({
    ...stated(entry, childOf.get(entry), lookups),
    violation: violationOf(entry),
    candidates: unclear.get(entry) ?? [],
    owner: otherOwnerOf(entry),
    leftBehind: leftBehind.get(entry),
  }));
  const leftovers = unmatched.filter((child) => own.has(child));
  return [...judged, ...leftovers.map((child) => ({ ...leftoverOf(child), successor: lookups.successorOf?.(child) }))];
}

/** The index values of the targets that destinations have or may get. */
function targetValuesOf(
  { validation }: Lookups,
  destinations: readonly Destination[],
  revisions: WorldRevisions | undefined,
): ReadonlySet<string> {
  if ('violation' in validation) return new Set();
  const earlier = [...(revisions?.earlier.values() ?? [])].flatMap((each) => ('problem' in each ? [] : [each]));
  const byPlace = earlier.map(({ application, entries }) => {
    return { application, entries: new Map(entries.map((entry) => [placeText(entry), entry])) };
  });
  const values = new Set<string>();
  for (const { entry, live } of destinations) {
    if (entry === undefined) continue;
    values.add(targetValueOf(validation.resolved.application, entry, live));
    for (const { application, entries } of byPlace) {
      const before = entries.get(placeText(entry));
      if (before !== undefined) values.add(targetValueOf(application, before, live));
    }
  }
  return values;
}

function targetsIn({ targets }: Lookups, values: Iterable<string>): Pick<World, 'targets' | 'proven'> {
  if (targets === undefined) return { targets: new Map(), proven: new Map() };
  const found = [...values].map((value) => {
    return [value, { children: targets.childrenAt(value), claimant: targets.claimantOf(value) }] as const;
  });
  const children = new Set(found.flatMap(([, facts]) => facts.children));
  return { targets: new Map(found), proven: foundFor(children, (child) => targets.provenOf?.(child)) };
}

function clusterIds(destinations: readonly Destination[], { owned, adoptable }: Lookups): string[] {
  const entries = destinations.flatMap(({ entry }) => (entry?.cluster === undefined ? [] : [entry.cluster.id]));
  const children = [...owned, ...adoptable].flatMap((child) => clusterIdOf(child) ?? []);
  return [...entries.map(clusterIdText), ...children];
}

/** The world by these look-ups. */
export function worldOf(lookups: Lookups): World {
  const { application, owned, adoptable, complete, delayMs, nowMs, missingSources, unwatched, clusters } = lookups;
  const destinations = destinationsIn(lookups);
  const revisions = revisionsIn(lookups, destinations);
  const { namespace = '' } = application.metadata;
  return Object.freeze({
    ...{ application, owned, adoptable, complete, delayMs, nowMs, missingSources, unwatched },
    wanted: wantedIn(lookups),
    destinations,
    clusters: indexClusters(clusters, clusterIds(destinations, lookups), namespace),
    lost: clusters.lost,
    ...targetsIn(lookups, targetValuesOf(lookups, destinations, revisions)),
    ...elapsedOf(lookups, nowMs),
    isEngineExternal: lookups.isEngineExternal === true,
    revisions,
  });
}
