import type { PlanProblem, PlanView, PlannedChild, PublishedChild } from '../answers/plans.js';
import omit from 'lodash/omit.js';
import uniqBy from 'lodash/uniqBy.js';
import type { DryRun } from '#api/dry-run.js';
import { APPLIED_DIGEST_ANNOTATION, FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { clusterNameOf } from '#controllers/application/model/child/cluster.js';
import { childClusterNames, ClusterResolver } from '#controllers/application/model/child/cluster-names.js';
import { currentCondition } from '#controllers/application/model/child/metadata.js';
import { liveReleaseKey, reinstallationOf } from '#controllers/application/model/destinations/identity.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { defined } from '#lib/plain.js';
import { fieldChanges, type Difference } from '#lib/json/field-changes.js';
import { ownsField } from '#lib/kube/managed-fields.js';

/** Fields of one child that are listed. */
const MOST_FIELDS = 500;

/** As `fieldsV1` writes a JSON pointer, up to the first place in a list. */
function ownedPath(pointer: string): string[] {
  const parts = pointer.slice(1).split('/');
  const place = parts.findIndex((part) => /^\d+$/.test(part));
  const fields = place < 0 ? parts : parts.slice(0, place);
  return fields.map((part) => `f:${part.replaceAll('~1', '/').replaceAll('~0', '~')}`);
}

/** What the apply of a child leaves out goes only if an apply of it came before: the rest is of others, or a default. */
function wouldChange({ metadata }: Child, { path, new: next }: Difference): boolean {
  if (next !== undefined && next !== null) return true;
  const { managedFields = [] } = metadata;
  const own = managedFields.filter(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply');
  return own.some((entry) => ownsField(entry, ownedPath(path)));
}

function contentOf({ metadata, spec }: Child): object {
  const { labels = {}, ownerReferences = [] } = metadata;
  // It follows from the rest.
  const annotations = omit(metadata.annotations, APPLIED_DIGEST_ANNOTATION);
  return { metadata: { labels, annotations, ownerReferences }, spec };
}

/** True if any of what a child becomes, one after the other, cannot be installed in place. */
function reinstalls(live: Child | undefined, ...next: readonly (Child | undefined)[]): { uninstalls?: true } {
  const isOther =
    live !== undefined && next.some((each) => each !== undefined && reinstallationOf(live, each) !== undefined);
  return isOther ? { uninstalls: true } : {};
}

function changesOf(live: Child, object: Child): Pick<PlannedChild, 'fields' | 'moreFields'> {
  const all = [...fieldChanges(contentOf(live), contentOf(object))].filter((each) => wouldChange(live, each));
  const fields = all.slice(0, MOST_FIELDS).map(({ path, old, new: next }) => ({
    path,
    ...(old === undefined ? {} : { old }),
    ...(next === undefined ? {} : { new: next }),
  }));
  const more = all.length - fields.length;
  return { fields, ...defined({ moreFields: more === 0 ? undefined : more }) };
}

type EntryStep = Extract<Step, { readonly entry: unknown }>;

function ofEntry({ entry, why }: EntryStep, child: Child | undefined) {
  return {
    entry: entry.path,
    cluster: entry.clusterName,
    namespace: entry.targetNamespace ?? '',
    release: entry.release.releaseName,
    kind: entry.release.kind,
    name: child?.metadata.name ?? '',
    why,
  };
}

function withoutEntry(live: Child, why: string) {
  return {
    entry: '',
    cluster: clusterNameOf(live),
    namespace: live.spec.targetNamespace ?? '',
    release: liveReleaseKey(live).releaseName,
    kind: live.kind,
    name: live.metadata.name,
    why,
  };
}

/** What is suspended goes alone, and some are suspended just for that. */
function uninstalls({ op, live }: Extract<Step, { readonly op: 'suspend' | 'delete' | Spared['op'] }>): boolean {
  return op !== 'suspend' && op !== 'offer' && live.spec.suspend !== true;
}

function keptAs({ hold }: Extract<Step, { readonly op: 'keep' | Spared['op'] }>): 'wait' | 'keep' {
  return hold === undefined ? 'keep' : 'wait';
}

type Spared = Extract<Step, { readonly op: 'offer' | 'spare' }>;

function sparedChild(step: Spared): PlannedChild {
  const child = { action: keptAs(step), ...withoutEntry(step.live, step.why) };
  return step.hold !== undefined ? { ...child, uninstalls: uninstalls(step) } : child;
}

type Waiting = Extract<Step, { readonly op: 'keep' | 'wait' }>;

/** The child after its wait, as far as that is known. */
function becomes({ live, later }: Waiting): Pick<PlannedChild, 'fields' | 'moreFields' | 'object' | 'uninstalls'> {
  if (later === undefined) return {};
  if (live === undefined) return { object: later };
  return { ...changesOf(live, later), ...reinstalls(live, later) };
}

function changedChild(step: Extract<Step, { op: 'update' }>): PlannedChild {
  const { live, object, later } = step;
  const changes = changesOf(live, object);
  return { action: 'change', ...ofEntry(step, live), ...changes, ...reinstalls(live, object, later) };
}

/** A step for people and programs. */
export function plannedChild(step: Step): PlannedChild {
  switch (step.op) {
    case 'create':
      return { action: 'create', ...ofEntry(step, step.object), object: step.object };
    case 'update':
      return changedChild(step);
    case 'unmanage':
      return { action: 'change', ...ofEntry(step, step.live), why: `suspended: ${step.why}` };
    case 'keep':
      return { action: keptAs(step), ...ofEntry(step, step.live), ...becomes(step) };
    case 'wait':
      return { action: 'wait', ...ofEntry(step, step.live), ...becomes(step) };
    case 'suspend':
    case 'delete':
      return { action: 'delete', ...withoutEntry(step.live, step.why), uninstalls: uninstalls(step) };
    case 'offer':
    case 'spare':
      return sparedChild(step);
  }
}

/** Messages begin with the field that they are about. */
export function problemOf(message: string): PlanProblem {
  const [field = ''] = /^spec[^\s:,]*/.exec(message) ?? [];
  return { field, message };
}

/** A plan for people and programs, with its children as planned; it says what the status would say. */
export function planView({ finding }: Pick<Plan, 'finding'>, children: readonly PlannedChild[]): PlanView {
  const { violation, missing, rejected, warnings = [], held } = finding;
  const wrong = [violation, ...rejected, missing].filter((each) => each !== undefined);
  const notes = [...warnings, ...(held === undefined ? [] : [held.message])];
  return {
    problems: uniqBy(wrong, 'message').map(({ message }) => problemOf(message)),
    children,
    notes,
  };
}

/** Those of which the engine says that something differs. */
export function publishedChildren(children: readonly Child[]): PublishedChild[] {
  const resolver = new ClusterResolver(children.map(childClusterNames));
  return children.flatMap((child) => {
    const { kind, metadata } = child;
    // Of both kinds, by their schemas.
    const { dryRun: changeSet } = (child.status ?? {}) as { readonly dryRun?: DryRun };
    const drifted = currentCondition(child, 'Drifted');
    const drift = drifted?.status === 'True' ? drifted.message : undefined;
    if (changeSet === undefined && drift === undefined) return [];
    return [
      {
        kind,
        name: metadata.name,
        cluster: resolver.shown(childClusterNames(child)),
        ...defined({ changeSet, drift }),
      },
    ];
  });
}
