import type { Application } from '#api/v1alpha1/application.js';
import { readRevisionId, type RevisionId, revisionId } from '#api/v1alpha1/approve-command.js';
import { PIN_ANNOTATION, PIN_CLUSTERS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { childClusterNames, ClusterResolver } from '../child/cluster-names.js';
import { shortened } from '../child/messages.js';
import type { Child, Entry } from '../child/types.js';

const MAX_SHOWN = 60;
/** Each is expanded to all clusters. */
const MAX_PINNED = 5;

/** The revisions that an Application and single clusters are pinned to. */
export interface Pins {
  readonly all: number | undefined;
  /** By the name of the cluster. */
  readonly clusters: ReadonlyMap<string, number>;
  /** The revisions that are named with their digests. */
  readonly digests: readonly RevisionId[];
  /** Why the annotations mean nothing: nothing is changed then. */
  readonly problem: string | undefined;
}

function problemOf(annotation: string, value: string, form: string): string {
  return `annotation ${annotation}: ${JSON.stringify(shortened(value, MAX_SHOWN))} is not ${form}: correct or remove it`;
}

function readClusters(text: string) {
  const clusters = new Map<string, number>();
  const named: RevisionId[] = [];
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, id] = /^\s*([^=\s]+)=(\S+)\s*$/.exec(part) ?? [];
    const found = readRevisionId(id);
    if (name === undefined || found === undefined) {
      return { clusters, named, problem: problemOf(PIN_CLUSTERS_ANNOTATION, part, 'CLUSTER=REVISION') };
    }
    clusters.set(name, found.revision);
    named.push(found);
  }
  return { clusters, named, problem: undefined };
}

/** Reads the pins of an Application. Never throws. */
export function readPins({ metadata: { annotations = {} } }: Application): Pins {
  const { [PIN_ANNOTATION]: text, [PIN_CLUSTERS_ANNOTATION]: perCluster = '' } = annotations;
  const { clusters, named, problem } = readClusters(perCluster);
  const all = readRevisionId(text);
  const count = new Set(clusters.values()).size;
  const junk = text !== undefined && all === undefined ? problemOf(PIN_ANNOTATION, text, 'a revision') : undefined;
  const many = `annotation ${PIN_CLUSTERS_ANNOTATION} names ${count} revisions, of at most ${MAX_PINNED}: pin fewer`;
  const digests = [...(all === undefined ? [] : [all]), ...named].filter(({ digest }) => digest !== undefined);
  return { all: all?.revision, clusters, digests, problem: junk ?? problem ?? (count > MAX_PINNED ? many : undefined) };
}

/**
 * The pins; those to a revision by a digest that it does not have mean nothing. `ids`: number and digest of each
 * revision that is kept.
 */
export function checkedPins(pins: Pins, ids: readonly string[]): Pins {
  const byNumber = new Map(ids.map((id) => [readRevisionId(id)?.revision, id]));
  const wrong = pins.digests.find(({ revision, digest }) => {
    const id = byNumber.get(revision);
    return id !== undefined && id !== revisionId(revision, digest);
  });
  if (pins.problem !== undefined || wrong === undefined) return pins;
  const { revision, digest } = wrong;
  const id = byNumber.get(revision) ?? '';
  const problem = `the pin to revision ${revisionId(revision, digest)} is not for its content, which is ${id}: correct or remove it`;
  return { ...pins, problem };
}

/** A cluster to which pins may be written. */
type Pinnable = Pick<Entry, 'clusterName' | 'names'>;

/**
 * The pins with each cluster under the name that only it has, as entries do. A name that several of these clusters have
 * means nothing, and neither do two names of one cluster with two revisions. `owned`: a cluster that is lost keeps its name
 * as long as it has children. Never throws.
 */
export function resolvedPins(pins: Pins, entries: readonly Pinnable[], owned: readonly Child[]): Pins {
  if (pins.problem !== undefined || pins.clusters.size === 0) return pins;
  const resolver = new ClusterResolver([...entries.map(({ names }) => names), ...owned.map(childClusterNames)]);
  const shown = new Map(entries.map(({ names, clusterName }) => [names.key, clusterName]));
  const clusters = new Map<string, number>();
  for (const [name, revision] of pins.clusters) {
    const found = resolver.find(name);
    if (found !== undefined && 'problem' in found) return { ...pins, problem: clustersProblem(found.problem) };
    const cluster = (found && shown.get(found.key)) ?? name;
    const other = clusters.get(cluster) ?? revision;
    if (other !== revision) {
      const both = `${JSON.stringify(name)} is pinned to revision ${revision} and, by another name, to ${other}: keep one`;
      return { ...pins, problem: clustersProblem(both) };
    }
    clusters.set(cluster, revision);
  }
  return { ...pins, clusters };
}

function clustersProblem(problem: string): string {
  return `annotation ${PIN_CLUSTERS_ANNOTATION}: ${problem}`;
}

/** The revisions that are pinned, each once. */
export function pinnedRevisions({ all, clusters }: Pins): Set<number> {
  return new Set([...clusters.values(), ...(all === undefined ? [] : [all])]);
}

/** Describes the pins for the status; undefined: there are none. */
export function describePins({ all, clusters }: Pins): string | undefined {
  const parts = [
    ...(all === undefined ? [] : [String(all)]),
    ...[...clusters].map(([name, each]) => `${name}=${each}`),
  ];
  return parts.length === 0 ? undefined : shortened(parts.join(', '), 1_000);
}
