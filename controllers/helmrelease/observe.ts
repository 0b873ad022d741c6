import { helmReleaseResource } from '#api/flux/helm-release.js';
import { requireFreshRead } from '#engine/flux/fresh.js';
import { isReadyFor } from '#engine/flux/model/conclusion.js';
import { claimRelease } from './claim.js';
import { type Pass, momentOf } from './pass.js';
import { observeDrifted, watchObjects, type DriftedObjects } from './drift.js';
import type { Observed, Progress } from './model/decide.js';
import { commonMetadataDigest, postRenderersDigest } from './model/observed-digests.js';
import { lastRevision, type StoredRevision } from './model/release.js';
import { activeRemediation } from './model/remediation.js';
import { releaseState, type StateFinding } from './model/state.js';
import type { ReleasePass } from './prepare.js';

/** Before the first action of a reconciliation. Throws StaleReadError. */
export function requireFresh({ kube, release, status, signal }: Pass): Promise<void> {
  return requireFreshRead({ kube, type: helmReleaseResource, object: release, status }, signal);
}

function findingOf({ release, inputs, status }: ReleasePass, last: StoredRevision | undefined): StateFinding {
  const { current } = status;
  const { metadata } = inputs.chart;
  const active = activeRemediation({ spec: release.spec, status: current });
  return releaseState({
    last,
    history: current.history ?? [],
    desired: {
      chartName: metadata.name,
      chartVersion: metadata.version,
      configDigest: inputs.configDigest,
      metadataDigest: commonMetadataDigest(release.spec),
      postRenderersDigest: postRenderersDigest(release.spec),
    },
    observedMetadataDigest: current.observedCommonMetadataDigest,
    observedPostRenderersDigest: current.observedPostRenderersDigest,
    isKnownToRun: isReadyFor(release.status, release.metadata.generation),
    tests: {
      enabled: release.spec.test?.enable === true,
      // Before our first action there is nothing to remediate.
      ignoreFailures: active?.ignoreTestFailures ?? true,
    },
  });
}

/** What is observed, and how the objects that differ can be corrected. */
export interface ObservedRelease extends Observed {
  readonly differences: DriftedObjects | undefined;
}

/** Observes the release in storage and, if it is in sync, its live objects. Writes nothing. */
export async function observe(pass: ReleasePass, progress: Progress): Promise<ObservedRelease> {
  const { release, context, inputs } = pass;
  const revisions = await context.storage.revisions();
  const last = lastRevision(revisions);
  const takenFrom = await claimRelease(pass, last);
  const finding = findingOf(pass, last);
  const isInSync = finding.state === 'InSync';
  const isNewlyWatched = isInSync && (await watchObjects(pass));
  // An action has just applied every object.
  const differences = isInSync && progress.actions.length === 0 ? await observeDrifted(pass) : undefined;
  const { configDigest } = inputs;
  const drifted = differences?.drifted ?? [];
  // Last: a report that is due may have changed the status meanwhile.
  const [status, moment] = [pass.status.current, momentOf(pass)];
  const found = { revisions, takenFrom, finding, drifted, differences, isNewlyWatched };
  return { release, status, moment, configDigest, ...found, progress };
}
