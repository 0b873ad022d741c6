import type { Unstructured } from '#api/meta.js';
import { inventoryEntry } from '#controllers/engine/apply/model/inventory.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import { SEPARATOR } from './manifests.js';
import type { Rejection, Target } from './types.js';

/** kustomize begins a line with these only where an object says them of itself. */
const KIND = /^kind: Namespace$/m;
const VERSION = /^apiVersion: v1$/m;
const MOST_NAMED = 5;
/** Clocks of two clusters differ, and times of creation have whole seconds. */
const MARGIN_MS = 60_000;

/** Of what kustomize printed, the manifests of Namespaces. */
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
 * Why nothing is built where `target`, the name in spec.targetNamespace, would become the name of Namespaces that the
 * source calls otherwise: the namespace of that name may be anybody's, and would be pruned with everything in it.
 * Undefined if all have this name already.
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
 * True for the target namespace as long as objects are applied to it, and when the owner goes, if it was there long
 * before: the owner did not create it, whatever its inventory says.
 */
export function staysAsTarget(live: Unstructured, target: Target, intent: 'prune' | 'deleted'): boolean {
  const { apiVersion, kind, metadata } = live;
  if (apiVersion !== 'v1' || kind !== 'Namespace' || metadata.name !== target.targetNamespace) return false;
  // Parses times, does not read the clock.
  // eslint-disable-next-line no-restricted-globals
  const [born, owned] = [metadata.creationTimestamp ?? '', target.createdAt ?? ''].map((time) => Date.parse(time));
  return intent === 'prune' || Number(owned) - Number(born) > MARGIN_MS;
}
