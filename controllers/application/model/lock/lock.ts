import isEqual from 'lodash/isEqual.js';
import type { Application } from '#api/v1alpha1/application.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { fluxSpecOf, withFluxSpec } from '../flux-spec.js';
import { floatingOf, floatingText } from './floating.js';

/** What something that floats means at one time. */
export interface Meaning {
  /** A version of a chart. */
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

/** The same Application with what it means instead of what floats; as it is for what the lock does not have. */
export function lockedApplication(application: Application, lock: Lock): Application {
  const spec = fluxSpecOf(application);
  const { helmRelease } = spec?.config ?? {};
  const [floating] = floatingOf(application);
  if (spec === undefined || helmRelease?.chart === undefined || floating === undefined) return application;
  const version = lock.get(floatingText(floating))?.revision;
  if (version === undefined) return application;
  const chart = { ...helmRelease.chart, version };
  return withFluxSpec(application, { ...spec, config: { ...spec.config, helmRelease: { ...helmRelease, chart } } });
}
