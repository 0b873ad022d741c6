import { createHash } from 'node:crypto';
import uniqBy from 'lodash/uniqBy.js';
import type { Artifact } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import type { Member } from '../../engine/member/member.js';
import { WaitingError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { isUnknownKind } from '../shared/objects.js';
import type { Deps } from './deps.js';
import { retryMs } from './model/timing.js';
import type { Observed, Rejection } from './model/types.js';
import { readObjectsAside } from './read-objects.js';

/** The artifact of the source. Throws WaitingError `ArtifactFailed`. */
export function sourceArtifact({ repositories, settings }: Deps, { metadata, spec }: Kustomization): Artifact {
  const { kind, name, namespace = metadata.namespace } = spec.sourceRef;
  const source = repositories.get({ name, namespace });
  const shown = `${kind}/${keyOf({ name, namespace })}`;
  if (source === undefined) {
    const message = `source '${shown}' not found: create it, or correct spec.sourceRef`;
    throw new WaitingError('ArtifactFailed', message, { retryAfterMs: retryMs(spec) });
  }
  const { artifact } = source.status ?? {};
  if (artifact !== undefined) return artifact;
  const retryAfterMs = settings.dependencyRequeueMs;
  throw new WaitingError('ArtifactFailed', `source '${shown}' has no artifact yet`, { retryAfterMs });
}

/** Which kinds are namespaced, of those that the cluster serves. */
async function scopesOf(
  member: Member,
  objects: readonly Unstructured[],
  signal: AbortSignal,
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

/** The manifests, built, or why they cannot be. Throws LostArtifactError, TerminalError. */
export async function observe(
  deps: Deps,
  kustomization: Kustomization,
  at: { readonly artifact: Artifact; readonly member: Member; readonly signal: AbortSignal },
): Promise<Observed | Rejection> {
  const { artifact, member, signal } = at;
  const lane = kustomization.metadata.namespace ?? '';
  const built = await deps.build({ artifact, spec: kustomization.spec, lane, signal });
  if ('problem' in built) return { kind: 'reject', reason: built.reason, message: built.problem };
  const read = await readObjectsAside(deps.offload, built.text, lane);
  if ('problem' in read) return { kind: 'reject', reason: 'BuildFailed', message: read.problem };
  return {
    artifact,
    objects: read.objects,
    digest: `sha256:${createHash('sha256').update(built.text).digest('hex')}`,
    saysEmpty: built.saysEmpty,
    scopes: await scopesOf(member, read.objects, signal),
  };
}
