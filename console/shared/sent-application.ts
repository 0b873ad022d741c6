import omit from 'lodash/omit.js';
import type { ObjectMeta } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { Refusal } from './refusal.js';

const API_VERSION = `${applicationResource.group}/${applicationResource.version}`;

/** Metadata that a caller may say; the rest is the API server's. */
const OWN_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'resourceVersion'] as const;

/** An Application as somebody sent it: of its metadata only what is his to say. */
export interface SentApplication {
  readonly metadata: Pick<ObjectMeta, 'name' | (typeof OWN_METADATA)[number]>;
  readonly spec: PlainMap;
}

function refuse(problem: string): never {
  throw new Refusal(400, problem);
}

function expected(value: unknown, wanted: string, field: string): void {
  if (value === undefined || value === null || value === '' || value === wanted) return;
  refuse(`${field} is ${JSON.stringify(value)}, and the request is about ${wanted}`);
}

/** Applies `change` at the path if there is something; everything else is shared. */
function changedAt(value: unknown, path: readonly string[], change: (found: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (!isMap(value) || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: changedAt(value[key], rest, change) };
}

function withoutManual(syncPolicy: unknown): unknown {
  if (!isMap(syncPolicy)) return syncPolicy;
  return Object.fromEntries(Object.entries(syncPolicy).filter(([key]) => key !== 'manual'));
}

function withoutEmpty(list: unknown): unknown {
  return Array.isArray(list) ? list.filter((item) => item !== '') : list;
}

/**
 * What the console's forms mean: `syncPolicy.manual` is no field of Argo CD, and a line that was left empty is no file.
 * Its nulls are dropped by the API server.
 */
function asMeant(spec: PlainMap): PlainMap {
  const argo = changedAt(spec, ['argoApp', 'spec', 'syncPolicy'], withoutManual);
  const flux = ['fluxApp', 'spec', 'config', 'helmRelease', 'chart', 'valuesFiles'];
  const meant = changedAt(argo, flux, withoutEmpty);
  return isMap(meant) ? meant : spec;
}

const FORMS = {
  labels: isMap,
  annotations: isMap,
  finalizers: Array.isArray,
  ownerReferences: Array.isArray,
  resourceVersion: (value: unknown) => typeof value === 'string',
} satisfies Record<(typeof OWN_METADATA)[number], (value: unknown) => boolean>;

function ownMetadata(metadata: PlainMap, name: string): SentApplication['metadata'] {
  const own = OWN_METADATA.filter((key) => metadata[key] !== undefined && metadata[key] !== null);
  const odd = own.find((key) => !FORMS[key](metadata[key]));
  if (odd !== undefined) refuse(`metadata.${odd} has another form`);
  // The API server checks what is in them.
  return { name, ...Object.fromEntries(own.map((key) => [key, metadata[key]])) };
}

/**
 * Reads the body of a request for the namespace of its path, and the name if that is in the path, too. Throws a Refusal
 * if it is no Application, has no spec, which would remove everything, or is about another object.
 */
export function sentApplication(body: unknown, ref: { namespace: string; name?: string }): SentApplication {
  if (!isMap(body)) refuse('the body is not an object');
  const { apiVersion, kind, metadata = {}, spec } = body;
  expected(apiVersion, API_VERSION, 'apiVersion');
  expected(kind, applicationResource.kind, 'kind');
  if (!isMap(metadata)) refuse('metadata is not an object');
  expected(metadata['namespace'], ref.namespace, 'metadata.namespace');
  if (ref.name !== undefined) expected(metadata['name'], ref.name, 'metadata.name');
  const name = ref.name ?? metadata['name'];
  if (typeof name !== 'string' || name === '') refuse('metadata.name is missing');
  if (!isMap(spec)) refuse('spec is missing');
  return { metadata: ownMetadata(metadata, name), spec: asMeant(spec) };
}

/** The object to create. */
export function createdFrom(sent: SentApplication, namespace: string): Application {
  return applicationOf({ ...omit(sent.metadata, 'resourceVersion'), namespace }, sent.spec);
}

/** The API server checks the spec. */
export function applicationOf(metadata: ObjectMeta, spec: PlainMap): Application {
  return { apiVersion: API_VERSION, kind: applicationResource.kind, metadata, spec: spec };
}
