import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { CREDENTIALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { digestOf } from '#lib/hash.js';
import { isMap } from '#lib/plain.js';
import { includes } from '#lib/json/subset.js';
import type { Child, Rules } from '../child/types.js';
import { isTerminating } from '../children/state.js';
import { findViolation } from '../destinations/validate.js';
import { inlineOf, placesIn, type SourcePlace, statedSpecOf } from '../spec/flux-spec.js';
import { madeSource, type MadeSource, madeSourceName } from '../spec/inline-source.js';

/** The kinds of sources that inline ones become. */
export const MADE_RESOURCES: readonly ResourceType[] = [helmRepositoryResource, ociRepositoryResource];

/** The fields of the spec of a source that rules read. */
interface SourceSpec {
  readonly secretRef?: { readonly name: string };
  readonly certSecretRef?: { readonly name: string };
  readonly [field: string]: unknown;
}

/** A source that is to exist. */
export interface RequestedSource {
  readonly kind: string;
  readonly spec: SourceSpec;
}

/** A source that was created here, as read. */
export interface LiveSource extends KubeObject {
  readonly spec: SourceSpec;
}

/** The sources that a HelmRelease or Kustomization refers to, whoever wrote it. */
export function sourcesOfChild({ metadata, spec }: Child): SourcePlace[] {
  const { chart, chartRef, sourceRef } = spec;
  const template = isMap(chart) && isMap(chart['spec']) ? chart['spec']['sourceRef'] : undefined;
  return [template, chartRef, sourceRef].flatMap((each) => placesIn(each, metadata.namespace));
}

/** The Secrets that a source reads, by name. */
export function secretsOf({ spec }: Pick<LiveSource, 'spec'>): string[] {
  return [spec.secretRef, spec.certSecretRef].flatMap((reference) => reference?.name ?? []);
}

/** The source of this place, if an Application asks for it by `source.inline`, and may have it. Never throws. */
export function requestedSource(
  application: Application,
  { kind, name }: Pick<SourcePlace, 'kind' | 'name'>,
  rules: Rules,
): MadeSource | undefined {
  const inline = inlineOf(application);
  if (inline === undefined || isTerminating(application) || asksForDryRun(application)) return undefined;
  if (findViolation(application, rules) !== undefined) return undefined;
  const made = madeSource(inline, statedSpecOf(application)?.interval);
  return made.kind === kind && madeSourceName(made) === name ? made : undefined;
}

/** Changes whenever one of the Secrets does; undefined without any. */
function credentialsText(secrets: readonly (KubeObject | undefined)[]): string | undefined {
  if (secrets.length === 0) return undefined;
  return digestOf(secrets.map((secret) => [secret?.metadata.uid ?? '', secret?.metadata.resourceVersion ?? '']));
}

/** All that decides about one source. */
export interface SourceView {
  readonly type: ResourceType;
  /** On what was created here for the same purpose. */
  readonly label: string;
  /** Its value. */
  readonly mark: string;
  /** True if what lives is what is asked for. */
  readonly isCurrent: (live: LiveSource, requested: RequestedSource) => boolean;
  readonly ref: ObjectRef;
  /** What an Application asks for by this name. */
  readonly requested: RequestedSource | undefined;
  /** The source of this name, if it is ours. */
  readonly live: LiveSource | undefined;
  /** True if a source of this name is not ours. */
  readonly isTaken: boolean;
  /** Applications, revisions of theirs and children that refer to it. */
  readonly users: number;
  /** False until all caches are synced. */
  readonly complete: boolean;
  readonly secretOf: (name: string) => KubeObject | undefined;
}

/** True for a source that was created here. One of the same label, but another mark, is somebody's copy of it. */
export function isMarked({ metadata }: KubeObject, { label, mark }: Pick<SourceView, 'label' | 'mark'>): boolean {
  return metadata.labels?.[label] === mark;
}

/** True for a source that has all that is asked for. Its spec never changes, so what it has besides are defaults. */
export function hasAll(live: LiveSource, requested: RequestedSource): boolean {
  return includes(live.spec, requested.spec);
}

/** What to do about a source. */
export type SourceStep =
  | { readonly op: 'none' }
  | { readonly op: 'create'; readonly object: LiveSource }
  | { readonly op: 'update'; readonly live: LiveSource; readonly body: readonly object[] }
  /** The same spec is fetched with other credentials. */
  | { readonly op: 'refetch'; readonly live: LiveSource; readonly annotations: Readonly<Record<string, string>> }
  | { readonly op: 'delete'; readonly live: LiveSource };

function credentialsOf(source: Pick<LiveSource, 'spec'>, { secretOf }: SourceView): Record<string, string> {
  const text = credentialsText(secretsOf(source).map(secretOf));
  return text === undefined ? {} : { [CREDENTIALS_ANNOTATION]: text };
}

function desiredSource(requested: RequestedSource, view: SourceView): LiveSource {
  const { group, version } = view.type;
  const annotations = credentialsOf(requested, view);
  const metadata = { ...view.ref, labels: { [view.label]: view.mark }, annotations };
  return { apiVersion: `${group}/${version}`, kind: requested.kind, metadata, spec: requested.spec };
}

/** JSON patch that makes the spec what it is to be, without any field besides. */
function mending({ metadata }: LiveSource, desired: LiveSource): object[] {
  const annotations = { ...metadata.annotations, ...desired.metadata.annotations };
  const isSeen = { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion };
  return [
    isSeen,
    { op: 'add', path: '/metadata/annotations', value: annotations },
    { op: 'add', path: '/spec', value: desired.spec },
  ];
}

function refetched(live: LiveSource, view: SourceView): SourceStep {
  const credentials = credentialsOf(live, view);
  const text = credentials[CREDENTIALS_ANNOTATION];
  if (text === undefined || live.metadata.annotations?.[CREDENTIALS_ANNOTATION] === text) return { op: 'none' };
  // Engines reconcile for every new value.
  return { op: 'refetch', live, annotations: { ...credentials, [REQUESTED_AT_ANNOTATION]: text } };
}

/** Nothing is deleted but by the deletion rule; nothing of somebody else is written. Never throws. */
export function planSource(view: SourceView): SourceStep {
  const { requested, live, isTaken, users, complete } = view;
  if (isTaken) return { op: 'none' };
  if (live === undefined) {
    return requested === undefined ? { op: 'none' } : { op: 'create', object: desiredSource(requested, view) };
  }
  const isLeaving = isTerminating(live);
  const facts = {
    isOurs: isMarked(live, view),
    isTerminating: isLeaving,
    complete,
    users,
  } as const;
  if (mayDelete({ subject: 'source', ...facts }).allowed) return { op: 'delete', live };
  if (isLeaving) return { op: 'none' };
  if (requested !== undefined && !view.isCurrent(live, requested)) {
    return { op: 'update', live, body: mending(live, desiredSource(requested, view)) };
  }
  return refetched(live, view);
}
