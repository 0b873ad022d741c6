import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '#lib/errors.js';
import type { Deps } from './deps.js';
import { withTlsKeys } from './model/tls-keys.js';
import type { Source } from './model/types.js';

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

/** Decoded data of a Secret, by key. */
export type SecretData = ReadonlyMap<string, string>;

/** A reference in a source's spec. */
export interface SecretReference {
  /** For messages, e.g. `spec.secretRef`. */
  readonly field: string;
  readonly name: string;
  /** Of the error; default `AuthenticationFailed`. */
  readonly reason?: string;
}

/** The Secret that a source names, in its own namespace. Throws WaitingError when it is missing or a key costs too much. */
export async function readSecret(
  deps: Deps,
  { metadata: { namespace = '' } }: Source,
  reference: SecretReference,
  signal: AbortSignal,
): Promise<SecretData> {
  const { field, name, reason = 'AuthenticationFailed' } = reference;
  const secret = await deps.kube.get<Secret>(secretResource, { name, namespace }, { signal });
  if (secret === undefined) {
    const message = `Secret '${namespace}/${name}' named by ${field} does not exist: create it`;
    throw new WaitingError(reason, message, { retryAfterMs: deps.dependencyRequeueMs });
  }
  const entries = Object.entries(secret.data ?? {});
  const data = withTlsKeys(
    new Map(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')])),
  );
  if ('problem' in data) throw unusableSecret(deps, reference, data.problem);
  return data;
}

/** The error for a Secret that is there and cannot be used. */
export function unusableSecret(
  deps: Deps,
  { field, name, reason = 'AuthenticationFailed' }: SecretReference,
  problem: string,
): WaitingError {
  const message = `the Secret '${name}' named by ${field}: ${problem}`;
  return new WaitingError(reason, message, { retryAfterMs: deps.dependencyRequeueMs });
}
