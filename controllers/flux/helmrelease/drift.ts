import uniqBy from 'lodash/uniqBy.js';
import type { ResourceType, Unstructured } from '../../../api/meta.js';
import { countDifferences } from '../../engine/drift/difference.js';
import { correctDrift, detectDrift, type Drift, type Ignored } from '../../engine/drift/drift.js';
import { compileSelector } from '../../engine/drift/selector.js';
import { parseInventoryEntry } from '../../engine/apply/inventory.js';
import type { ApplyRequest, InventoryEntry, ObjectFailure } from '../../engine/apply/types.js';
import { TerminalError, TransientError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { isInterruption, reasonText } from '../shared/failure.js';
import { FIELD_MANAGER, type ActionContext } from './actions/context.js';
import { isUnknownKind, withNamespaces } from '../shared/objects.js';
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

function requestFor(context: ActionContext): Omit<ApplyRequest, 'objects'> {
  const { member, namespace, signal } = context;
  return { member, fieldManager: FIELD_MANAGER, defaultNamespace: namespace, signal };
}

function textOf(failures: readonly ObjectFailure[]): string {
  return failures.map(({ subject, error }) => `${subject}: ${reasonText(error)}`).join('; ');
}

function refuseInterruption(failures: readonly ObjectFailure[]): void {
  const interruption = failures.find(({ error }) => isInterruption(error));
  if (interruption !== undefined) throw interruption.error;
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
  const { drifts, failures } = await detectDrift({ ...requestFor(context), objects }, ignored);
  refuseInterruption(failures);
  if (failures.length > 0) {
    const problem = `cannot compare live objects with the release: ${textOf(failures)}`;
    if (drifts.length === 0) throw new TransientError(problem, { reason: 'StateError' });
    context.log.warn({ err: problem, releaseName: context.releaseName }, 'drift is only partly known');
  }
  const drifted = drifts.map(({ subject, live, operations }) => ({
    subject,
    count: live === undefined ? undefined : countDifferences(operations),
  }));
  return { drifts, drifted, ignored };
}

/** What a correction changed, and what it could not. */
interface Correction {
  /** One line for each object, as messages show it. */
  readonly done: readonly string[];
  readonly problem: string | undefined;
}

/** Applies what drifted. Throws what ends a pass. */
async function correctCluster(context: ActionContext, state: ClusterState): Promise<Correction> {
  const { changes, failures } = await correctDrift(requestFor(context), state.drifts, state.ignored);
  refuseInterruption(failures);
  const done = changes
    .filter(({ action }) => action !== 'unchanged')
    .map(({ subject, action }) => `${subject} ${action}`);
  return { done, problem: failures.length === 0 ? undefined : textOf(failures) };
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
  pass.host.events.record(pass.release, 'Warning', 'DriftDetected', message);
  status.current = drifted(status.current, pass.statusContext, message);
  return cluster;
}

/** Brings live objects back; what could not be stays said in the status. Throws what ends a pass. */
export async function correct(pass: ReleasePass, cluster: ClusterState): Promise<void> {
  const { host, release, context, status, statusContext } = pass;
  const latest = status.current.history?.[0];
  if (latest === undefined) return;
  await requireFresh(pass, context.signal);
  const { done, problem } = await correctCluster(context, cluster);
  const message = correctionMessage(latest, done, problem);
  if (problem === undefined) {
    if (done.length > 0) host.events.record(release, 'Normal', 'DriftCorrected', message);
    status.current = notDrifted(status.current, statusContext, release.spec);
    return;
  }
  host.events.record(release, 'Warning', 'DriftCorrectionFailed', message);
  status.current = drifted(status.current, statusContext, message);
}

async function typesOf({ member, signal }: ActionContext, entries: readonly InventoryEntry[]): Promise<ResourceType[]> {
  const targets = entries.flatMap((entry) => parseInventoryEntry(entry) ?? []);
  const kinds = uniqBy(targets, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const types = kinds.map(async ({ apiVersion, kind }) => {
    try {
      return [await member.resourceType(apiVersion, kind, { signal })];
    } catch (error: unknown) {
      if (!isUnknownKind(error)) throw error;
      return [];
    }
  });
  return (await Promise.all(types)).flat();
}

/**
 * Has the kinds of a release's objects watched while it looks for drift. True when a watch is new to the release: what
 * changed before shows only in a comparison.
 */
export async function keepWatched({ host, release, context, status }: ReleasePass): Promise<boolean> {
  const { managed } = host;
  if (managed === undefined) return false;
  const owner = keyOf(release.metadata);
  // A watch takes all namespaces, which a tenant's account may not read: its drift is noticed by the interval.
  const isTenants = serviceAccountOf(release, host.settings.defaultServiceAccount) !== undefined;
  if (looksForDrift(release.spec) && !isTenants) {
    return managed.keep(owner, context.member, await typesOf(context, status.current.inventory?.entries ?? []));
  }
  managed.drop(owner);
  return false;
}
