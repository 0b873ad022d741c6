import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import pick from 'lodash/pick.js';
import type { UserInfo } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { createAccess } from '#console/server/access.js';
import { createAuthenticator, type Trust } from '#console/server/authenticate.js';
import { readDashboard } from '#console/server/dashboard/files.js';
import { cachesOf, permissions, workbenchOf } from '#console/server/main.js';
import type { Oidc } from '#console/server/oidc.js';
import { addressesIn } from '#console/server/peers.js';
import { createServer } from '#console/server/server.js';
import type { Cache } from '#runtime/controller.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import type { World } from '#sandbox/world.js';
import { builtOffload } from '../../support/offload.js';
import { eventually } from '../../support/world.js';
import { Description } from './described.js';

const rbac = (kind: string, plural: string, namespaced: boolean): ResourceType => ({
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced },
});
interface TokenRequest extends KubeObject {
  readonly status?: { readonly token: string };
}

export const BASE = '/kapis/gitops.kubesphere.io/v1alpha1';

export interface Answer {
  readonly code: number;
  readonly type: string;
  readonly tag: string;
  readonly text: string;
  /** The same as it came. */
  readonly bytes: Buffer;
}

export interface Sent {
  readonly method?: string;
  readonly token?: string;
  /** Pairs, so that a name may come twice, in any case. */
  readonly headers?: readonly string[];
  readonly body?: unknown;
  /** Body as it is. */
  readonly raw?: string;
  /** By TLS, with the authority of the server, and a client certificate. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

/** A request without any of the corrections that fetch makes to URLs and headers. */
export function send(port: number, path: string, sent: Sent = {}): Promise<Answer> {
  const {
    method = 'GET',
    token,
    headers = [],
    body,
    raw = body === undefined ? undefined : JSON.stringify(body),
    tls,
  } = sent;
  const all = ['host', 'console', ...(token === undefined ? [] : ['authorization', `Bearer ${token}`]), ...headers];
  if (raw !== undefined) all.push('content-type', 'application/json', 'content-length', String(Buffer.byteLength(raw)));
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path, method, headers: all, agent: false };
    const open: typeof request = tls === undefined ? request : secureRequest;
    const outgoing = open({ ...target, ...tls, ...(tls && { checkServerIdentity: () => undefined }) }, (response) => {
      const chunks: Buffer[] = [];
      // A stream has no end: that it began is the answer.
      if (response.headers['content-type'] === 'text/event-stream') response.once('data', () => response.destroy());
      response.once('close', () => response.emit('end'));
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          code: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          tag: response.headers.etag ?? '',
          text: Buffer.concat(chunks).toString(),
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(raw);
  });
}

/** By the port of a server: what it says of its answers. */
const descriptions = new Map<number, Promise<Description | undefined>>();

async function describedBy(port: number, sent: Sent): Promise<Description | undefined> {
  const { code, text } = await send(port, '/openapi.json', { ...pick(sent, 'token', 'headers', 'tls') });
  return code === 200 ? new Description(text) : undefined;
}

/** The same; an answer that is not as `/openapi.json` describes it is an error. */
export async function sendDescribed(port: number, path: string, sent: Sent = {}): Promise<Answer> {
  const answer = await send(port, path, sent);
  if (answer.code >= 300 || !answer.type.startsWith('application/json') || path === '/openapi.json') return answer;
  const description = await (descriptions.get(port) ?? describedBy(port, sent));
  if (description === undefined) return answer;
  descriptions.set(port, Promise.resolve(description));
  const { method = 'GET' } = sent;
  const problem = description.problemOf({ method, path, code: answer.code }, JSON.parse(answer.text));
  if (problem !== undefined)
    throw new Error(`${method} ${path} answers otherwise than /openapi.json says:\n${problem}`);
  return answer;
}

/** Rights in a namespace, or of the whole cluster. */
export async function grant(
  kube: Kube,
  name: string,
  { namespace, user, rules }: { namespace?: string; user: object; rules: readonly object[] },
): Promise<void> {
  const prefix = namespace === undefined ? 'Cluster' : '';
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const isNamespaced = namespace !== undefined;
  const [role, bound] = [`${prefix}Role`, `${prefix}RoleBinding`];
  await kube.apply(
    rbac(role, `${role.toLowerCase()}s`, isNamespaced),
    { apiVersion, kind: role, metadata, ...{ rules } },
    {
      fieldManager: 'test',
      force: true,
    },
  );
  const binding = { roleRef: { apiGroup: rbac('', '', true).group, kind: role, name }, subjects: [user] };
  await kube.apply(
    rbac(bound, `${bound.toLowerCase()}s`, isNamespaced),
    { apiVersion, kind: bound, metadata, ...binding },
    {
      fieldManager: 'test',
      force: true,
    },
  );
}

/** A ServiceAccount and its token. */
export async function account(kube: Kube, namespace: string, name: string): Promise<{ user: object; token: string }> {
  const type = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
  const object: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
  await kube.apply(type, object, { fieldManager: 'test', force: true });
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace },
    spec: {},
  };
  const made = await kube.create<TokenRequest>(type, review, { subresource: 'token' });
  return { user: { kind: 'ServiceAccount', name, namespace }, token: made.status?.token ?? '' };
}

export interface Console {
  readonly port: number;
  /** As the server caches them. */
  readonly applications: Cache<Application>;
  readonly templates: ReturnType<typeof cachesOf>['templates'];
  readonly lines: Record<string, unknown>[];
  stop(): Promise<void>;
}

interface Setup {
  readonly kube: Kube;
  readonly namespace: string;
  /** Proxies by their address. */
  readonly trusted?: string[];
  readonly trust?: Partial<Trust>;
  /** In front of the API server. */
  readonly server?: string;
  readonly more?: object;
  /** True: the server knows the Applications of all namespaces; default: of this one. */
  readonly isWide?: boolean;
  readonly oidc?: Oidc;
  /** Default: a free one. */
  readonly port?: number;
}

/** An address of the servers that browsers know. */
export const PUBLIC_URL = 'https://fairlead.example:8443/console';

/** The server with exactly the rights that it declares, in this process. */
export async function startConsole(
  world: World,
  { kube, namespace, trusted = [], trust: others = {}, server = world.host.server, ...rest }: Setup,
): Promise<Console> {
  const { more = {}, isWide = false, port = 0, oidc } = rest;
  const own = await account(kube, namespace, 'console');
  const rules = permissions.map(({ group, ...rule }) => ({ apiGroups: [group], ...rule }));
  await grant(kube, `${namespace}-console`, { user: own.user, rules });
  const { cluster } = await readContext({ path: world.host.kubeconfig });
  const ca = Buffer.from(cluster?.caData ?? '', 'base64').toString();
  const client = kubeFromConfig({ server, ca, token: own.token });
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('info', { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const manager = new Manager({ kube: client, log: createLogger('silent'), ...(isWide ? {} : { namespace }) });
  let caches: ReturnType<typeof cachesOf> | undefined;
  manager.setup((context) => {
    caches = cachesOf(context);
    return [];
  });
  const { applications, templates } = caches!;
  const nobody = { clientIssuers: [], proxyIssuers: [], proxyNames: [] };
  const trust = { ...nobody, proxyAddresses: addressesIn(trusted), ...others };
  const offload = builtOffload();
  const app = await createServer({
    ...{
      kube: client,
      applications,
      templates,
      offload,
      log,
      version: '1',
      clusterName: 'host',
      publicUrls: [PUBLIC_URL],
      requestsPerMinute: 100_000,
    },
    access: createAccess(client),
    authenticator: createAuthenticator(client, () => trust, oidc),
    dashboard: await readDashboard(),
    timestamp: () => new Date().toISOString(),
    workbench: workbenchOf({ helmPath: world.tools.helm }, offload),
    isReady: () => manager.notReady().length === 0,
    ...more,
  });
  await app.listen({ host: '127.0.0.1', port });
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal, stopping.signal);
  const stop = async (): Promise<void> => {
    await app.close();
    stopping.abort();
    await ended;
    await offload.close();
    await client.close();
  };
  await eventually(() => {
    if (manager.notReady().length > 0) throw new Error('not synced yet');
  });
  return { port: (app.server.address() as AddressInfo).port, applications, templates, lines, stop };
}

/** The headers of a proxy for this user. */
export function proxied({ username, groups = [], extra = {} }: UserInfo): string[] {
  const groupHeaders = groups.flatMap((group) => ['X-Remote-Group', group]);
  const extras = Object.entries(extra).flatMap(([key, values]) =>
    values.flatMap((value) => [`X-Remote-Extra-${key}`, value]),
  );
  return ['X-Remote-User', username, ...groupHeaders, ...extras];
}
