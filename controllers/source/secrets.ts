import * as tls from 'node:tls';
import { privateKeyIn, unusableKey } from '#lib/net/private-key.js';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError } from '#lib/errors.js';
import { isProxyUrl, type ProxySettings } from '#lib/net/proxy.js';
import type { Deps } from './deps.js';
import type { Source, HelmRepository } from './model/source.js';
import type { HttpCredentials, TlsFiles } from './http.js';

/** Where a Secret has the private key of a client certificate; the second one in old Secrets, which Flux reads, too. */
const TLS_KEYS = ['tls.key', 'keyFile'] as const;

/** A handshake signs where everybody else waits: with 8192 bits, for most of a second. */
const MAX_RSA_BITS = 4096;

/** The data of a Secret with its private keys as they are used. A problem names the key. */
export function withTlsKeys(
  data: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | { readonly problem: string } {
  const read = new Map(data);
  for (const name of TLS_KEYS) {
    const text = data.get(name) ?? '';
    const key = privateKeyIn(text);
    if (text === '') continue;
    if (key === undefined || (key.rsaBits ?? 0) > MAX_RSA_BITS)
      return { problem: `its key ${name} ${unusableKey(MAX_RSA_BITS)}` };
    read.set(name, key.pem);
  }
  return read;
}

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
 * The content of `spec.secretRef` and `spec.certSecretRef`; certificates of the former count without the latter only.
 * Errors: WaitingError `AuthenticationFailed`, naming the field.
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

/**
 * The proxy of a source that names one in `spec.proxySecretRef`, in place of that of the environment; undefined when it
 * does not. Throws WaitingError `AuthenticationFailed`, naming the Secret and the key.
 */
export async function proxiesOf(
  deps: Deps,
  source: Source & { readonly spec: { readonly proxySecretRef?: { readonly name: string } } },
  signal: AbortSignal,
): Promise<ProxySettings | undefined> {
  const { proxySecretRef } = source.spec;
  if (proxySecretRef === undefined) return undefined;
  const reference = { field: 'spec.proxySecretRef', name: proxySecretRef.name };
  const data = await readSecret(deps, source, reference, signal);
  const address = data.get('address') ?? '';
  if (!isProxyUrl(address)) {
    const problem = 'its key address is not the URL of a proxy: write e.g. http://proxy.example.com:3128';
    throw unusableSecret(deps, reference, problem);
  }
  const url = new URL(address);
  // An editor ends a file with a newline.
  const line = (key: string): string => encodeURIComponent((data.get(key) ?? '').replace(/\r?\n$/, ''));
  [url.username, url.password] = [line('username'), line('password')];
  return { http: url.href, https: url.href };
}
