import type { ValuesReference } from '#api/flux/helm-release-fields.js';
import { configMapResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '#lib/errors.js';
import { composeInWorker, type DigestedValues } from './compose-values.js';
import type { Deps } from './pass.js';
import { valuesKeyOf, type ResolvedReference } from './model/values.js';
import type { HelmRelease } from './model/types.js';

/** What values are read with. */
export interface ValuesDeps extends Pick<Deps, 'offload'> {
  readonly kube: Pick<Deps['kube'], 'get'>;
  readonly settings: Pick<Deps['settings'], 'dependencyRequeueMs'>;
}

interface DataObject extends KubeObject {
  data?: Record<string, string>;
}

/** The text that a reference names, if it exists. */
function only(data: Record<string, string>, key: string, isSecret: boolean): Record<string, string> {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) return {};
  return { [key]: isSecret ? Buffer.from(text, 'base64').toString() : text };
}

async function resolve(
  deps: ValuesDeps,
  reference: ValuesReference,
  namespace: string,
  signal: AbortSignal,
): Promise<ResolvedReference> {
  const isSecret = reference.kind === 'Secret';
  const type = isSecret ? secretResource : configMapResource;
  const object = await deps.kube.get<DataObject>(type, { name: reference.name, namespace }, { signal });
  const data = object && only(object.data ?? {}, valuesKeyOf(reference), isSecret);
  return { reference, namespace, data };
}

/**
 * The values of a release with their digest, read from the API server. Throws WaitingError `ValuesError`, which names
 * the object and key but no content: what is missing may be created at any time.
 */
export async function readValues(deps: ValuesDeps, release: HelmRelease, signal: AbortSignal): Promise<DigestedValues> {
  const namespace = release.metadata.namespace ?? '';
  const references: ResolvedReference[] = [];
  for (const reference of release.spec.valuesFrom ?? [])
    references.push(await resolve(deps, reference, namespace, signal));
  const composed = await composeInWorker(deps.offload, { references, inline: release.spec.values }, namespace);
  if ('values' in composed) return composed;
  const message = `could not compose the values: ${composed.problem}`;
  throw new WaitingError('ValuesError', message, { retryAfterMs: deps.settings.dependencyRequeueMs });
}
