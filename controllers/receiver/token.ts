import { secretResource } from '#api/core.js';
import type { Receiver } from '#api/flux/receiver.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { WaitingError } from '#lib/errors.js';

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

/** The watch on Secrets comes first. */
const RETRY_MS = 60_000;

/** The token of a Receiver, byte by byte. Throws WaitingError `TokenNotFound`. */
export async function readToken(kube: Kube, { metadata, spec }: Receiver, signal: AbortSignal): Promise<Buffer> {
  const { namespace = '' } = metadata;
  const name = spec.secretRef?.name ?? '';
  const secret = await kube.get<Secret>(secretResource, { name, namespace }, { signal });
  const token = Buffer.from(secret?.data?.['token'] ?? '', 'base64');
  if (token.length > 0) return token;
  const problem = secret === undefined ? 'does not exist: create it' : 'lacks the key token: add it';
  throw new WaitingError('TokenNotFound', `Secret '${namespace}/${name}' named by spec.secretRef ${problem}`, {
    retryAfterMs: RETRY_MS,
  });
}
