import { configMapResource, secretResource } from '../../../api/core.js';
import type { KubeObject } from '../../../api/meta.js';
import { WaitingError } from '../../runtime/pure/errors.js';
import type { Host } from './host.js';
import { composeValues, type ResolvedReference, type ValuesReference } from './model/values.js';
import type { HelmRelease } from './model/types.js';

interface DataObject extends KubeObject {
  data?: Record<string, string>;
}

function decode(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

async function resolve(
  host: Host,
  reference: ValuesReference,
  namespace: string,
  signal: AbortSignal,
): Promise<ResolvedReference> {
  const isSecret = reference.kind === 'Secret';
  const type = isSecret ? secretResource : configMapResource;
  const object = await host.kube.get<DataObject>(type, { name: reference.name, namespace }, { signal });
  const data = object?.data ?? {};
  return { reference, namespace, data: object === undefined ? undefined : isSecret ? decode(data) : data };
}

/**
 * The values of a release, read fresh. Throws WaitingError `ValuesError` that names the object and key, never content:
 * the missing piece may appear at any time.
 */
export async function readValues(
  host: Host,
  release: HelmRelease,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const namespace = release.metadata.namespace ?? '';
  const references: ResolvedReference[] = [];
  for (const reference of release.spec.valuesFrom ?? [])
    references.push(await resolve(host, reference, namespace, signal));
  const composed = composeValues(references, release.spec.values);
  if ('values' in composed) return composed.values;
  const message = `could not compose the values: ${composed.problem}`;
  throw new WaitingError('ValuesError', message, { retryAfterMs: host.settings.dependencyRequeueMs });
}
