import { apiStatusOf, TerminalError } from '#lib/errors.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import type { KubeObject, ManagedFieldsEntry } from '#api/meta.js';
import { NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Applying } from '#engine/flux/model/types.js';
import { listed } from '#lib/text/text.js';
import { keyOf } from '#lib/kube/keys.js';
import { ownsField } from '#lib/kube/managed-fields.js';
import { NO_METADATA, parseMetadata, type NamespaceMetadata } from '#lib/kube/namespace-metadata.js';
import { defined, isMap } from '#lib/plain.js';
import { hashedName } from '#lib/hash.js';
import type { HelmRelease } from './types.js';

/** The namespace that does not exist, where an API server says so; undefined for any other error. */
export function missingNamespace(error: unknown): string | undefined {
  const { code, subject } = apiStatusOf(error) ?? {};
  return code === 404 && subject?.resource === 'namespaces' ? subject.name : undefined;
}

/** True when a first install fails because its target namespace, which is `missing`, does not exist. */
export function lacksNamespace(release: HelmRelease, missing: string | undefined): boolean {
  const isInstalled = (release.status?.history ?? []).length > 0;
  return !isInstalled && missing === desiredTarget(release).namespace;
}

/** The problem of a first install, with the way out when its target namespace is `missing`. */
export function withNamespaceHint(release: HelmRelease, problem: string, missing: string | undefined): string {
  const { spec } = release;
  if (!lacksNamespace(release, missing)) return problem;
  if (spec.targetNamespace === undefined) {
    return `${problem}: create it, or set spec.targetNamespace and spec.install.createNamespace: true`;
  }
  if (spec.install?.createNamespace === true) return problem;
  return `${problem}: create it, or set spec.install.createNamespace: true`;
}

const MAX_MANAGER = 128;

const NAMED = 5;

const KINDS = ['labels', 'annotations'] as const;

/**
 * The field manager for the namespace of an object: of its own, so that another release in the namespace, and everything
 * else of ours, keeps what it set.
 */
export function namespaceManager({ metadata }: KubeObject): string {
  const name = `fairlead/namespace-of/${keyOf(metadata)}`;
  return name.length <= MAX_MANAGER ? name : hashedName(name, name, MAX_MANAGER);
}

/** What an object wants on its target namespace; undefined: it never wanted anything. Throws TerminalError. */
export function namespaceWish({ metadata }: Applying): NamespaceMetadata | undefined {
  const text = metadata.annotations?.[NAMESPACE_METADATA_ANNOTATION];
  if (text === undefined) return undefined;
  const wish = parseMetadata(text);
  if (!('problem' in wish)) return wish;
  const message = `metadata.annotations["${NAMESPACE_METADATA_ANNOTATION}"]: ${wish.problem}`;
  throw new TerminalError('NamespaceMetadataInvalid', message);
}

function isMain({ subresource = '' }: ManagedFieldsEntry): boolean {
  return subresource === '';
}

/** The entry of what the manager applied to a namespace; undefined: it has nothing there. */
export function appliedBy(live: KubeObject, manager: string): ManagedFieldsEntry | undefined {
  const entries = live.metadata.managedFields ?? [];
  return entries.find((entry) => isMain(entry) && entry.operation === 'Apply' && entry.manager === manager);
}

type Kind = (typeof KINDS)[number];

function keysOwned(entry: ManagedFieldsEntry | undefined, kind: Kind): string[] {
  const { fieldsV1 } = entry ?? {};
  const metadata = isMap(fieldsV1) ? fieldsV1['f:metadata'] : undefined;
  const fields = isMap(metadata) ? metadata[`f:${kind}`] : undefined;
  return isMap(fields) ? Object.keys(fields).flatMap((field) => (field.startsWith('f:') ? [field.slice(2)] : [])) : [];
}

/** Whose value a label or annotation has that is to get another one; undefined: nobody's but our own. */
function otherOwner(live: KubeObject, manager: string, path: readonly string[]): string | undefined {
  const others = (live.metadata.managedFields ?? []).filter((entry) => isMain(entry) && entry.manager !== manager);
  return others.find((entry) => ownsField(entry, path))?.manager;
}

interface Wanted {
  readonly wish: NamespaceMetadata;
  readonly manager: string;
}

function conflictsOf(live: KubeObject, { wish, manager }: Wanted): string[] {
  return KINDS.flatMap((kind) =>
    Object.entries(wish[kind]).flatMap(([key, value]) => {
      const found = live.metadata[kind]?.[key];
      if (found === undefined || found === value) return [];
      const owner = otherOwner(live, manager, ['f:metadata', `f:${kind}`, `f:${key}`]);
      return owner === undefined ? [] : [`${kind.slice(0, -1)} ${key} has another value, set by ${owner}`];
    }),
  );
}

function isAsWanted(live: KubeObject, { wish, manager }: Wanted): boolean {
  const entry = appliedBy(live, manager);
  return KINDS.every((kind) => {
    const [wanted, owned] = [Object.entries(wish[kind]), keysOwned(entry, kind)];
    const found = live.metadata[kind] ?? {};
    return (
      wanted.length === owned.length && wanted.every(([key, value]) => found[key] === value && owned.includes(key))
    );
  });
}

/** What an apply of the manager has to contain, and so all that it has on the namespace afterwards. */
function objectOf({ metadata: { name, uid } }: KubeObject, wish: NamespaceMetadata): KubeObject {
  // An empty map would be a field to own, and a conflict with whoever has something in it.
  const stated = KINDS.filter((kind) => Object.keys(wish[kind]).length > 0).map((kind) => [kind, wish[kind]] as const);
  const metadata = { name, ...defined({ uid }), ...Object.fromEntries(stated) };
  return { apiVersion: 'v1', kind: 'Namespace', metadata };
}

/** What is to be done about a namespace. */
export type NamespacePlan =
  | { readonly op: 'nothing' }
  /** By server-side apply, without force. With its UID: another one of the name is neither changed nor created. */
  | { readonly op: 'apply'; readonly object: KubeObject }
  /** Others have set other values, which stay. */
  | { readonly op: 'refuse'; readonly why: string };

/** Never throws. */
export function planNamespace(live: KubeObject, wanted: Wanted): NamespacePlan {
  const conflicts = conflictsOf(live, wanted);
  if (conflicts.length > 0) return { op: 'refuse', why: conflictText(live.metadata.name, conflicts) };
  return isAsWanted(live, wanted) ? { op: 'nothing' } : { op: 'apply', object: objectOf(live, wanted.wish) };
}

/** Takes back what the manager has set on the namespace, and nothing else. */
export function planWithdrawal(live: KubeObject, manager: string): NamespacePlan {
  return planNamespace(live, { wish: NO_METADATA, manager });
}

function conflictText(name: string, conflicts: readonly string[]): string {
  return `namespace ${name}: ${listed(conflicts, NAMED)}: use the same value, remove it from namespaceLabels or namespaceAnnotations, or remove it from the namespace`;
}
