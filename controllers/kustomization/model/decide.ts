import omit from 'lodash/omit.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { isCrd, servedKinds } from '#engine/apply/model/crd.js';
import { inventoryEntry, staleEntries, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { listed } from '#lib/text/text.js';
import { isMap } from '#lib/plain.js';
import { isEncrypted, isIgnored, MAX_OBJECTS, owned, ownerOf } from './objects.js';
import { stagesOf } from './stages.js';
import type { Manifests, Observed, Plan, Rejection, Synchronization } from './types.js';

/** The API server stores no object of more than 1.5 MiB, and the status says more than this. */
const MAX_INVENTORY_BYTES = 1_000_000;
const MOST_NAMED = 5;

function kindKey({ apiVersion, kind }: Pick<Unstructured, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`;
}

/** What the CRDs among the objects define. */
function ownScopes(objects: readonly Unstructured[]): [string, boolean][] {
  return objects.filter(isCrd).flatMap((crd) => {
    const isNamespaced = isMap(crd['spec']) && crd['spec']['scope'] === 'Namespaced';
    return servedKinds(crd).map((kind): [string, boolean] => [kindKey(kind), isNamespaced]);
  });
}

/** A cluster-scoped object has no namespace, whatever a transformer gave it. */
function placed(object: Unstructured, isNamespaced: boolean | undefined): Unstructured {
  if (isNamespaced !== false) return object;
  return { ...object, metadata: omit(object.metadata, 'namespace') };
}

function subjects(objects: readonly Unstructured[]): string {
  return listed(
    objects.map((object) => subjectOf(targetOf(object))),
    MOST_NAMED,
  );
}

function reject(reason: Rejection['reason'], message: string): Rejection {
  return { kind: 'reject', reason, message };
}

function isNameless({ metadata }: Unstructured): boolean {
  return typeof metadata.name !== 'string' || metadata.name === '';
}

/** What is wrong with the manifests as a whole: nothing of them is applied. */
function rejectionOf(objects: readonly Unstructured[], scopes: ReadonlyMap<string, boolean>): Rejection | undefined {
  if (objects.length > MAX_OBJECTS) {
    const message = `the build has ${objects.length} objects, and at most ${MAX_OBJECTS} are supported: split it`;
    return reject('BuildFailed', message);
  }
  const nameless = objects.find(isNameless);
  if (nameless !== undefined) return reject('BuildFailed', `${nameless.kind}/? has no metadata.name: set it`);
  const encrypted = objects.filter(isEncrypted);
  if (encrypted.length > 0) {
    const message = `${subjects(encrypted)}: encrypted by SOPS, and not decrypted`;
    const wayOut = 'set spec.decryption, and refer to the file in resources of a kustomization file';
    return reject('ReconciliationFailed', `${message}: ${wayOut}`);
  }
  const homeless = objects.filter((object) => scopes.get(kindKey(object)) === true && !object.metadata.namespace);
  if (homeless.length === 0) return undefined;
  const message = `${subjects(homeless)} namespace not specified: set metadata.namespace, or spec.targetNamespace`;
  return reject('ReconciliationFailed', message);
}

function duplicateOf(entries: readonly InventoryEntry[]): string | undefined {
  const seen = new Set<string>();
  return entries.find(({ id }) => seen.size === seen.add(id).size)?.id;
}

/** What must become healthy, as the spec says; never the Kustomization itself. */
function checksOf({ metadata, spec }: Kustomization, objects: readonly Unstructured[]): readonly Unstructured[] {
  const named = (spec.healthChecks ?? []).map(({ apiVersion = 'v1', kind, name, namespace }): Unstructured => {
    const target = { name, namespace: namespace ?? metadata.namespace };
    const isSame = (object: Unstructured): boolean =>
      object.kind === kind && object.apiVersion === apiVersion && object.metadata.name === name;
    const own = objects.find((object) => isSame(object) && (object.metadata.namespace ?? '') === target.namespace);
    return own ?? { apiVersion, kind, metadata: target };
  });
  const checked = spec.wait === true ? objects.filter((object) => !isIgnored(object)) : named;
  return checked.filter(
    (object) =>
      object.kind !== 'Kustomization' ||
      object.metadata.name !== metadata.name ||
      object.metadata.namespace !== metadata.namespace,
  );
}

/** True when deleting everything may be a mistake: nothing was built, and nothing says that this is meant. */
function isSuspiciouslyEmpty({ spec, status }: Kustomization, { objects, saysEmpty }: Manifests): boolean {
  const keeps = (status?.inventory?.entries ?? []).length > 0;
  return spec.prune && keeps && objects.length === 0 && !saysEmpty;
}

/** The entries so far, and those to come, without kinds that are not served yet: their scope is not known. */
function aheadOf(objects: readonly Unstructured[], before: readonly InventoryEntry[]): InventoryEntry[] {
  return [...before, ...staleEntries(objects.map(inventoryEntry), before)];
}

/** Why the inventory cannot be; one that does not grow always can, for that is how it gets shorter. */
function tooLong(
  ahead: readonly InventoryEntry[],
  before: readonly InventoryEntry[],
  inventory: readonly InventoryEntry[],
): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(ahead));
  if (bytes <= MAX_INVENTORY_BYTES || ahead.length === before.length) return undefined;
  const gone = staleEntries(before, inventory).length;
  const [among, wayOut] =
    gone === 0
      ? ['', '']
      : [
          `, among them ${gone} that the source lacks,`,
          `, or first apply a source without new objects, after which those ${gone} are no longer listed`,
        ];
  const would = `the inventory of ${ahead.length} objects${among} would have ${bytes} bytes`;
  return `${would}, and status.inventory holds ${MAX_INVENTORY_BYTES} at most: split the Kustomization${wayOut}`;
}

/** A retry is none: if it is refused again, it must not list ahead, and forget, what it cannot create. */
function isFirst({ kustomization: { status }, artifact }: Observed): boolean {
  return (status?.inventory?.entries ?? []).length === 0 && status?.lastAttemptedRevision !== artifact.revision;
}

function synchronize(observed: Observed, manifests: Manifests): Synchronization | Rejection {
  const { kustomization } = observed;
  const { spec, status } = kustomization;
  const scopes = new Map([...manifests.scopes, ...ownScopes(manifests.objects)]);
  const owner = ownerOf(kustomization);
  const rejection = rejectionOf(manifests.objects, scopes);
  if (rejection !== undefined) return rejection;
  if (isSuspiciouslyEmpty(kustomization, manifests)) {
    return reject(
      'BuildFailed',
      'the build is empty, and nothing is deleted: restore the files, write a kustomization.yaml with ' +
        '"resources: []" to delete everything, or delete the Kustomization',
    );
  }
  const ordered = stagesOf(
    manifests.objects.map((object) => owned(placed(object, scopes.get(kindKey(object))), owner, spec)),
  );
  const objects = ordered.flatMap(({ groups }) => groups.flat());
  const inventory = objects.map(inventoryEntry);
  const duplicate = duplicateOf(inventory);
  if (duplicate !== undefined) {
    return reject('BuildFailed', `${duplicate} is built more than once: remove all of them but one`);
  }
  const before = status?.inventory?.entries ?? [];
  const ahead = aheadOf(
    objects.filter((object) => scopes.has(kindKey(object))),
    before,
  );
  const excess = tooLong(ahead, before, inventory);
  if (excess !== undefined) return reject('BuildFailed', excess);
  return {
    kind: 'apply',
    objects,
    isFirst: isFirst(observed),
    inventory,
    ahead,
    stale: spec.prune ? staleEntries(before, inventory) : [],
    checks: checksOf(kustomization, objects),
  };
}

/** What is to be done with what a source is built into, given what was applied before. Never throws. */
export function decide(observed: Observed): Plan {
  const { manifests } = observed;
  const decision = manifests.kind === 'reject' ? manifests : synchronize(observed, manifests);
  return { observed, decision };
}
