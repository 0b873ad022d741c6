import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { SharedWith } from '#api/v1alpha1/template-fields.js';
import type { RevisionSpec, Template, TemplateInUse, TemplateKind } from '#api/v1alpha1/template.js';
import { getCondition } from '#lib/kube/conditions.js';
import { selects } from '#lib/kube/label-selector.js';
import { describeObject } from '#lib/net/urls.js';
import type { Rules, Violation } from '../child/types.js';

/** Where a template may be. */
export interface TemplatePlace {
  readonly namespace: string;
  readonly name: string;
}

/** A place in an Application that names a template. */
export interface TemplateUse {
  readonly kind: TemplateKind;
  readonly text: string;
  /** Field path, for messages. */
  readonly path: string;
  /** Path of the entry that it is for; undefined: it is for all. */
  readonly entryPath?: string;
  /** Namespace of the Application. */
  readonly namespace: string;
}

/** What `template:` may say: `NAME`, `NAMESPACE/NAME`, either with `@REVISION`. */
interface Reference {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly revision: number | undefined;
}

/** What the lookup reads; all of it from caches. */
export interface TemplateView {
  readonly template: (kind: TemplateKind, place: TemplatePlace) => Template | undefined;
  readonly revision: (template: Template, revision: number) => RevisionSpec | undefined;
  /** A labelled HelmChart of ks-devops. */
  readonly legacyChart: (place: TemplatePlace) => RevisionSpec | undefined;
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
}

/** A template that may be used, at one revision. */
export interface FoundTemplate {
  readonly inUse: TemplateInUse;
  readonly spec: RevisionSpec;
}

/** Pending: its controller has not looked at the template yet; it will be heard of. */
export type Lookup = FoundTemplate | { readonly violation: Violation } | 'pending';

const REFERENCE = /^(?:([^/@]+)\/)?([^/@]+)(?:@([1-9]\d*))?$/;

/** Reads what `template:` says; undefined for anything else. */
export function parseReference(text: string): Reference | undefined {
  const [, namespace, name, revision] = REFERENCE.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { namespace, name, revision: revision === undefined ? undefined : Number(revision) };
}

function placesOf({ namespace, name }: Reference, own: string): TemplatePlace[] {
  if (namespace !== undefined) return [{ namespace, name }];
  return [
    { namespace: own, name },
    { namespace: own, name: `${own}-${name}` },
  ];
}

/** Every place where the template of a use may be, the first one that exists wins; none when it is no reference. */
export function templatePlaces({ text, namespace }: Pick<TemplateUse, 'text' | 'namespace'>): TemplatePlace[] {
  const reference = parseReference(text);
  return reference === undefined ? [] : placesOf(reference, namespace);
}

/** True when a template is shared with a namespace that has these labels. */
export function isSharedWith(
  sharedWith: SharedWith | undefined,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (sharedWith?.namespaces?.includes(namespace) === true) return true;
  return sharedWith?.selector !== undefined && selects(sharedWith.selector, labels);
}

function refused(reason: Violation['reason'], { path }: TemplateUse, message: string): { violation: Violation } {
  return { violation: { reason, message: `${path}: ${message}` } };
}

function notFound(use: TemplateUse, view: TemplateView): Lookup {
  const reference = parseReference(use.text);
  const places = templatePlaces(use);
  const [first] = places;
  if (reference === undefined || first === undefined) {
    const message = `${JSON.stringify(use.text)} is not a template reference; use NAME or NAMESPACE/NAME, optionally with @REVISION`;
    return refused('TemplateNotFound', use, message);
  }
  const mayBeLegacy = use.kind === 'HelmTemplate' && first.namespace === use.namespace;
  const legacy = mayBeLegacy && reference.revision === undefined ? view.legacyChart(first) : undefined;
  if (legacy !== undefined) return { inUse: { kind: 'HelmChart', ...first }, spec: legacy };
  const tried = places.map((place) => `${place.namespace}/${place.name}`).join(' nor ');
  const message = `there is no ${use.kind} ${tried}: create it, or correct the name; what already runs is left unchanged`;
  return refused('TemplateNotFound', use, message);
}

/** Why the newest revision may not be used; a pinned one was valid when it was made. */
function brokenness(template: Template, use: TemplateUse) {
  const ready = getCondition(template.status?.conditions, 'Ready');
  if (ready?.status === 'True') return undefined;
  const why = ready?.message ?? 'it has no valid revision';
  return refused('TemplateInvalid', use, `${describeObject(template.kind, template.metadata)} cannot be used: ${why}`);
}

function missingRevision(template: Template, use: TemplateUse, pinned: number) {
  const object = describeObject(template.kind, template.metadata);
  const newest = template.status?.revision ?? 0;
  const message = `${object} has no revision ${pinned}; the latest is ${newest}: pin one that \`kubectl get controllerrevisions\` shows`;
  return refused('TemplateNotFound', use, message);
}

function revisionOf(template: Template, { use, view }: Search, pinned: number | undefined): Lookup {
  if (template.status?.observedGeneration === undefined) return 'pending';
  const broken = pinned === undefined ? brokenness(template, use) : undefined;
  if (broken !== undefined) return broken;
  const revision = pinned ?? template.status.revision ?? 0;
  const spec = view.revision(template, revision);
  if (spec === undefined) return pinned === undefined ? 'pending' : missingRevision(template, use, pinned);
  const { name, namespace = '' } = template.metadata;
  return { inUse: { kind: use.kind, namespace, name, revision }, spec };
}

interface Search {
  readonly use: TemplateUse;
  readonly view: TemplateView;
  readonly rules: Rules;
}

/** Why a template of another namespace may not be used. */
function crossingFault({ use, view, rules }: Search, place: TemplatePlace, template: Template | undefined) {
  if (place.namespace === use.namespace) return undefined;
  const object = describeObject(use.kind, place);
  if (!rules.allowCrossNamespace) {
    const message = `${object} is in another namespace, which --no-cross-namespace-refs forbids; copy it and its source into ${use.namespace}`;
    return refused('AccessDenied', use, message);
  }
  if (rules.watchedNamespace !== undefined && rules.watchedNamespace !== place.namespace) {
    const message = `${object} is outside of ${rules.watchedNamespace}, the only namespace that this controller watches (--namespace); copy it into ${use.namespace}`;
    return refused('TemplateNotFound', use, message);
  }
  const sharedWith = template?.spec.sharedWith;
  if (isSharedWith(sharedWith, use.namespace, view.namespaceLabels(use.namespace))) return undefined;
  // The same words for both: who may not see a template does not learn that it exists.
  const message = `${object} does not exist, or is not shared with ${use.namespace}: have ${use.namespace} added to its spec.sharedWith.namespaces, or correct the name`;
  return refused('AccessDenied', use, message);
}

function sourceFault({ use, rules }: Search, { inUse, spec }: FoundTemplate) {
  const { sourceRef } = spec;
  if (rules.allowCrossNamespace || sourceRef.namespace === use.namespace) return undefined;
  const object = describeObject(inUse.kind, inUse);
  const message = `${describeObject(sourceRef.kind, sourceRef)} of ${object} is in another namespace, which --no-cross-namespace-refs forbids; create a source in ${use.namespace}`;
  return refused('AccessDenied', use, message);
}

/**
 * The template that a use names: own namespace `NAME`, then `<namespace>-NAME`, or `OTHER/NAME` when it is shared, then
 * a HelmChart of ks-devops. The newest valid revision, or the pinned one. Never throws.
 */
export function findTemplate(search: Search): Lookup {
  const { use, view } = search;
  const places = templatePlaces(use);
  const found = places.map((place) => view.template(use.kind, place)).find((template) => template !== undefined);
  const [first] = places;
  const crossing = first === undefined ? undefined : crossingFault(search, first, found);
  if (crossing !== undefined) return crossing;
  const lookup =
    found === undefined ? notFound(use, view) : revisionOf(found, search, parseReference(use.text)?.revision);
  return lookup === 'pending' || 'violation' in lookup ? lookup : (sourceFault(search, lookup) ?? lookup);
}

/** The Helm part of a revision; undefined for that of a KustomizationTemplate. */
export function helmSpecOf(spec: RevisionSpec): Omit<HelmTemplateSpec, 'sharedWith'> | undefined {
  return 'chart' in spec ? spec : undefined;
}
