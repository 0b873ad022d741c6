import type { KubeObject } from '#api/meta.js';
import type { RevisionSpec, Template, TemplateRevision } from '#api/v1alpha1/template.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import type { PlanView, PlannedChild } from '../answers/plans.js';

/** What an object would be, if something else were so. */
export type Replace = (object: KubeObject) => KubeObject;

const READY = {
  ...{ type: 'Ready', status: 'True' as const, reason: 'Valid', message: '' },
  lastTransitionTime: '1970-01-01T00:00:00Z',
};

function changed({ status, ...template }: Template, spec: RevisionSpec): Template {
  const { sharedWith } = template.spec;
  return {
    ...template,
    spec: sharedWith === undefined ? spec : { ...spec, sharedWith },
    status: { ...status, revision: status?.revision ?? 1, observedGeneration: 1, conditions: [READY] },
  } as Template; // of the same kind
}

/**
 * What is read of a template, and of each of its revisions, as if they said this: who uses it, at whatever revision, uses
 * that. Who may use it stays.
 */
export function asIf(template: Template, spec: RevisionSpec): Replace {
  const { kind, metadata } = template;
  const isIt = (object: KubeObject): boolean => object.kind === kind && object.metadata.uid === metadata.uid;
  const isOfIt = ({ kind: other, metadata: { namespace, ownerReferences = [] } }: KubeObject): boolean =>
    other === 'ControllerRevision' &&
    namespace === metadata.namespace &&
    ownerReferences.some(({ uid }) => uid === metadata.uid);
  return (object) => {
    if (isIt(object)) return changed(object as Template, spec);
    return isOfIt(object) ? ({ ...object, data: { spec } } as TemplateRevision) : object;
  };
}

/** What a plan has that another one has not. */
export interface PlanDifference extends PlanView {
  /** Children of which it says the same. */
  readonly unchanged: number;
}

/** What becomes of `after` alone: what `before` says as well happens anyway. */
export function planDifference(before: PlanView, after: PlanView): PlanDifference {
  const known = new Set([...before.children, ...before.problems].map((each) => canonicalJson(each)));
  const isNew = (each: object): boolean => !known.has(canonicalJson(each));
  const children: PlannedChild[] = after.children.filter(isNew);
  return {
    problems: after.problems.filter(isNew),
    children,
    notes: after.notes,
    unchanged: after.children.length - children.length,
  };
}
