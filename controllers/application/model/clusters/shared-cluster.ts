import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import { backendOf } from '../backends/index.js';
import { releaseKeyText } from '../identity.js';
import type { Child, Entry, Violation } from '../types.js';
import { replacementOf, type IdentityView } from './replaced.js';

/** Paths in a message that each of thousands of entries may have. */
const NAMED = 5;

interface Claim {
  readonly entry: Entry;
  readonly live: Child | undefined;
  /** UID of the cluster that answers. */
  readonly uid: string;
}

/** What an entry claims on the cluster that answers; undefined: it is unknown, or not the one that its child is for. */
function claimOf(entry: Entry, live: Child | undefined, clusters: IdentityView): Claim | undefined {
  const uid = entry.cluster && clusters.uidOf(clusterIdText(entry.cluster.id));
  if (uid === undefined || (live !== undefined && replacementOf(live, clusters) !== undefined)) return undefined;
  return { entry, live, uid };
}

/** The claims that keep their releases: those with a child, unless it was made for another cluster than others. */
function keepersOf(claims: readonly Claim[]): readonly Claim[] {
  const holders = claims.filter(({ live }) => live !== undefined);
  const first = holders.filter(({ live, uid }) => live !== undefined && (recordedUid(live) ?? uid) === uid);
  return first.length > 0 ? first : holders;
}

function violationOf(claims: readonly Claim[], uid: string): Violation {
  const paths = listed(
    claims.map(({ entry }) => entry.path),
    NAMED,
  );
  const [first] = claims;
  const what = first === undefined ? '' : backendOf(first.entry.release).describeDuplicate(first.entry);
  const message = `${paths} define the same ${what}; these are names of one cluster, with the UID ${uid} of namespace kube-system`;
  return { reason: 'DuplicateDestination', message };
}

/**
 * The entries whose release another entry defines on the same cluster under another name of it, by the UID that both
 * answer with. Those that have a child keep it. Never throws.
 */
export function sharedClusters(
  entries: readonly Entry[],
  childOf: ReadonlyMap<Entry, Child>,
  clusters: IdentityView,
): ReadonlyMap<Entry, Violation> {
  const groups = new Map<string, Claim[]>();
  for (const entry of entries) {
    const claim = claimOf(entry, childOf.get(entry), clusters);
    if (claim === undefined) continue;
    const key = releaseKeyText({ ...entry.release, cluster: claim.uid });
    groups.set(key, [...(groups.get(key) ?? []), claim]);
  }
  const shared = [...groups.values()].filter(
    (claims) => new Set(claims.map(({ entry }) => entry.release.cluster)).size > 1,
  );
  return new Map(
    shared.flatMap((claims) => {
      const keepers = keepersOf(claims);
      const violation = violationOf(claims, claims[0]?.uid ?? '');
      return claims.filter((claim) => !keepers.includes(claim)).map(({ entry }) => [entry, violation] as const);
    }),
  );
}
