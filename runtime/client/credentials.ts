import { lookup } from 'node:dns';
import { defined } from '#lib/plain.js';
import {
  describeRefused,
  guardedLookup,
  isLinkLocal,
  isLoopback,
  isLoopbackHost,
  type Resolve,
} from '#lib/net/link-local.js';
import { memberLimits } from './answer-limits.js';
import type { TlsOptions } from './connections.js';
import { credentialOf } from './context-credential.js';
import { cachedCredential } from './credential-cache.js';
import { createKube } from './http-kube.js';
import type { Kube } from './kube.js';
import { clusterOf, readContext, type KubeconfigChoice } from './kubeconfig.js';
import type { RequestCounter } from '../process/metrics.js';
import type { Credential } from './transport.js';

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
  /** The namespace whose cluster this is: it shares with others what answers may take. Default: the server. */
  readonly tenant?: string;
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

function refusal(host: string, address: string): Error {
  return new Error(`${host} is a name of ${describeRefused(address)}, which no cluster is`);
}

function isRefused(address: string, hostname: string): boolean {
  return isLinkLocal(address) || (isLoopback(address) && !isLoopbackHost(hostname));
}

/**
 * A client for a credential that the caller has made safe. Does not connect. Its answers are bounded, and its names lead
 * to no link-local or loopback address: a tenant may name any server. `resolve`: that of the system by default.
 */
export function kubeFromConfig(credential: ClusterCredential, resolve: Resolve = lookup): Kube {
  const { server, proxyUrl, source, tenant = server } = credential;
  const authorization = staticAuthorization(credential);
  const fixed: Credential = {
    headers: authorization === undefined ? {} : { authorization },
    tls: tlsOfCredential(credential),
  };
  return createKube({
    server,
    credential: () => Promise.resolve(fixed),
    limits: memberLimits(tenant),
    lookup: guardedLookup(resolve, refusal, isRefused),
    ...defined({ proxyUrl, source }),
  });
}

export interface ClientChoice extends KubeconfigChoice {
  readonly count?: RequestCounter;
}

/**
 * A client for the kubeconfig that the user named, with every credential kind that kubectl knows. Token files,
 * certificate files and plugins are asked again as they change; the kubeconfig itself when the server refuses (401).
 * Errors: TerminalError `KubeConfigInvalid` naming the file or context.
 */
export async function kubeFromFile(choice: ClientChoice = {}): Promise<Kube> {
  let context = await readContext(choice);
  const { server, proxyUrl } = clusterOf(context, choice);
  const credential = cachedCredential(async (refresh) => {
    if (refresh) context = await readContext(choice);
    return credentialOf(context);
  });
  return createKube({
    server,
    credential,
    ...(proxyUrl ? { proxyUrl } : {}),
    ...defined({ count: choice.count }),
  });
}
