import type { Kustomization } from '#api/flux/kustomization.js';
import { dependencyKeys } from '#engine/flux/dependencies.js';
import { keyOf } from '#lib/kube/keys.js';
import { notOwnedIn, type Seen } from './holders.js';

type Get = (key: string) => Kustomization | undefined;

/** Keys of the Kustomizations that have what a Kustomization waits for. One that is suspended waits for nobody. */
export function holderKeys(kustomization: Seen): string[] {
  const { metadata, spec } = kustomization;
  if (spec?.suspend === true || metadata.deletionTimestamp !== undefined) return [];
  return notOwnedIn(kustomization, 'Waiting').flatMap(({ holder: name }) =>
    name === undefined ? [] : [keyOf({ name, namespace: metadata.namespace })],
  );
}

/** All that do their work before a Kustomization: it, those it depends on or waits for, those they wait for, and so on. */
function before(start: Kustomization, get: Get, end: string): Map<string, Kustomization> {
  const found = new Map([[keyOf(start.metadata), start]]);
  // A Map is iterated in the order of its entries, those that come meanwhile included.
  for (const [key, each] of found) {
    if (key === end) continue;
    for (const next of [...dependencyKeys(each), ...holderKeys(each)]) {
      const other = get(next);
      if (other !== undefined && !found.has(next)) found.set(next, other);
    }
  }
  return found;
}

function age({ metadata }: Kustomization): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
}

/**
 * True if a Kustomization may wait until `holder` lets its objects go. If that one depends on this one, it never would.
 * The oldest of those that wait for each other goes on.
 */
export function mayWaitFor(own: Kustomization, holder: Kustomization, get: Get): boolean {
  const key = keyOf(own.metadata);
  const lookUp: Get = (other) => (other === key ? own : get(other));
  const first = [...before(holder, lookUp, key).values()];
  const circle = new Map(
    first.filter((each) => before(each, lookUp, key).has(key)).map((each) => [keyOf(each.metadata), each]),
  );
  if (!circle.has(keyOf(holder.metadata))) return true;
  const waiting = [...circle].filter(
    ([other, each]) => other !== key && holderKeys(each).some((next) => circle.has(next)),
  );
  return waiting.some(([, each]) => age(each) < age(own));
}
