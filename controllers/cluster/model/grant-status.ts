import type { ClusterGrant, ClusterGrantStatus } from '#api/v1alpha1/cluster-grant.js';
import type { ClusterGrantReason } from '#api/v1alpha1/conditions.js';
import { setCondition, timestamp, withoutConditions } from '#lib/kube/conditions.js';
import { listed } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import type { Cluster } from './cluster.js';
import { grantedCredential, grantViolation, rightsText, type GrantViolation } from './grant.js';

/** The object stays small, however many clusters a selector matches. */
const MAX_CLUSTERS = 100;
const MAX_FAILURES = 3;
const MAX_NAMES = 3;

/** What the status of a grant follows from. */
export interface ObservedGrant {
  readonly grant: ClusterGrant;
  readonly clusters: readonly Cluster[];
  readonly namespaces: readonly string[];
  /** Names of earlier grants for some of the same clusters and namespaces. */
  readonly precededBy: readonly string[];
  /** Clusters and namespaces that are named, and do not exist. */
  readonly missing: readonly string[];
  /** Why kubeconfigs could not be made. */
  readonly failures: readonly string[];
  /** Why clusters may be missing, each as a sentence. */
  readonly lost: readonly string[];
}

type Finding = Omit<GrantViolation, 'reason'> & {
  readonly reason: ClusterGrantReason;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly isStalled?: boolean;
};

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The fields that match nothing, each with the way out. */
function emptyFields({ clusters, namespaces }: ObservedGrant): string[] {
  return Object.entries({ cluster: clusters, namespace: namespaces }).flatMap(([what, found]) => {
    if (found.length > 0) return [];
    const field = `spec.${what}s`;
    return [`${field} matches no ${what}, so nothing is granted: correct ${field}.names or ${field}.selector`];
  });
}

/** Clusters that could not be read may be granted. */
function ofNothing(observed: ObservedGrant): Finding['status'] {
  return observed.namespaces.length > 0 && observed.lost.length > 0 ? 'Unknown' : 'False';
}

function findingOf(observed: ObservedGrant): Finding {
  const { grant, clusters, namespaces, precededBy, failures, lost, missing } = observed;
  const violation = grantViolation(grant);
  if (violation !== undefined) return { ...violation, status: 'False', isStalled: true };
  if (failures.length > 0) {
    const more = failures.length > MAX_FAILURES ? `; and ${failures.length - MAX_FAILURES} more` : '';
    const message = `${failures.slice(0, MAX_FAILURES).join('; ')}${more}`;
    return { status: 'False', reason: 'CredentialFailed', message };
  }
  const first =
    precededBy.length === 0
      ? []
      : [`for some of these a grant decides that comes first by name: ${listed(precededBy, MAX_NAMES)}`];
  const absent = missing.length === 0 ? [] : [`these do not exist: ${listed(missing, MAX_NAMES)}`];
  const empty = emptyFields(observed);
  if (empty.length > 0) {
    const message = [...empty, ...absent, ...lost].join('; ');
    return { status: ofNothing(observed), reason: 'NothingGranted', message };
  }
  const rights = rightsText(grantedCredential(grant.spec));
  const granted = `grants ${counted(clusters.length, 'cluster')} to ${counted(namespaces.length, 'namespace')} ${rights}`;
  return { status: 'True', reason: 'Granted', message: [granted, ...absent, ...first, ...lost].join('; ') };
}

function textOf({ id }: Cluster): string {
  return describeObject(id.kind, id);
}

/** The whole status after a pass. `nowMs` is epoch milliseconds and only used for conditions that change. */
export function grantStatus(observed: ObservedGrant, nowMs: number): ClusterGrantStatus {
  const { metadata, status } = observed.grant;
  const { isStalled = false, ...finding } = findingOf(observed);
  const generation = metadata.generation ?? 0;
  const condition = { ...finding, observedGeneration: generation };
  const now = timestamp(nowMs);
  const ready = setCondition(
    withoutConditions(status?.conditions ?? [], 'Stalled'),
    { ...condition, type: 'Ready' },
    now,
  );
  const stalled = (status?.conditions ?? []).filter(({ type }) => type === 'Stalled');
  const conditions = isStalled
    ? [...ready, ...setCondition(stalled, { ...condition, type: 'Stalled', status: 'True' }, now)]
    : ready;
  // A grant with a violation grants nothing.
  const [clusters, namespaces] = isStalled ? [[], []] : [observed.clusters, observed.namespaces];
  return {
    observedGeneration: generation,
    conditions,
    clusterCount: clusters.length,
    namespaceCount: namespaces.length,
    clusters: clusters.map(textOf).sort().slice(0, MAX_CLUSTERS),
  };
}
