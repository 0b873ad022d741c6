import type { Unstructured } from '#api/meta.js';
import { groupKindOf } from '#controllers/engine/apply/model/inventory.js';
import { isMap } from '#controllers/runtime/pure/plain.js';

const HOLDERS: readonly string[] = [
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
];

function field(value: unknown, name: string): unknown {
  return isMap(value) ? value[name] : undefined;
}

/** True when deleting the live object deletes data that is nowhere else. */
export function holdsData(live: Unstructured): boolean {
  const kind = groupKindOf(live);
  if (kind !== 'apps/StatefulSet') return HOLDERS.includes(kind);
  return field(field(live['spec'], 'persistentVolumeClaimRetentionPolicy'), 'whenDeleted') === 'Delete';
}
