import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import type { RequestOptions as HttpsOptions } from 'node:https';
import once from 'lodash/once.js';
import { createKube } from './http-kube.js';
import type { Kube } from './kube.js';
import type { RequestCounter } from './metrics.js';
import { TerminalError } from './pure/errors.js';
import type { TlsOptions } from './connections.js';
import { cachedCredential } from './credential-cache.js';
import type { Credential } from './transport.js';
import { defined } from './pure/defined.js';

/** A sanitised credential: data only, no files, no programs. Certificates as PEM. */
export interface ClusterCredential {
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** URL of an http(s) proxy; it may hold a user and a password. */
  readonly proxyUrl?: string;
  /** Where this comes from, for messages, e.g. `Secret shop/member`. */
  readonly source?: string;
}

function staticAuthorization(credential: ClusterCredential): string | undefined {
  if (credential.token !== undefined) return `Bearer ${credential.token}`;
  if (credential.username === undefined) return undefined;
  const pair = `${credential.username}:${credential.password ?? ''}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function tlsOfCredential(credential: ClusterCredential): TlsOptions {
  const { ca, cert, key, tlsServerName, insecureSkipTlsVerify } = credential;
  return {
    ...defined({ ca, cert, key, servername: tlsServerName }),
    rejectUnauthorized: insecureSkipTlsVerify !== true,
  };
}

/** A client for a credential that the caller has made safe. Does not connect. */
export function kubeFromConfig(credential: ClusterCredential, count?: RequestCounter): Kube {
  const { server, proxyUrl, source } = credential;
  const authorization = staticAuthorization(credential);
  const fixed: Credential = {
    headers: authorization === undefined ? {} : { authorization },
    tls: tlsOfCredential(credential),
  };
  return createKube({
    server,
    credential: () => Promise.resolve(fixed),
    ...defined({ proxyUrl, source, count }),
  });
}

export interface KubeconfigChoice {
  /** Absent: $KUBECONFIG, ~/.kube/config, then the pod's service account. */
  readonly path?: string | undefined;
  /** Absent: the current context. */
  readonly context?: string | undefined;
  readonly count?: RequestCounter;
}

/**
 * A client for the kubeconfig that the user named, with every credential kind that kubectl knows. Token files,
 * certificate files and plugins are asked again as they change; the kubeconfig itself when the server refuses (401).
 * Errors: TerminalError `KubeConfigInvalid` naming the file or context.
 */
export async function kubeFromFile(choice: KubeconfigChoice = {}): Promise<Kube> {
  let config = await loadConfig(choice);
  const { server, proxyUrl } = clusterOf(config, choice);
  const credential = cachedCredential(async (refresh) => {
    if (refresh) config = await loadConfig(choice);
    return credentialOf(config);
  });
  return createKube({
    server,
    credential,
    ...(proxyUrl ? { proxyUrl } : {}),
    ...defined({ count: choice.count }),
  });
}

function clusterOf(config: KubeConfig, choice: KubeconfigChoice): Cluster {
  const cluster = config.getCurrentCluster();
  if (cluster?.server !== undefined) return cluster;
  const context = choice.context ?? config.getCurrentContext();
  throw new TerminalError(
    'KubeConfigInvalid',
    `kubeconfig ${choice.path ?? '(default)'}: context ${JSON.stringify(context)} has no cluster; choose one with --context`,
  );
}

/** Half a second and 80 MB: loaded only where a kubeconfig is read. */
const clientLibrary = once(() => import('@kubernetes/client-node'));

/** What the client library falls back to without any kubeconfig; no API server of today speaks plain HTTP. */
const NOTHING_FOUND = 'http://localhost:8080';

/** The parser's message quotes lines of the file, which hold secrets: it is neither shown nor kept as the cause. */
function unreadable({ path = '(default)' }: KubeconfigChoice, error: unknown): TerminalError {
  const wayOut = 'choose another file with --kubeconfig';
  if (error instanceof Error && error.name !== 'YAMLException') {
    return new TerminalError('KubeConfigInvalid', `cannot read kubeconfig ${path}: ${error.message}; ${wayOut}`);
  }
  return new TerminalError('KubeConfigInvalid', `${path} is not a kubeconfig: it is not valid YAML; ${wayOut}`);
}

/** The kubeconfig as kubectl would read it. Throws TerminalError `KubeConfigInvalid`. */
export async function loadConfig(choice: KubeconfigChoice): Promise<KubeConfig> {
  const { KubeConfig: Config } = await clientLibrary();
  const config = new Config();
  try {
    // Of several files in $KUBECONFIG the first one that names a context decides, as for kubectl.
    if (choice.path === undefined) config.loadFromDefault(undefined, true);
    else config.loadFromFile(choice.path);
  } catch (error: unknown) {
    throw unreadable(choice, error);
  }
  if (config.getCurrentCluster()?.server === NOTHING_FOUND) {
    throw new TerminalError('KubeConfigInvalid', 'no kubeconfig was found: set --kubeconfig FILE, or set KUBECONFIG');
  }
  if (choice.context !== undefined) config.setCurrentContext(choice.context);
  return config;
}

function tlsOf(https: HttpsOptions): TlsOptions {
  const picked: Record<string, unknown> = {};
  for (const field of ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const) {
    const value: unknown = https[field];
    if (value !== undefined && value !== null) picked[field] = value;
  }
  return picked;
}

async function credentialOf(config: KubeConfig): Promise<Credential> {
  const https: HttpsOptions = {};
  await config.applyToHTTPSOptions(https);
  // Authorization, and whom the kubeconfig says to act as.
  const headers: Record<string, string> = { ...(https.headers as Record<string, string> | undefined) };
  if (typeof https.auth === 'string') headers['Authorization'] = `Basic ${Buffer.from(https.auth).toString('base64')}`;
  return { headers, tls: tlsOf(https) };
}
