import type { TemplateRevisionView, TemplateView } from '../answers/templates.js';
import type { Application } from '#api/v1alpha1/application.js';
import { SAVED_BY_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { SharedWith } from '#api/v1alpha1/template-fields.js';
import {
  revisionSpecOf,
  templatesInUse,
  type RevisionSpec,
  type Template,
  type TemplateKind,
  type TemplateRevision,
} from '#api/v1alpha1/template.js';
import { getCondition } from '#lib/kube/conditions.js';
import { fieldChanges, type Difference } from '#lib/json/field-changes.js';
import { keyOf } from '#lib/kube/keys.js';
import { isEmptySelector } from '#lib/kube/label-selector.js';
import { newestFirst } from '#lib/kube/revision-history.js';
import { describeObject } from '#lib/net/urls.js';
import { fieldName } from './revision-diff.js';

/** Where the spec of a template is. */
const SPEC = '/spec';

/** A template with its spec, its revisions and its users: what `fairlead template show -o json` prints. */
export interface TemplateDetail extends TemplateView {
  readonly spec: Template['spec'];
  /** The newest first. */
  readonly revisions: readonly TemplateRevisionView[];
  /** `namespace/name` of Applications that use it at any revision. */
  readonly users: readonly string[];
}

function readiness({ status, metadata }: Template): Pick<TemplateView, 'state' | 'message'> {
  const ready = getCondition(status?.conditions, 'Ready');
  if (ready === undefined) return { state: 'Pending', message: 'no controller has reconciled it yet' };
  const isOld = metadata.generation !== undefined && status?.observedGeneration !== metadata.generation;
  if (isOld) return { state: 'Pending', message: 'its last change has not been reconciled yet' };
  return { state: ready.status === 'True' ? 'Ready' : 'Stalled', message: ready.message };
}

function selectorText(selector: NonNullable<SharedWith['selector']>): string {
  if (isEmptySelector(selector)) return 'every namespace';
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) =>
      values.length === 0 ? `${key} ${operator}` : `${key} ${operator} (${values.join(', ')})`,
    ),
  ];
  return `namespaces with ${parts.join(', ')}`;
}

/** The other namespaces that may use a template, in words. */
function sharedWithOf({ spec }: Template): string[] {
  const { namespaces = [], selector } = spec.sharedWith ?? {};
  return [...namespaces, ...(selector === undefined ? [] : [selectorText(selector)])];
}

function contentOf({ spec }: Template): Pick<TemplateView, 'chart' | 'version' | 'path'> {
  if (!('chart' in spec)) return { chart: '', version: '', path: spec.path ?? '' };
  const { chart, version = '' } = spec.chart;
  return { chart, version, path: '' };
}

/** What is known of one template. Never throws. */
export function templateView(template: Template): TemplateView {
  const { kind, metadata, spec, status } = template;
  return {
    kind: kind as TemplateKind, // of this type
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    ...readiness(template),
    revision: status?.revision ?? 0,
    ...contentOf(template),
    source: describeObject(spec.sourceRef.kind, spec.sourceRef),
    usedBy: status?.usedBy ?? 0,
    sharedWith: sharedWithOf(template),
    savedBy: metadata.annotations?.[SAVED_BY_ANNOTATION] ?? '',
    createdAt: metadata.creationTimestamp ?? '',
  };
}

/** The revisions of a template at which an Application uses it; none if it does not. Never throws. */
export function revisionsUsedBy({ status }: Application, { kind, metadata }: Template): ReadonlySet<number> {
  const used = templatesInUse(status).filter(
    (each) => each.kind === kind && each.name === metadata.name && each.namespace === metadata.namespace,
  );
  return new Set(used.map(({ revision = 0 }) => revision));
}

/** By the template, what uses it at which revisions. */
function usersOf(template: Template, applications: readonly Application[]) {
  return applications.flatMap((application) => {
    const revisions = revisionsUsedBy(application, template);
    return revisions.size === 0 ? [] : [{ name: keyOf(application.metadata), revisions }];
  });
}

/** What differs between two templates, as JSON pointers into them; who may use them is not compared. Never throws. */
export function templateDifferences(from: RevisionSpec, to: RevisionSpec): Difference[] {
  const [old, next] = [from, to].map((spec) => ({ ...spec, sharedWith: undefined }));
  return [...fieldChanges(old ?? {}, next ?? {})].map((change) => ({ ...change, path: SPEC + change.path }));
}

function changesOf(revision: TemplateRevision, before: TemplateRevision | undefined): string[] {
  const [from, to] = [before && revisionSpecOf(before), revisionSpecOf(revision)];
  if (from === undefined || to === undefined) return [];
  const pointers = templateDifferences(from, to).map(({ path }) => path.slice(SPEC.length));
  return [...new Set(pointers.map(fieldName))];
}

export interface TemplateInput {
  readonly template: Template;
  /** Those of this very template. */
  readonly revisions: readonly TemplateRevision[];
  readonly applications: readonly Application[];
}

/** The revisions of a template, the newest first. Never throws. */
export function templateRevisions({ template, revisions, applications }: TemplateInput): TemplateRevisionView[] {
  const users = usersOf(template, applications);
  const kept = newestFirst(revisions);
  return kept.map((each, index) => ({
    revision: each.revision,
    createdAt: each.metadata.creationTimestamp ?? '',
    changes: changesOf(each, kept[index + 1]),
    usedBy: users
      .filter((user) => user.revisions.has(each.revision))
      .map(({ name }) => name)
      .sort(),
  }));
}

/** All that is known of one template. Never throws. */
export function templateDetail(input: TemplateInput): TemplateDetail {
  const { template, applications } = input;
  return {
    ...templateView(template),
    spec: template.spec,
    revisions: templateRevisions(input),
    users: usersOf(template, applications)
      .map(({ name }) => name)
      .sort(),
  };
}
