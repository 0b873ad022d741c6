import * as tls from 'node:tls';
import { WaitingError } from '#lib/errors.js';
import type { Deps } from './deps.js';
import type { HttpCredentials, TlsFiles } from './http.js';
import { TLS_KEYS } from './model/tls-keys.js';
import type { HelmRepository } from './model/types.js';
import { readSecret, type SecretData } from './secrets.js';

/** Node >= 22.15 lists all trusted certificates, NODE_EXTRA_CA_CERTS included; our types are those of Node 20. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };

/** `ca` (PEM) in addition to the default roots: a private CA never replaces the public ones, as in Flux. */
export function trustedRoots(ca: string): string[] {
  return [...(getCACertificates?.('default') ?? tls.rootCertificates), ca];
}

/** Each part by its key, and by the one of old Secrets, which Flux reads, too. */
const TLS_PARTS = { ca: ['ca.crt', 'caFile'], cert: ['tls.crt', 'certFile'], key: TLS_KEYS } as const;

/** Certificates of a Secret, all optional; undefined when there is none. */
export function tlsOf(data: SecretData): TlsFiles | undefined {
  const partOf = ([key, oldKey]: readonly [string, string]): string | undefined => data.get(key) ?? data.get(oldKey);
  const [ca, cert, key] = [partOf(TLS_PARTS.ca), partOf(TLS_PARTS.cert), partOf(TLS_PARTS.key)];
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  return { ...(ca ? { ca: trustedRoots(ca) } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The login of a Secret; undefined when it holds none, for a Secret may hold certificates alone. */
function authorizationIn(data: SecretData, retryAfterMs: number): string | undefined {
  const [username, password] = [data.get('username'), data.get('password')];
  if (username === undefined && password === undefined && tlsOf(data) !== undefined) return undefined;
  if (username === undefined || password === undefined) {
    const message = 'the Secret named by spec.secretRef lacks the key username or password: add it';
    throw new WaitingError('AuthenticationFailed', message, { retryAfterMs });
  }
  return basicAuthorization(username, password);
}

/**
 * What `spec.secretRef` and `spec.certSecretRef` hold; certificates of the former count without the latter only. Errors:
 * WaitingError `AuthenticationFailed`, naming the field.
 */
export async function helmCredentials(
  deps: Deps,
  repository: HelmRepository,
  signal: AbortSignal,
): Promise<HttpCredentials> {
  const { secretRef, certSecretRef } = repository.spec;
  const read = (field: string, name: string): Promise<SecretData> =>
    readSecret(deps, repository, { field, name }, signal);
  const certificates = certSecretRef && (await read('spec.certSecretRef', certSecretRef.name));
  const login = secretRef && (await read('spec.secretRef', secretRef.name));
  const source = certificates ?? login;
  const tls = source && tlsOf(source);
  const authorization = login && authorizationIn(login, deps.dependencyRequeueMs);
  return { ...(tls ? { tls } : {}), ...(authorization ? { authorization } : {}) };
}
