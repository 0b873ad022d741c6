import type { Unstructured } from '#api/meta.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { listed } from '#lib/text/text.js';
import { SEPARATOR } from './manifests.js';
import type { Rejection, Target } from './types.js';

/** In the output of kustomize, only the fields of an object itself start at the beginning of a line. */
const KIND = /^kind: Namespace$/m;
const VERSION = /^apiVersion: v1$/m;
const MOST_NAMED = 5;
/** Allows for clocks of two clusters that differ, and for creation times without milliseconds. */
const MARGIN_MS = 60_000;

/** The manifests of Namespaces in the output of kustomize. */
export function namespaceManifests(text: string): string {
  if (!KIND.test(text)) return '';
  const documents = text.split(SEPARATOR).filter((document) => KIND.test(document) && VERSION.test(document));
  return documents.join('---\n');
}

/** True when kustomize printed a Namespace of this name. */
export function printsNamespace(text: string, name: string): boolean {
  const lines = namespaceManifests(text).split('\n');
  return lines.some((line) => line === `  name: ${name}` || line === `  name: "${name}"`);
}

function namespaceOf(name: string): Unstructured {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/**
 * Rejects a build in which spec.targetNamespace renames Namespaces of the source to `target`. A namespace of that name
 * may belong to somebody else, and would be pruned with everything in it. Undefined if all have this name already.
 */
export function refuseRenamed(namespaces: readonly Unstructured[], target: string): Rejection | undefined {
  const names = namespaces.map(({ metadata }) => metadata.name).filter((name) => name !== target);
  if (names.length === 0) return undefined;
  const subject = `${names.length === 1 ? 'Namespace' : 'Namespaces'} ${listed(names, MOST_NAMED)}`;
  return {
    kind: 'reject',
    reason: 'BuildFailed',
    message:
      `${subject} would become ${target}, the name in spec.targetNamespace: leave it out of the files, name it ` +
      `${target}, or remove spec.targetNamespace. Namespace ${target} is not pruned any more because of it`,
    forgets: inventoryEntry(namespaceOf(target)).id,
  };
}

/**
 * True for a target namespace that must not be deleted. Pruning never deletes it. If its owner is deleted, it is kept
 * if it is older than the owner. Then the owner did not create it, even if the inventory lists it.
 */
export function staysAsTarget(live: Unstructured, target: Target, intent: 'prune' | 'deleted'): boolean {
  const { apiVersion, kind, metadata } = live;
  if (apiVersion !== 'v1' || kind !== 'Namespace' || metadata.name !== target.targetNamespace) return false;
  // Parses times, does not read the clock.
  // eslint-disable-next-line no-restricted-globals
  const [born, owned] = [metadata.creationTimestamp ?? '', target.createdAt ?? ''].map((time) => Date.parse(time));
  return intent === 'prune' || Number(owned) - Number(born) > MARGIN_MS;
}
