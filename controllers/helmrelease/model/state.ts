import { isPending, type ReleaseStatus } from './release.js';
import type { Snapshot } from './snapshot.js';

/** The state of a release, compared with its HelmRelease. The first match wins, in this order. */
export type ReleaseState =
  'Absent' | 'Locked' | 'Unmanaged' | 'Failed' | 'OutOfSync' | 'Untested' | 'Drifted' | 'InSync';

/** What the state is derived from: storage, the status, and the spec. */
export interface StateFacts {
  /** The newest revision in Helm's storage. */
  readonly last: { readonly version: number; readonly status: ReleaseStatus } | undefined;
  /** Revisions of our own actions, newest first. */
  readonly history: readonly Snapshot[];
  readonly desired: {
    readonly chartName: string;
    readonly chartVersion: string;
    readonly configDigest: string;
    /** Digest of `spec.commonMetadata`. */
    readonly metadataDigest: string | undefined;
    /** Digest of the post renderers. */
    readonly postRenderersDigest?: string | undefined;
  };
  /** `status.observedCommonMetadataDigest`; ignored while the spec is known to be deployed. */
  readonly observedMetadataDigest: string | undefined;
  /** `status.observedPostRenderersDigest`; ignored as above. */
  readonly observedPostRenderersDigest?: string | undefined;
  /** `isReadyFor` of the status at the start of the reconciliation. */
  readonly isKnownToRun: boolean;
  readonly tests: { readonly enabled: boolean; readonly ignoreFailures: boolean };
}

export interface StateFinding {
  readonly state: ReleaseState;
  /** For logs and events: the fact that decided. */
  readonly why: string;
}

function outOfSync({ desired, ...facts }: StateFacts, latest: Snapshot): string | undefined {
  if (latest.chartName !== desired.chartName) return `chart ${latest.chartName} -> ${desired.chartName}`;
  if (latest.chartVersion !== desired.chartVersion) {
    return `chart version ${latest.chartVersion} -> ${desired.chartVersion}`;
  }
  if (latest.configDigest !== desired.configDigest) return 'values changed';
  if (facts.isKnownToRun) return undefined;
  if (facts.observedPostRenderersDigest !== desired.postRenderersDigest) return 'postRenderers changed';
  if (facts.observedMetadataDigest !== desired.metadataDigest) return 'commonMetadata changed';
  return undefined;
}

/** True when a test hook of this revision failed. */
function hasFailedTest(snapshot: Snapshot): boolean {
  return Object.values(snapshot.testHooks ?? {}).some((hook) => hook.phase === 'Failed');
}

function deployedState(facts: StateFacts, latest: Snapshot): StateFinding {
  const difference = outOfSync(facts, latest);
  if (difference !== undefined) return { state: 'OutOfSync', why: difference };
  if (!facts.tests.enabled) return { state: 'InSync', why: 'release matches the desired state' };
  if (latest.testHooks === undefined) return { state: 'Untested', why: 'release has not been tested' };
  if (hasFailedTest(latest) && !facts.tests.ignoreFailures) return { state: 'Failed', why: 'a test hook failed' };
  return { state: 'InSync', why: 'release matches the desired state and is tested' };
}

/**
 * The state of a release; never throws. Source: Flux's release states. A newest revision that is not in the history
 * (helm was run by hand, or the status was lost) is Unmanaged.
 */
export function releaseState(facts: StateFacts): StateFinding {
  const { last } = facts;
  if (last === undefined) return { state: 'Absent', why: 'no release in storage' };
  if (last.status === 'uninstalled') return { state: 'Absent', why: 'release is uninstalled' };
  if (isPending(last.status)) return { state: 'Locked', why: `release is ${last.status}` };
  const [latest] = facts.history;
  if (latest === undefined) return { state: 'Unmanaged', why: 'release was not created by this HelmRelease' };
  if (latest.version !== last.version) {
    return { state: 'Unmanaged', why: `storage has revision ${last.version}, this HelmRelease made ${latest.version}` };
  }
  if (last.status === 'failed') return { state: 'Failed', why: 'last action failed' };
  if (last.status !== 'deployed') return { state: 'Unmanaged', why: `revision ${last.version} is ${last.status}` };
  return deployedState(facts, latest);
}
