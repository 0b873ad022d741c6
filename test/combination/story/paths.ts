import { isMap } from '#lib/plain.js';
import { received } from '../world/plain-json.js';
import type { Json } from './steps.js';

const FLUX = ['fluxApp', 'spec'];
/** Short names for the beginnings of paths. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  helm: [...FLUX, 'config', 'helmRelease'],
  files: [...FLUX, 'config', 'kustomization'],
  config: [...FLUX, 'config'],
  flux: FLUX,
};

/** The keys of a path such as `helm.deploy.0.values.color`, from the spec of an Application. */
function pathOf(text: string): string[] {
  const [first = '', ...rest] = text.split('.');
  return [...(SHORT[first] ?? [first]), ...rest];
}

function setIn(parent: unknown, key: string, to: Json): boolean {
  if (Array.isArray(parent)) {
    const index = Number(key);
    if (index > parent.length || (to === null && index === parent.length)) return false;
    if (to === null) parent.splice(index, 1);
    else parent[index] = to;
    return true;
  }
  if (!isMap(parent)) return false;
  if (to === null) Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, key, to);
  return true;
}

/** Fields that say what an object is: an edit does not add them. */
const GIVEN: readonly string[] = ['helmRelease', 'kustomization', 'chart', 'deploy', 'clusterSelector'];

function below(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return parent[Number(key)];
  if (!isMap(parent)) return undefined;
  const found = parent[key];
  if (found !== undefined || GIVEN.includes(key)) return found;
  const made = {};
  Reflect.set(parent, key, made);
  return made;
}

/**
 * The value with another one at a path; null removes it. Undefined: there is no such place. Maps on the way are made,
 * entries and sources are not.
 */
export function changedAt(root: unknown, text: string, to: Json): unknown {
  const result: unknown = received(root);
  const keys = pathOf(text);
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>(below, result);
  return setIn(parent, last, to) ? result : undefined;
}
