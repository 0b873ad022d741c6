import partition from 'lodash/partition.js';
import type { DryRunAction, PlannedChange } from '#api/dry-run.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { objectChange } from '#engine/dry-run/change-set.js';
import { readPlan, type Planned } from '#queries/plans/planned.js';
import type { Reading } from '#queries/plans/reading.js';
import { PreviewError } from '#queries/plans/preview-error.js';
import { fateOf, type Fate } from '#queries/views/planned-view.js';
import type { PlannedChild } from '#queries/answers/plans.js';
import { defined } from '#lib/plain.js';
import { ConflictError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import { FIELD_MANAGER } from '../command/application.js';
import { errorLine } from '../command/exit.js';
import { isApplication } from '../render/model/completed.js';
import { fieldsText, fileDiffOf, PRINTED, type DiffPart, type FileDiff } from './model/change-set.js';

const NAMED = 10;

/** What becomes of a child in the words of change sets; what stays or waits is no change. */
const ACTIONS: Readonly<Record<Fate, DryRunAction | undefined>> = {
  uninstall: 'deleted',
  uninstallLater: 'held',
  reinstall: 'changed',
  reinstallLater: 'changed',
  leave: 'deleted',
  change: 'changed',
  create: 'created',
  wait: undefined,
  keep: undefined,
};

const ENDS: Partial<Record<Fate, string>> = {
  uninstall: '; what it deployed is uninstalled',
  reinstall: '; what it deployed is uninstalled',
  reinstallLater: '; later, what it deployed is uninstalled',
  leave: '; what it deployed stays',
};

function changeOf(child: PlannedChild, action: DryRunAction, namespace: string): PlannedChange {
  const { kind, name, cluster, why, problems = [], fields, moreFields, object } = child;
  const { group, version } = backendOf({ kind }).resource;
  const subject = object ?? { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace } };
  const message = [`on ${cluster}: ${why}${ENDS[fateOf(child)] ?? ''}`, ...problems].join('; ');
  const differences = fields?.map(({ path, old, new: next }) => ({ path, old, new: next }));
  const change = objectChange({ action, object: subject, message, ...defined({ differences }) }, PRINTED);
  return { ...change, ...defined({ moreFields }) };
}

function changesOf(child: PlannedChild, namespace: string): PlannedChange[] {
  const action = ACTIONS[fateOf(child)];
  return action === undefined ? [] : [changeOf(child, action, namespace)];
}

/** Says what a child waits for, and which of its fields change then. */
function waitText(child: PlannedChild, namespace: string): string {
  const fields = fieldsText(changeOf(child, 'changed', namespace), NAMED);
  const waits = `${child.entry} waits: ${child.why}${fields === '' ? '' : `; then ${fields}`}`;
  return [waits, ...(child.problems ?? [])].join('; ');
}

function planned(stored: Application, { children, problems, notes }: Planned, exists: boolean): DiffPart {
  const name = keyOf(stored.metadata);
  const said = (text: string): string => `Application ${name}: ${text}`;
  const { namespace = '' } = stored.metadata;
  const changes = children.flatMap((child) => changesOf(child, namespace));
  const waiting = children.filter((child) => fateOf(child) === 'wait');
  return {
    name,
    changes: exists ? changes : [objectChange({ action: 'created', object: stored }, PRINTED), ...changes],
    unchanged: children.filter((child) => fateOf(child) === 'keep').length,
    notes: [...notes, ...waiting.map((child) => waitText(child, namespace))].map(said),
    problems: problems.map(({ message }) => said(message)),
  };
}

/** What cannot be applied, or not be planned. */
function failed(application: Application, message: string): DiffPart {
  const change = objectChange({ action: 'failed', object: application, message }, PRINTED);
  return { name: keyOf(application.metadata), changes: [change], unchanged: 0, notes: [], problems: [] };
}

/** What would be stored; what others have set does not keep it from being compared, and is said. */
async function storedBy(application: Application, { kube, signal }: Reading) {
  const options = { fieldManager: FIELD_MANAGER, dryRun: true, signal };
  const apply = (force: boolean) => kube.apply<Application>(applicationResource, application, { ...options, force });
  try {
    return { stored: await apply(false), notes: [] };
  } catch (error: unknown) {
    if (!(error instanceof ConflictError)) throw error;
    const note = `to apply it takes \`fairlead apply --force-conflicts\`: ${error.message}`;
    return { stored: await apply(true), notes: [note] };
  }
}

/** What the controller would do now of an Application, as the cluster has it. Throws a PreviewError if nobody can say. */
export async function diffOfLive(application: Application, reading: Reading): Promise<FileDiff> {
  return fileDiffOf([planned(application, await readPlan(application, reading), true)]);
}

/** The API server checks what `fairlead apply` would send it; nothing is written. */
async function partOf(application: Application, reading: Reading): Promise<DiffPart> {
  const { kube, signal } = reading;
  try {
    const live = await kube.get<Application>(applicationResource, application.metadata, { signal });
    const { stored, notes } = await storedBy(application, reading);
    const plan = await readPlan(stored, reading);
    return planned(stored, { ...plan, notes: [...notes, ...plan.notes] }, live !== undefined);
  } catch (error: unknown) {
    if (signal.aborted) throw error;
    return failed(application, error instanceof PreviewError ? error.message : errorLine(error));
  }
}

function noteOf(others: readonly KubeObject[]): string[] {
  if (others.length === 0) return [];
  const named = listed(
    others.map(({ kind, metadata }) => describeObject(kind, metadata)),
    NAMED,
  );
  return [`not compared, and taken as the cluster has them: ${named}; \`kubectl diff -f\` compares them`];
}

/** What the controller would do if these objects were applied: its own code, on what the user may read. */
export async function diffWithCluster(objects: readonly KubeObject[], reading: Reading): Promise<FileDiff> {
  const [applications, others] = partition(objects, isApplication);
  const parts: DiffPart[] = [];
  // One after the other, as many Applications are a lot to read and to compute.
  for (const application of applications) parts.push(await partOf(application, reading));
  const { notes, ...diff } = fileDiffOf(parts);
  return { ...diff, notes: [...noteOf(others), ...notes] };
}
