import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { KUBECONFIG_SUFFIX } from '#api/cluster/kinds.js';
import type { KubeObject } from '#api/meta.js';
import type { ClusterEvent } from '#api/v1alpha1/conditions.js';
import { backoffDelay } from '#lib/retry/retry.js';
import type { Cluster, ClusterId } from './cluster.js';

/** How a cluster that answers is probed, and for how long one that does not is left alone at most. */
const INTERVAL_MS = 300_000;
/** Of the interval, so that clusters which were found together are not probed together. */
const JITTER = 0.2;
/** A thousand clusters that hang keep five of ten probes busy. */
const BACKOFF = { baseMs: 10_000, capMs: 900_000 };

/** What the last probe of a cluster found. */
export type Reachability = 'Reachable' | 'Unreachable' | 'NoCredential';

/** What is remembered of a cluster between probes. */
export interface Probed {
  readonly reachability: Reachability;
  /** UID that identifies the cluster, the last one that it answered with. */
  readonly uid: string | undefined;
  /** Probes without an answer since the last one. */
  readonly failures: number;
}

/** What a cluster answered. */
export interface Reached {
  readonly server: string;
  /** Undefined: the answer was no version of Kubernetes. */
  readonly version: string | undefined;
  /** UID of its namespace kube-system, which identifies the cluster; undefined: it did not tell. */
  readonly uid: string | undefined;
  /** True: it did not tell, but did not say either that the credential may not read it. */
  readonly mayTellLater?: boolean;
}

/** What one probe found. */
export type Finding =
  | (Reached & { readonly reachability: 'Reachable' })
  | { readonly reachability: 'Unreachable' | 'NoCredential'; readonly message: string };

/** True if a cluster told which one it is, or that it does not tell. */
export function isSettledBy(finding: Finding): finding is Reached & { readonly reachability: 'Reachable' } {
  return finding.reachability === 'Reachable' && finding.mayTellLater !== true;
}

/** An Event on the object of the cluster. */
export interface ProbeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: ClusterEvent;
  readonly message: string;
}

export interface NextProbe {
  readonly probed: Probed;
  readonly events: readonly ProbeEvent[];
  /** Milliseconds until the next probe. */
  readonly afterMs: number;
}

/** The key in the queue: the namespace comes first, because the queue is fair between namespaces. */
export function probeKey({ apiGroup, kind, namespace = '', name }: ClusterId): string {
  return [namespace, apiGroup, kind, name].join('/');
}

/** Inverse of `probeKey`. */
export function probedId(key: string): ClusterId {
  const [namespace = '', apiGroup = '', kind = '', name = ''] = key.split('/');
  // As probeKey wrote it.
  return { apiGroup, kind: kind as ClusterId['kind'], namespace: namespace === '' ? undefined : namespace, name };
}

/** The clusters whose credential may be in a Secret of this name. */
export function clustersOfSecret(namespace: string, name: string): ClusterId[] {
  const own: ClusterId = { apiGroup: '', kind: 'Secret', namespace, name };
  if (!name.endsWith(KUBECONFIG_SUFFIX)) return [own];
  const cluster = name.slice(0, -KUBECONFIG_SUFFIX.length);
  return [own, { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace, name: cluster }];
}

/** True for a cluster that is asked; of one that is being provisioned nothing is expected yet. */
export function isProbed({ credential, readiness }: Cluster): boolean {
  return credential.type !== 'host' && credential.type !== 'none' && readiness.state !== 'NotReady';
}

/** True if a change of a cluster is a reason to probe it; a label is none, however often it changes. */
export function isProbeNews(before: Cluster | undefined, after: Cluster | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  const partOf = ({ credential, readiness }: Cluster): string => JSON.stringify([credential, readiness.state]);
  return partOf(before) !== partOf(after);
}

/**
 * True if after a change it is not known any more which cluster answers, or if that can be asked now: until it has
 * answered, others wait for it.
 */
export function isOutdating(before: Cluster | undefined, after: Cluster | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  const isOther = JSON.stringify(before.credential) !== JSON.stringify(after.credential);
  return isOther || (isProbed(after) && !isProbed(before));
}

/**
 * True if only labels of a Secret were written, as far as its metadata tells: then its kubeconfig is the same. Whoever
 * writes a kubeconfig and labels at once mostly writes an annotation, too.
 */
export function isLabelEdit(before: KubeObject | undefined, after: KubeObject): boolean {
  if (before === undefined || isEqual(before.metadata.labels, after.metadata.labels)) return false;
  const restOf = ({ metadata }: KubeObject): object => omit(metadata, 'labels', 'resourceVersion', 'managedFields');
  return isEqual(restOf(before), restOf(after));
}

function reached(before: Probed | undefined, uid: string | undefined, random: number): NextProbe {
  const events: ProbeEvent[] = [];
  if (before?.reachability === 'Unreachable') {
    events.push({ type: 'Normal', reason: 'ClusterReachable', message: 'the cluster answers again' });
  }
  if (before?.uid !== undefined && uid !== undefined && before.uid !== uid) {
    const message = `its credential leads to another cluster now: the UID of namespace kube-system was ${before.uid} and is ${uid}`;
    events.push({ type: 'Warning', reason: 'ClusterReplaced', message });
  }
  const afterMs = Math.round(INTERVAL_MS * (1 - JITTER * random));
  return { probed: { reachability: 'Reachable', uid: uid ?? before?.uid, failures: 0 }, events, afterMs };
}

/**
 * What a finding means after what is remembered. An Event is a transition between two probes of this process: a restart
 * records none. `random` is in [0, 1).
 */
export function nextProbe(before: Probed | undefined, finding: Finding, random: number): NextProbe {
  if (finding.reachability === 'Reachable') return reached(before, finding.uid, random);
  const failures = (before?.failures ?? 0) + 1;
  const { reachability, message } = finding;
  const isNews = reachability === 'Unreachable' && before?.reachability === 'Reachable';
  return {
    probed: { reachability, uid: before?.uid, failures },
    events: isNews ? [{ type: 'Warning', reason: 'ClusterUnreachable', message }] : [],
    afterMs: backoffDelay(BACKOFF, failures - 1, random),
  };
}
