import memoize from 'lodash/memoize.js';
import once from 'lodash/once.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import { inventoryId, targetOf } from '#engine/member/model/inventory.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { NAME_LABEL, NAMESPACE_LABEL } from './model/objects.js';
import type { Pass } from './pass.js';

/** Reason of what another Kustomization keeps. */
export const TARGET_TAKEN = 'TargetTaken';

type Asked = Pick<Pass, 'kube' | 'kustomizations' | 'kustomization' | 'signal'>;

function lists({ status }: Kustomization, object: Unstructured): boolean {
  const wanted = inventoryId(targetOf(object));
  return (status?.inventory?.entries ?? []).some(({ id }) => id === wanted);
}

/** Who keeps a live object; undefined: nobody else does. */
export type OtherOwner = (live: Unstructured) => Promise<string | undefined>;

/**
 * The Kustomization whose labels a live object has, if that is another one that exists and lists it: two that apply one
 * object would undo each other's work. That it is gone only the API server says.
 */
export function otherOwner({ kube, kustomizations, kustomization, signal }: Asked): OtherOwner {
  const own = keyOf(kustomization.metadata);
  const find = memoize(async (key: string) => {
    return (
      kustomizations.get(parseKey(key)) ??
      (await kube.get<Kustomization>(kustomizationResource, parseKey(key), { signal }))
    );
  });
  return async (live) => {
    const { [NAME_LABEL]: name, [NAMESPACE_LABEL]: namespace } = live.metadata.labels ?? {};
    if (name === undefined || namespace === undefined) return undefined;
    const key = keyOf({ namespace, name });
    const other = key === own ? undefined : await find(key);
    if (other === undefined || isSameCluster(kustomization, other) === false || !lists(other, live)) return undefined;
    return `Kustomization ${key}`;
  };
}

/** One of another namespace that was refused an object only wishes for it: that is no reason to keep the object. */
function counts(other: Kustomization, own: Kustomization): boolean {
  if (other.metadata.deletionTimestamp !== undefined || isSameCluster(own, other) !== true) return false;
  const isRefused = getCondition(other.status?.conditions, 'Ready')?.reason === TARGET_TAKEN;
  return !isRefused || other.metadata.namespace === own.metadata.namespace;
}

/** Another Kustomization on the cluster that lists an object, in words; undefined: none does. */
export function otherLister({ kustomizations, kustomization }: Pick<Asked, 'kustomizations' | 'kustomization'>) {
  const own = keyOf(kustomization.metadata);
  const byId = once(() => {
    const others = kustomizations.list().filter((each) => keyOf(each.metadata) !== own && counts(each, kustomization));
    return new Map(
      others.flatMap(({ metadata, status }) =>
        (status?.inventory?.entries ?? []).map(({ id }) => [id, `Kustomization ${keyOf(metadata)}`] as const),
      ),
    );
  });
  return (live: Unstructured): string | undefined => byId().get(inventoryId(targetOf(live)));
}
