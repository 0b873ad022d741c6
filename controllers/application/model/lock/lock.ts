import isEqual from 'lodash/isEqual.js';
import type { Application, HelmReleaseConfig } from '#api/v1alpha1/application.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { fluxSpecOf, withFluxSpec } from '../flux-spec.js';
import { placesIn } from '../source-place.js';
import { copyName } from './copy-name.js';
import { floatingOf, floatingText, ownReference } from './floating.js';

/** What something that floats means at one time. */
export interface Meaning {
  /** A version of a chart, or a revision of a source as it reports it. */
  readonly revision: string;
}

/** What all that floats in an Application means in one of its revisions, by `floatingText`. */
export type Lock = ReadonlyMap<string, Meaning>;

export const NO_LOCK: Lock = new Map();

export function isSameMeaning(one: Meaning | undefined, other: Meaning | undefined): boolean {
  return isEqual(one, other);
}

/** The text of a lock in an annotation. */
export function printLock(lock: Lock): string {
  return JSON.stringify(Object.fromEntries([...lock].sort(([one], [other]) => (one < other ? -1 : 1))));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lock in an annotation; an empty one for a text that we did not write. Never throws. */
export function readLock(text = ''): Lock {
  const value = parsed(text);
  if (!isMap(value)) return NO_LOCK;
  const meanings = Object.entries(value).flatMap(([key, each]): [string, Meaning][] =>
    isMap(each) && typeof each['revision'] === 'string' ? [[key, { revision: each['revision'] }]] : [],
  );
  return new Map(meanings);
}

/** The same reference, but to the copy that it means; as it is for what the lock does not have. */
function lockedReference<Reference>(reference: Reference, application: Application, lock: Lock): Reference {
  const [source] = placesIn(reference, application.metadata.namespace);
  const meaning = source && lock.get(floatingText({ source }));
  if (source === undefined || meaning === undefined) return reference;
  return { ...reference, name: copyName(source, meaning.revision) };
}

/** The same fields with a reference of their own to the copy that it means. */
export function lockedFields<Fields extends object>(fields: Fields, application: Application, lock: Lock): Fields {
  const own = ownReference(fields);
  const sourceRef = lockedReference(own, application, lock);
  return own === sourceRef ? fields : { ...fields, sourceRef };
}

function lockedChart(application: Application, lock: Lock, release: HelmReleaseConfig): HelmReleaseConfig {
  const { chart } = release;
  const range = floatingOf(application).find((each) => each.chart !== undefined);
  const version = range && lock.get(floatingText(range))?.revision;
  return chart === undefined || version === undefined ? release : { ...release, chart: { ...chart, version } };
}

/** The same Application with what it means instead of what floats; as it is for what the lock does not have. */
export function lockedApplication(application: Application, lock: Lock): Application {
  const spec = fluxSpecOf(application);
  if (spec === undefined || !floatingOf(application).some((each) => lock.has(floatingText(each)))) return application;
  const { source, config } = spec;
  const { helmRelease, kustomization } = config;
  return withFluxSpec(application, {
    ...spec,
    ...defined({
      source: source && { ...source, ...defined({ sourceRef: lockedReference(source.sourceRef, application, lock) }) },
    }),
    config: {
      ...config,
      ...defined({
        helmRelease: helmRelease && lockedChart(application, lock, helmRelease),
        kustomization: kustomization?.map((each) => lockedFields(each, application, lock)),
      }),
    },
  });
}
