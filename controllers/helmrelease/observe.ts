import type { Unstructured } from '#api/meta.js';
import { countDifferences } from '#engine/drift/difference.js';
import type { Ignored } from '#engine/drift/compare-object.js';
import type { Drift } from '#engine/drift/drift.js';
import { TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { observeDrift, watchesFor, watchInventory } from '#engine/flux/drift.js';
import { withNamespaces } from '#engine/flux/objects.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { requireFreshRead } from '#engine/flux/fresh.js';
import { isReadyFor } from '#engine/flux/model/conclusion.js';
import type { ActionContext } from './actions/context.js';
import { ignoreRules } from './validate.js';
import { looksForDrift, type DriftedObject } from './model/drift.js';
import { objectsOfRelease } from './stored-objects.js';
import { withOwnership } from './model/ownership.js';
import type { HelmRelease } from './model/types.js';
import type { ReleasePass } from './prepare.js';
import { claimedRevisions, claimRelease } from './claim.js';
import { momentOf, type Pass } from './pass.js';
import type { Observed, Progress } from './model/decide.js';
import { commonMetadataDigest, postRenderersDigest } from './model/observed-digests.js';
import { isToStay, type Look, type Missing } from './model/missing.js';
import { findMissingObjects } from './missing.js';
import { lastRevision, type StoredRevision } from './model/release.js';
import { activeRemediation } from './model/remediation.js';
import { releaseState, type StateFinding } from './model/state.js';

/** Live objects that differ from the release. */
export interface DriftedObjects {
  readonly drifts: readonly Drift[];
  /** The same in the model's words. */
  readonly drifted: readonly DriftedObject[];
  readonly ignored: Ignored;
}

async function storedObjects(context: ActionContext, version: number): Promise<Unstructured[]> {
  const stored = await context.storage.read(version);
  const objects = (await objectsOfRelease(context, stored?.record.manifest ?? '', version)).map((object) =>
    withOwnership(object, context),
  );
  return withNamespaces(context, objects);
}

/** Objects of the release that were deleted, as far as drift detection does not look for them already. */
async function lookForMissing(pass: ReleasePass, differences: DriftedObjects | undefined): Promise<Look | undefined> {
  if (differences === undefined) return looksForDrift(pass.release.spec) ? undefined : findMissingObjects(pass);
  const gone = differences.drifts.filter(({ live, object }) => live === undefined && isToStay(object));
  return { subjects: gone.map(({ subject }) => pass.context.secrets.mask(subject)), unknown: 0 };
}

/** The same, with what was seen before. */
async function observeMissing(
  pass: ReleasePass,
  differences: DriftedObjects | undefined,
): Promise<Missing | undefined> {
  const look = await lookForMissing(pass, differences);
  const { release, firstMissed, settings, now } = pass;
  const timing = { nowMs: now(), settleMs: settings.dependencyRequeueMs };
  return look && firstMissed.settled(release.metadata.uid ?? '', look, timing);
}

/**
 * Compares the live objects of revision `version` with its manifest; undefined when the release does not ask for it.
 * Writes nothing. Throws TransientError `StateError` when no difference was seen and some objects could not be
 * compared.
 */
async function compareObjects(
  context: ActionContext,
  { spec }: HelmRelease,
  version: number,
): Promise<DriftedObjects | undefined> {
  if (!looksForDrift(spec)) return undefined;
  const ignored = ignoreRules(spec);
  const objects = await storedObjects(context, version);
  const { drifts, problem } = await observeDrift(context, objects, ignored);
  if (problem !== undefined) {
    const text = context.secrets.mask(`cannot compare live objects with the release: ${problem}`);
    if (drifts.length === 0) throw new TransientError(text, { reason: 'StateError' });
    context.log.warn({ err: text, releaseName: context.releaseName }, 'drift could only be checked partly');
  }
  const drifted = drifts.map(({ subject, live, operations }) => ({
    subject: context.secrets.mask(subject),
    count: live === undefined ? undefined : countDifferences(operations),
  }));
  return { drifts, drifted, ignored };
}

/** The objects of the newest revision that differ from it; undefined without a revision, or without drift detection. */
async function observeDrifted({ context, release, status }: ReleasePass): Promise<DriftedObjects | undefined> {
  const latest = status.current.history?.[0];
  return latest === undefined ? undefined : compareObjects(context, release, latest.version);
}

/**
 * Watches the kinds of a release's objects; without drift detection, only for deletions. True when a watch is new to the release: it
 * reports no earlier change.
 */
async function watchObjects(pass: ReleasePass): Promise<boolean> {
  const { release, context, status } = pass;
  const owner = keyOf(release.metadata);
  const managed = watchesFor(pass, release);
  if (managed !== undefined) {
    const onlyDeletions = !looksForDrift(release.spec);
    return watchInventory(context, managed, { owner, entries: status.current.inventory?.entries ?? [], onlyDeletions });
  }
  pass.managed?.drop(owner);
  return false;
}

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

/**
 * Observes the release in storage and, if it is in sync, its live objects. Writes nothing but a label: see
 * `claimedRevisions`.
 */
export async function observe(pass: ReleasePass, progress: Progress): Promise<ObservedRelease> {
  const { release, inputs } = pass;
  const revisions = await claimedRevisions(pass);
  const last = lastRevision(revisions);
  const takenFrom = await claimRelease(pass, last);
  const finding = findingOf(pass, last);
  const isInSync = finding.state === 'InSync';
  const isNewlyWatched = isInSync && (await watchObjects(pass));
  // An action has just applied every object.
  const differences = isInSync && progress.actions.length === 0 ? await observeDrifted(pass) : undefined;
  const { configDigest } = inputs;
  const missing = isInSync && progress.actions.length === 0 ? await observeMissing(pass, differences) : undefined;
  const drifted = differences?.drifted ?? [];
  // Last: a report that is due may have changed the status meanwhile.
  const [status, moment] = [pass.status.current, momentOf(pass)];
  const found = { revisions, takenFrom, finding, drifted, missing, differences, isNewlyWatched };
  return { release, status, moment, configDigest, ...found, progress };
}
