import { WaitingError } from '../../runtime/pure/errors.js';
import type { Host } from './host.js';
import type { HttpCredentials, TlsFiles } from './http.js';
import type { HelmRepository } from './model/types.js';
import { readSecret, type SecretData } from './secrets.js';

const TLS_KEYS = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const;

function basicAuthorization(data: SecretData, retryAfterMs: number): string {
  const [username, password] = [data.get('username'), data.get('password')];
  if (username === undefined || password === undefined) {
    const message = 'the Secret named by spec.secretRef lacks the key username or password: add it';
    throw new WaitingError('AuthenticationFailed', message, { retryAfterMs });
  }
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Certificates of a Secret with `ca.crt`, `tls.crt` and `tls.key`, all optional. */
function tlsOf(data: SecretData): TlsFiles {
  const entries = Object.entries(TLS_KEYS).map(([part, key]) => [part, data.get(key)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * What `spec.secretRef` and `spec.certSecretRef` hold. Errors: WaitingError `AuthenticationFailed`, naming the field.
 */
export async function helmCredentials(
  host: Host,
  repository: HelmRepository,
  signal: AbortSignal,
): Promise<HttpCredentials> {
  const { secretRef, certSecretRef } = repository.spec;
  const read = (field: string, name: string): Promise<SecretData> =>
    readSecret(host, repository, { field, name }, signal);
  const tls = certSecretRef && tlsOf(await read('spec.certSecretRef', certSecretRef.name));
  const authorization =
    secretRef && basicAuthorization(await read('spec.secretRef', secretRef.name), host.dependencyRequeueMs);
  return { ...(tls ? { tls } : {}), ...(authorization ? { authorization } : {}) };
}
