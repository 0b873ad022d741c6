import { namespaceResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { NAMESPACED } from './kinds.js';
import type { MemoryServer } from './server.js';

const COLLECTOR = { actor: 'collector', manager: 'kube-controller-manager' };

function withoutFinalizer(server: MemoryServer, type: ResourceType, { metadata }: KubeObject, name: string): void {
  const finalizers = (metadata.finalizers ?? []).filter((each) => each !== name);
  server.patch(type, metadata, { type: 'merge', body: { metadata: { finalizers } } }, COLLECTOR);
}

/** All objects of a namespace that name owners, with the kind of each. */
function* dependents(server: MemoryServer): Generator<readonly [ResourceType, KubeObject]> {
  for (const type of NAMESPACED) {
    for (const object of server.list(type)) {
      if ((object.metadata.ownerReferences ?? []).length > 0) yield [type, object];
    }
  }
}

/** The UIDs of everything that exists. */
function existing(server: MemoryServer): Map<string, KubeObject> {
  const all = NAMESPACED.flatMap((type) => server.list(type));
  return new Map(all.map((object) => [object.metadata.uid ?? '', object]));
}

function isLeaving({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}

function dropOwner(server: MemoryServer, owner: KubeObject): void {
  for (const [type, { metadata }] of dependents(server)) {
    const owners = metadata.ownerReferences ?? [];
    const kept = owners.filter(({ uid }) => uid !== owner.metadata.uid);
    const body = { metadata: { ownerReferences: kept } };
    if (kept.length < owners.length) server.patch(type, metadata, { type: 'merge', body }, COLLECTOR);
  }
}

/** Lets the dependents of an object that is deleted with `--cascade=orphan` be nobody's. */
function orphanDependents(server: MemoryServer): void {
  for (const type of NAMESPACED) {
    for (const object of server.list(type).filter((each) => isLeaving(each, 'orphan'))) {
      dropOwner(server, object);
      withoutFinalizer(server, type, object, 'orphan');
    }
  }
}

/** Deletes what has no owner any more, and the dependents of what is deleted in the foreground. */
function collectDependents(server: MemoryServer): void {
  const living = existing(server);
  for (const [type, object] of dependents(server)) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => living.get(uid));
    const stays = owners.some((owner) => owner !== undefined && !isLeaving(owner, 'foregroundDeletion'));
    if (!stays) server.delete(type, object.metadata, {}, COLLECTOR);
  }
}

function hasBlockingDependents(server: MemoryServer, { metadata }: KubeObject): boolean {
  const isBlocking = (each: KubeObject): boolean =>
    each.metadata.ownerReferences?.some(
      ({ uid, blockOwnerDeletion }) => uid === metadata.uid && blockOwnerDeletion === true,
    ) === true;
  return [...dependents(server)].some(([, each]) => isBlocking(each));
}

/** Lets what is deleted in the foreground go once no dependent holds it. */
function finishForeground(server: MemoryServer): void {
  for (const type of NAMESPACED) {
    for (const object of server.list(type).filter((each) => isLeaving(each, 'foregroundDeletion'))) {
      if (!hasBlockingDependents(server, object)) withoutFinalizer(server, type, object, 'foregroundDeletion');
    }
  }
}

/** Empties the namespaces that are deleted, and lets them go when nothing is left. */
function emptyNamespaces(server: MemoryServer): void {
  for (const namespace of server.list(namespaceResource)) {
    if (namespace.metadata.deletionTimestamp === undefined) continue;
    const { name } = namespace.metadata;
    const left = NAMESPACED.flatMap((type) => server.list(type, name).map((object) => [type, object] as const));
    for (const [type, object] of left) {
      if (object.metadata.deletionTimestamp === undefined) server.delete(type, object.metadata, {}, COLLECTOR);
    }
    if (left.length === 0) withoutFinalizer(server, namespaceResource, namespace, 'kubernetes');
  }
}

/** One round of the garbage collector and of the namespace controller of Kubernetes. */
export function collect(server: MemoryServer): void {
  orphanDependents(server);
  collectDependents(server);
  finishForeground(server);
  emptyNamespaces(server);
}
