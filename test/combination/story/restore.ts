import omit from 'lodash/omit.js';
import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject, ObjectMeta, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { CHILD_RESOURCES } from '../world/kinds.js';
import { NAMESPACE, USER, type World } from '../world/world.js';

/** In the order in which a backup is applied. */
export const RESTORED: readonly ResourceType[] = [applicationResource, ...CHILD_RESOURCES, controllerRevisionResource];
const BACKUP = { ...USER, manager: 'velero' };

/** The metadata of an object in a backup, without what the server sets. */
export function restoredMetadata({ metadata }: KubeObject): ObjectMeta {
  return omit(metadata, ['uid', 'resourceVersion', 'managedFields', 'deletionTimestamp']);
}

function purge(world: World, type: ResourceType, object: KubeObject): void {
  const body = { metadata: { finalizers: null } };
  if ((object.metadata.finalizers ?? []).length > 0) {
    world.server.patch(type, object.metadata, { type: 'merge', body }, BACKUP);
  }
  world.server.delete(type, object.metadata, {}, BACKUP);
}

/**
 * The Applications, their children and revisions are lost without anybody noticing, and come back from a backup: with
 * new UIDs, and owner references to the old ones. What ran on members goes on.
 */
export function restore(world: World, keepsStatus: boolean): boolean {
  const saved = RESTORED.map((type) => ({ type, objects: world.server.list(type, NAMESPACE) }));
  if (saved.every(({ objects }) => objects.length === 0)) return false;
  for (const { type, objects } of saved) for (const object of objects) purge(world, type, object);
  for (const { type, objects } of saved) {
    for (const object of objects) {
      const metadata = restoredMetadata(object);
      const created = world.server.create(type, { ...object, metadata }, BACKUP);
      if (!keepsStatus || !('status' in object)) continue;
      const { status } = object;
      world.server.update(type, { ...created, status } as KubeObject, { ...BACKUP, subresource: 'status' });
    }
  }
  world.restart();
  return true;
}
