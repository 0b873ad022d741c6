import omit from 'lodash/omit.js';
import pLimit from 'p-limit';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { TerminalError } from '#lib/errors.js';
import { waitForHealthy } from '../health/wait.js';
import { groupKindOf, inventoryId, subjectOf, targetOf } from '../member/model/inventory.js';
import { applyObject } from './apply-object.js';
import { definedKinds, isCrd } from './model/crd.js';
import { applyStages } from './order.js';
import { resolveType, expectKinds } from './resolve-type.js';
import type { ApplyRequest, ChangeSet, ObjectChange } from './types.js';
import { recordFailure, type Failures } from '../member/member-failure.js';

const PARALLEL = 8;
const CRD_LIMIT_MS = 60_000;

/** What a batch has done so far. */
interface Progress extends Failures {
  readonly changes: ObjectChange[];
  /** `group/Kind` of the CRDs in this batch. */
  readonly ownKinds: ReadonlySet<string>;
}

/** The object as the server accepts it: with a namespace if and only if its kind is namespaced. */
function placed(object: Unstructured, type: ResourceType, defaultNamespace: string): Unstructured {
  const { namespace, ...metadata } = omit(object.metadata, 'managedFields');
  if (!type.namespaced) return { ...object, metadata };
  // Null, too, where it comes from YAML.
  const own = (namespace ?? '') === '' ? defaultNamespace : namespace;
  return { ...object, metadata: { ...metadata, namespace: own } };
}

function assertObject({ apiVersion, kind, metadata }: Partial<Unstructured>): void {
  const parts = { apiVersion, kind, 'metadata.name': metadata?.name };
  const missing = Object.entries(parts).flatMap(([field, value]) => (value ? [] : [field]));
  if (missing.length === 0) return;
  const subject = `${kind ?? 'object'}/${metadata?.name ?? '?'}`;
  throw new TerminalError('InvalidManifest', `${subject} has no ${missing.join(' and no ')}`);
}

async function applyNext(request: ApplyRequest, object: Unstructured, progress: Progress): Promise<void> {
  if (progress.stopped) return;
  let subject = `${object.kind}/?`;
  try {
    assertObject(object);
    subject = subjectOf(targetOf(object));
    const isArriving = progress.ownKinds.has(groupKindOf(object));
    const type = await resolveType(request, object, isArriving);
    const wanted = placed(object, type, request.defaultNamespace);
    const target = targetOf(wanted);
    subject = subjectOf(target);
    const applied = await applyObject(request, type, wanted);
    if (isCrd(wanted)) expectKinds(request.member, wanted);
    progress.changes.push({ id: inventoryId(target), subject, ...applied });
  } catch (error: unknown) {
    recordFailure(progress, subject, error);
  }
}

/** Custom resources of this batch need their CRDs to be served; if one never is, applying its objects fails. */
async function waitForCrds(request: ApplyRequest, stage: readonly Unstructured[], progress: Progress): Promise<void> {
  const crds = stage.filter(isCrd);
  const isNeeded = request.objects.some((object) => progress.ownKinds.has(groupKindOf(object)));
  if (crds.length === 0 || !isNeeded || progress.stopped) return;
  const { member, defaultNamespace, signal } = request;
  try {
    await waitForHealthy({ member, objects: crds, defaultNamespace, timeoutMs: CRD_LIMIT_MS, signal });
  } catch (error: unknown) {
    recordFailure(progress, 'CustomResourceDefinitions', error);
  }
}

/**
 * Applies a batch in stages (order.ts), in parallel within one. An object that does not change costs no write, unless
 * the batch is a roll-out. A rejected object never stops the others; a member that does not answer ends the batch with
 * one failure. Changes are listed in the order in which they were made. Never throws because of a response.
 */
export async function applyObjects(request: ApplyRequest): Promise<ChangeSet> {
  const limit = pLimit(PARALLEL);
  const progress: Progress = { changes: [], failures: [], ownKinds: definedKinds(request.objects), stopped: false };
  for (const stage of applyStages(request.objects)) {
    await Promise.all(stage.map((object) => limit(() => applyNext(request, object, progress))));
    await waitForCrds(request, stage, progress);
  }
  return { changes: progress.changes, failures: progress.failures };
}
