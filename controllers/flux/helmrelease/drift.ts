import type { Unstructured } from '#api/meta.js';
import { countDifferences } from '../../engine/drift/difference.js';
import type { Drift, Ignored } from '../../engine/drift/drift.js';
import { compileSelector } from '../../engine/drift/selector.js';
import { TerminalError, TransientError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { correctObjects, observeDrift, watchInventory } from '../shared/drift.js';
import { reasonText } from '../shared/failure.js';
import type { ActionContext } from './actions/context.js';
import { withNamespaces } from '../shared/objects.js';
import {
  correctionMessage,
  drifted,
  driftMessage,
  looksForDrift,
  notDrifted,
  optsOut,
  type DriftedObject,
} from './model/drift.js';
import { objectsOfRelease } from './read-rendered.js';
import { withOwnership } from './model/ownership.js';
import { serviceAccountOf } from '../shared/model/service-account.js';
import type { StateFinding } from './model/state.js';
import type { HelmRelease, HelmReleaseSpec } from './model/types.js';
import { requireFresh, type ReleasePass } from './release-pass.js';

/** What live objects of a release are compared with, and what they are. */
export interface ClusterState {
  readonly drifts: readonly Drift[];
  /** The same in the model's words. */
  readonly drifted: readonly DriftedObject[];
  readonly ignored: Ignored;
}

function ignoreRules({ driftDetection }: HelmReleaseSpec): Ignored {
  const rules = (driftDetection?.ignore ?? []).map(({ paths, target }, index) => {
    try {
      return { paths, isMeant: compileSelector(target) };
    } catch (error: unknown) {
      const field = `spec.driftDetection.ignore[${index}].target`;
      throw new TerminalError('ReconcileError', `${field}: ${reasonText(error)}: correct it, or remove the rule`);
    }
  });
  return (object) => {
    if (optsOut(object.metadata)) return undefined;
    return rules.filter(({ isMeant }) => isMeant(object)).flatMap(({ paths }) => paths);
  };
}

/** Throws TerminalError naming a rule that cannot be read, before anything is done by the rest of the spec. */
export function refuseWrongRules(spec: HelmReleaseSpec): void {
  if (looksForDrift(spec)) ignoreRules(spec);
}

async function storedObjects(context: ActionContext, version: number): Promise<Unstructured[]> {
  const stored = await context.storage.read(version);
  const objects = (await objectsOfRelease(stored?.record.manifest ?? '')).map((object) =>
    withOwnership(object, context),
  );
  return withNamespaces(context, objects);
}

/**
 * Compares the live objects of revision `version` with its manifest; undefined when the release does not ask for it.
 * Writes nothing. Throws TransientError `StateError` when no difference was seen and some objects could not be
 * compared.
 */
async function observeCluster(
  context: ActionContext,
  { spec }: HelmRelease,
  version: number,
): Promise<ClusterState | undefined> {
  if (!looksForDrift(spec)) return undefined;
  const ignored = ignoreRules(spec);
  const objects = await storedObjects(context, version);
  const { drifts, problem } = await observeDrift(context, objects, ignored);
  if (problem !== undefined) {
    const text = `cannot compare live objects with the release: ${problem}`;
    if (drifts.length === 0) throw new TransientError(text, { reason: 'StateError' });
    context.log.warn({ err: text, releaseName: context.releaseName }, 'drift could only be checked partly');
  }
  const drifted = drifts.map(({ subject, live, operations }) => ({
    subject,
    count: live === undefined ? undefined : countDifferences(operations),
  }));
  return { drifts, drifted, ignored };
}

/**
 * Compares the live objects of a release that is as wanted otherwise. A difference is said in an event and in the
 * status; undefined without one.
 */
export async function lookAtCluster(pass: ReleasePass, { state }: StateFinding): Promise<ClusterState | undefined> {
  const { status } = pass;
  const latest = status.current.history?.[0];
  if (state !== 'InSync' || latest === undefined) return undefined;
  const cluster = await observeCluster(pass.context, pass.release, latest.version);
  if (cluster === undefined || cluster.drifted.length === 0) return undefined;
  const message = driftMessage(latest, cluster.drifted);
  pass.deps.events.record(pass.release, 'Warning', 'DriftDetected', message);
  status.current = drifted(status.current, pass.statusContext, message);
  return cluster;
}

/** Brings live objects back; what could not be stays said in the status. Throws what ends a pass. */
export async function correct(pass: ReleasePass, cluster: ClusterState): Promise<void> {
  const { deps, release, context, status, statusContext } = pass;
  const latest = status.current.history?.[0];
  if (latest === undefined) return;
  await requireFresh(pass, context.signal);
  const { done, problem } = await correctObjects(context, cluster.drifts, cluster.ignored);
  const message = correctionMessage(latest, done, problem);
  if (problem === undefined) {
    if (done.length > 0) deps.events.record(release, 'Normal', 'DriftCorrected', message);
    status.current = notDrifted(status.current, statusContext, release.spec);
    return;
  }
  deps.events.record(release, 'Warning', 'DriftCorrectionFailed', message);
  status.current = drifted(status.current, statusContext, message);
}

/**
 * Has the kinds of a release's objects watched while it looks for drift. True when a watch is new to the release: what
 * changed before shows only in a comparison.
 */
export async function keepWatched({ deps, release, context, status }: ReleasePass): Promise<boolean> {
  const { managed } = deps;
  if (managed === undefined) return false;
  const owner = keyOf(release.metadata);
  // A watch takes all namespaces, which a tenant's account may not read: its drift is noticed by the interval.
  const isTenants = serviceAccountOf(release, deps.settings.defaultServiceAccount) !== undefined;
  if (looksForDrift(release.spec) && !isTenants) {
    return watchInventory(context, managed, { owner, entries: status.current.inventory?.entries ?? [] });
  }
  managed.drop(owner);
  return false;
}
