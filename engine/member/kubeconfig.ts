import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { isMetadataHost } from '#lib/net/link-local.js';
import { defined, isMap } from '#lib/plain.js';
import { privateKeyIn, UNUSABLE_KEY } from '#lib/net/private-key.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import type { ClusterCredential } from '#runtime/client/credentials.js';

type Fields = Readonly<Record<string, unknown>>;

export interface KubeconfigRules {
  /** Accept `insecure-skip-tls-verify`. */
  readonly allowInsecure: boolean;
}

/** Why a kubeconfig is not used, with the way out; never holds any of its content but names of fields and contexts. */
export class KubeconfigProblem extends Error {}

interface Banned {
  readonly field: string;
  readonly wayOut: string;
}

/** Characters of a header; tokens of Kubernetes use fewer. */
const TOKEN = /^[!-~]+$/;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const EMBED = 'embed it: kubectl config view --raw --flatten --minify';
const OWN_CREDENTIAL = 'use a token or a client certificate';
const BANNED_USER_FIELDS: readonly Banned[] = [
  { field: 'exec', wayOut: `credential plugins are never run; ${OWN_CREDENTIAL}` },
  { field: 'auth-provider', wayOut: OWN_CREDENTIAL },
  { field: 'as', wayOut: 'use the credential of that user itself' },
  { field: 'as-groups', wayOut: 'use a credential that has these groups' },
  { field: 'as-uid', wayOut: 'use the credential of that user itself' },
  { field: 'as-user-extra', wayOut: 'use the credential of that user itself' },
];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (!isSet(value)) return undefined;
  if (typeof value !== 'string') throw new KubeconfigProblem(`${name} is not a string`);
  return value;
}

/** An entry of a list such as `clusters`, by name. */
function entry(config: Fields, { list, name, field }: Record<'list' | 'name' | 'field', string>): Fields {
  const entries = config[list];
  const found = Array.isArray(entries)
    ? entries.find((candidate): candidate is Fields => isMap(candidate) && candidate['name'] === name)
    : undefined;
  const content = found?.[field];
  if (isMap(content)) return content;
  throw new KubeconfigProblem(`${list} has no entry ${JSON.stringify(name)}`);
}

function readConfig(content: string): Fields {
  let config: unknown;
  try {
    config = parseYaml(content);
  } catch {
    // The parser's message quotes lines of the file, which hold secrets: it must not become the cause either.
    throw new KubeconfigProblem('is not valid YAML');
  }
  if (!isMap(config)) throw new KubeconfigProblem('is not a kubeconfig: it is not a YAML map');
  return config;
}

function currentContext(config: Fields): Fields {
  const name = text(config, 'current-context');
  if (name === undefined) throw new KubeconfigProblem('sets no current-context');
  return entry(config, { list: 'contexts', name, field: 'context' });
}

function pem(fields: Fields, name: string): string | undefined {
  const encoded = text(fields, `${name}-data`);
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString('utf8');
  if (isSet(fields[name])) throw new KubeconfigProblem(`names the file ${name}, and files are never read; ${EMBED}`);
  return undefined;
}

function isHttp(url: URL | null): url is URL {
  return url !== null && ['https:', 'http:'].includes(url.protocol);
}

/** `field`: where the URL is, for the message. */
function checkHost({ hostname }: URL, field: string): void {
  if (!isMetadataHost(hostname)) return;
  throw new KubeconfigProblem(
    `the ${field} of its cluster is a link-local address or a metadata server, which no cluster is; use another address`,
  );
}

function checkServer(cluster: Fields, rules: KubeconfigRules): string {
  const server = text(cluster, 'server');
  if (server === undefined) throw new KubeconfigProblem('its cluster has no server');
  const url = URL.parse(server);
  if (!isHttp(url)) {
    throw new KubeconfigProblem('the server of its cluster is not an http(s) URL');
  }
  checkHost(url, 'server');
  // Messages show the server, so it must not contain a secret.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new KubeconfigProblem(
      'the server of its cluster contains more than scheme, host, port and path; remove the rest',
    );
  }
  if (url.protocol === 'http:' && !rules.allowInsecure) {
    throw new KubeconfigProblem('the server of its cluster is plain http, which exposes secrets; use https');
  }
  return server;
}

function readProxy(cluster: Fields): string | undefined {
  const proxy = text(cluster, 'proxy-url');
  if (proxy === undefined) return undefined;
  const url = URL.parse(proxy);
  if (!isHttp(url)) {
    throw new KubeconfigProblem('the proxy-url of its cluster is not an http(s) URL, and no other proxy is supported');
  }
  checkHost(url, 'proxy-url');
  return proxy;
}

function clusterPart(cluster: Fields, rules: KubeconfigRules): ClusterCredential {
  const insecure = cluster['insecure-skip-tls-verify'] === true;
  if (insecure && !rules.allowInsecure) {
    throw new KubeconfigProblem('sets insecure-skip-tls-verify; give certificate-authority-data instead');
  }
  return defined({
    server: checkServer(cluster, rules),
    ca: pem(cluster, 'certificate-authority'),
    tlsServerName: text(cluster, 'tls-server-name'),
    proxyUrl: readProxy(cluster),
    insecureSkipTlsVerify: insecure ? true : undefined,
  });
}

function readToken(user: Fields): string | undefined {
  const token = text(user, 'token');
  if (token === undefined && isSet(user['tokenFile'])) {
    throw new KubeconfigProblem('names a tokenFile, and files are never read; set token');
  }
  if (token === undefined || TOKEN.test(token)) return token;
  throw new KubeconfigProblem('its token contains a space, a line break or a character that is not ASCII; remove it');
}

function readKey(user: Fields): string | undefined {
  const text = pem(user, 'client-key');
  const key = text === undefined ? undefined : privateKeyIn(text);
  if (text !== undefined && key === undefined) throw new KubeconfigProblem(`its client-key-data ${UNUSABLE_KEY}`);
  return key?.pem;
}

function userPart(user: Fields): Omit<ClusterCredential, 'server'> {
  for (const { field, wayOut } of BANNED_USER_FIELDS) {
    if (isSet(user[field])) throw new KubeconfigProblem(`its user sets ${field}; ${wayOut}`);
  }
  return defined({
    token: readToken(user),
    cert: pem(user, 'client-certificate'),
    key: readKey(user),
    username: text(user, 'username'),
    password: text(user, 'password'),
  });
}

/** TLS would treat an invalid authority as an empty list, and reject every server without a reason. */
function checkAuthorities(ca: string): void {
  const certificates = ca.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw new Error('no certificate');
  for (const certificate of certificates) new X509Certificate(certificate);
}

function checkPair({ cert, key }: ClusterCredential): void {
  if ((cert === undefined) === (key === undefined)) return;
  const [present, absent] = cert === undefined ? ['key', 'certificate'] : ['certificate', 'key'];
  throw new KubeconfigProblem(`its user has client-${present}-data without client-${absent}-data; set both`);
}

function checkCertificates({ ca, cert, key }: ClusterCredential): void {
  try {
    if (ca !== undefined) checkAuthorities(ca);
    createSecureContext(defined({ cert, key }));
  } catch {
    throw new KubeconfigProblem('its certificates or key are not valid PEM, or do not belong together');
  }
}

/**
 * The credential of a kubeconfig's current context, as data: no program is run and no file read for it.
 * Throws KubeconfigProblem, which is safe to show.
 */
export function readKubeconfig(content: string, rules: KubeconfigRules): ClusterCredential {
  const config = readConfig(content);
  const context = currentContext(config);
  const clusterName = text(context, 'cluster');
  if (clusterName === undefined) throw new KubeconfigProblem('its context has no cluster');
  const cluster = entry(config, { list: 'clusters', name: clusterName, field: 'cluster' });
  const userName = text(context, 'user');
  const user = userName === undefined ? {} : entry(config, { list: 'users', name: userName, field: 'user' });
  const credential = { ...clusterPart(cluster, rules), ...userPart(user) };
  checkPair(credential);
  checkCertificates(credential);
  return credential;
}
