import { isPending, type ReleaseStatus } from './release.js';
import type { Snapshot } from './snapshot.js';

/** What a release is, compared with what its HelmRelease asks for. First match wins, in this order. */
export type ReleaseState =
  'Absent' | 'Locked' | 'Unmanaged' | 'Failed' | 'OutOfSync' | 'Untested' | 'Drifted' | 'InSync';

/** Everything that the state is decided from: storage, our own memory in status, and the wish. */
export interface StateFacts {
  /** The newest revision in Helm's storage. */
  readonly last: { readonly version: number; readonly status: ReleaseStatus } | undefined;
  /** Newest first: what our own last actions left. */
  readonly history: readonly Snapshot[];
  readonly desired: {
    readonly chartName: string;
    readonly chartVersion: string;
    readonly configDigest: string;
    /** Digest of what is put on every object beside the chart's own labels. */
    readonly metadataDigest: string | undefined;
    /** Digest of the post renderers. */
    readonly postRenderersDigest?: string | undefined;
  };
  /** `status.observedCommonMetadataDigest`; not looked at while the spec is known to run. */
  readonly observedMetadataDigest: string | undefined;
  /** `status.observedPostRenderersDigest`, likewise. */
  readonly observedPostRenderersDigest?: string | undefined;
  /** See `isReadyFor`, of the status with which the pass began. */
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
 * The state of a release; never throws. Source: Flux's release states. A revision that is not the one we remember
 * (someone ran helm by hand, or our memory was lost) is Unmanaged.
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
