import { createHash } from 'node:crypto';
import uniqBy from 'lodash/uniqBy.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { watchesFor, watchInventory } from '#engine/flux/drift.js';
import { masked } from '#engine/flux/model/masks.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { keyOf } from '#lib/kube/keys.js';
import { isUnknownKind } from '#engine/member/member-failure.js';
import type { Member } from '#engine/member/member.js';
import type { Manifests, Observed, Rejection } from './model/types.js';
import type { SyncPass } from './prepare.js';
import { readKeys, readVariables, type ReferencePass } from './read-references.js';
import type { BuildOutcome } from './build.js';
import type { BuildProblem } from './prepare-aside.js';
import { refuseRenamed } from './model/namespaces.js';
import type { Variables } from './model/substitution/substitute.js';
import { readManifestsAside } from './read-manifests.js';

/** Knows which kinds are namespaced; see `Member.resourceType`. */
export interface ScopedKinds {
  resourceType(...query: Parameters<Member['resourceType']>): Promise<Pick<ResourceType, 'namespaced'>>;
}

/** What a source is built with. */
export interface BuildPass extends ReferencePass, Pick<SyncPass, 'build' | 'offload' | 'artifact'> {
  readonly context: Pick<SyncPass['context'], 'signal'> & { readonly member: ScopedKinds };
}

/** Which kinds are namespaced, of those that the cluster serves. */
async function scopesOf(
  { context: { member, signal } }: BuildPass,
  objects: readonly Unstructured[],
): Promise<Map<string, boolean>> {
  const kinds = uniqBy(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const scopes = kinds.map(async ({ apiVersion, kind }): Promise<[string, boolean][]> => {
    try {
      const { namespaced } = await member.resourceType(apiVersion, kind, { signal });
      return [[`${apiVersion} ${kind}`, namespaced]];
    } catch (error: unknown) {
      if (!isUnknownKind(error)) throw error;
      return [];
    }
  });
  return new Map((await Promise.all(scopes)).flat());
}

function rejected({ problem, reason }: BuildProblem): Rejection {
  return { kind: 'reject', reason, message: problem };
}

/** Why the build is rejected if spec.targetNamespace renames Namespaces. `namespaces`: their manifests without it. */
async function findRenamed(
  { kustomization: { metadata, spec }, offload }: BuildPass,
  built: BuildOutcome,
  variables: Variables | undefined,
): Promise<Rejection | undefined> {
  const { namespaces } = built;
  if (namespaces === undefined) return undefined;
  const read = await readManifestsAside(offload, { text: namespaces, variables }, metadata.namespace ?? '');
  if ('problem' in read) {
    const secrets = 'secrets' in built ? built.secrets : [];
    return rejected({ reason: 'BuildFailed', problem: masked(read.problem, secrets) });
  }
  const refusal = refuseRenamed(read.objects, spec.targetNamespace ?? '');
  return refusal && { ...refusal, message: masked(refusal.message, read.secrets) };
}

/** The same; an error may quote a group that is made of a variable. */
async function scopesWithout(
  secrets: readonly string[],
  pass: BuildPass,
  objects: readonly Unstructured[],
): Promise<Map<string, boolean>> {
  try {
    return await scopesOf(pass, objects);
  } catch (error: unknown) {
    const texts = new SecretTexts();
    texts.add('build', () => ({ secret: secrets }));
    throw texts.maskError(error);
  }
}

/** What the source is built into, or why it cannot be. */
export async function buildManifests(pass: BuildPass): Promise<Manifests | Rejection> {
  const { build, offload, kustomization, artifact, signal } = pass;
  const lane = kustomization.metadata.namespace ?? '';
  const keys = await readKeys(pass);
  const built = await build({ artifact, spec: kustomization.spec, keys, lane, signal });
  if ('problem' in built && built.namespaces === undefined) return rejected(built);
  const variables = await readVariables(pass);
  const renamed = await findRenamed(pass, built, variables);
  if (renamed !== undefined) return renamed;
  if ('problem' in built) return rejected(built);
  const read = await readManifestsAside(offload, { text: built.text, variables }, lane);
  if ('problem' in read) return { kind: 'reject', reason: 'BuildFailed', message: masked(read.problem, built.secrets) };
  const secrets = [...built.secrets, ...read.secrets];
  return {
    kind: 'manifests',
    objects: read.objects,
    digest: `sha256:${createHash('sha256').update(read.text).digest('hex')}`,
    template: built.text,
    secrets,
    saysEmpty: built.saysEmpty,
    scopes: await scopesWithout(secrets, pass, read.objects),
  };
}

/**
 * Watches the kinds of all objects from before they are read; kinds that are not served yet are watched later. False if
 * nothing is watched.
 */
async function watchObjects(pass: SyncPass, objects: readonly Unstructured[]): Promise<boolean> {
  const { kustomization, context } = pass;
  const owner = keyOf(kustomization.metadata);
  const managed = watchesFor(pass, kustomization);
  if (managed === undefined) {
    pass.managed?.drop(owner);
    return false;
  }
  const applied = kustomization.status?.inventory?.entries ?? [];
  await watchInventory(context, managed, { owner, entries: [...applied, ...objects.map(inventoryEntry)] });
  return true;
}

/** Observes what the source is built into. Throws LostArtifactError, TerminalError, and what a cluster says. */
export async function observe(pass: SyncPass): Promise<Observed> {
  const { kustomization, artifact } = pass;
  const manifests = await buildManifests(pass);
  if (manifests.kind === 'manifests') pass.secrets.add('build', () => ({ secret: manifests.secrets }));
  const isWatched = await watchObjects(pass, manifests.kind === 'reject' ? [] : manifests.objects);
  return { kustomization, artifact, manifests, isWatched };
}
