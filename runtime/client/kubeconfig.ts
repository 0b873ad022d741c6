import type { Cluster, Context, User } from '@kubernetes/client-node';
// The package as a whole is half a second and 80 MB; of kubeconfigs, only this is needed.
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { load } from 'js-yaml';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import { TerminalError } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';

export interface KubeconfigChoice {
  /** Absent: $KUBECONFIG, ~/.kube/config, then the pod's service account. */
  readonly path?: string | undefined;
  /** Absent: the current context. */
  readonly context?: string | undefined;
}

/** A user of a kubeconfig; paths are absolute. */
export interface KubeUser extends User {
  readonly tokenFile?: string | undefined;
}

/** One context of a kubeconfig, with what it names. */
export interface KubeContext {
  /** Undefined when none was chosen. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly cluster: Cluster | undefined;
  readonly user: KubeUser | undefined;
}

interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: readonly Cluster[];
  readonly contexts: readonly Context[];
  readonly users: readonly KubeUser[];
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const OTHER_FILE = 'choose another file with --kubeconfig';

function withPaths<T extends object>(fields: T, names: readonly (keyof T)[], folder: string): T {
  const copy = { ...fields };
  for (const name of names) {
    const file = copy[name];
    // Another path of the same field.
    if (typeof file === 'string' && file !== '') copy[name] = path.resolve(folder, file) as T[keyof T];
  }
  return copy;
}

function usersOf(users: unknown, folder: string): KubeUser[] {
  const raw: readonly unknown[] = Array.isArray(users) ? users : [];
  return newUsers(users).map((user, index) => {
    const entry = raw[index];
    const fields = isMap(entry) && isMap(entry['user']) ? entry['user'] : {};
    const tokenFile = typeof fields['tokenFile'] === 'string' ? fields['tokenFile'] : undefined;
    return withPaths({ ...user, tokenFile }, ['certFile', 'keyFile', 'tokenFile'], folder);
  });
}

/** The parser's message quotes lines of the file, which hold secrets: it is neither shown nor kept as the cause. */
function parsed(file: string, text: string): unknown {
  try {
    return load(text);
  } catch {
    throw new TerminalError('KubeConfigInvalid', `${file} is not a kubeconfig: it is not valid YAML; ${OTHER_FILE}`);
  }
}

async function readConfig(file: string): Promise<Kubeconfig> {
  const folder = path.dirname(path.resolve(file));
  try {
    const config = parsed(file, await readFile(file, 'utf8'));
    const fields = isMap(config) ? config : {};
    const current = fields['current-context'];
    return {
      currentContext: typeof current === 'string' && current !== '' ? current : undefined,
      clusters: newClusters(fields['clusters']).map((cluster) => withPaths(cluster, ['caFile'], folder)),
      contexts: newContexts(fields['contexts']),
      users: usersOf(fields['users'], folder),
    };
  } catch (error: unknown) {
    if (error instanceof TerminalError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TerminalError('KubeConfigInvalid', `cannot read kubeconfig ${file}: ${why}; ${OTHER_FILE}`);
  }
}

/** Of several files the first one that says something decides, as for kubectl. */
function merged(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: configs.flatMap(({ clusters }) => clusters),
    contexts: configs.flatMap(({ contexts }) => contexts),
    users: configs.flatMap(({ users }) => users),
  };
}

/** What the pod of this process was given; undefined outside of a cluster. */
async function ofServiceAccount(): Promise<Kubeconfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  const tokenFile = path.join(SERVICE_ACCOUNT, 'token');
  if (host === '' || !existsSync(tokenFile)) return undefined;
  const namespaceFile = path.join(SERVICE_ACCOUNT, 'namespace');
  const namespace = existsSync(namespaceFile) ? { namespace: (await readFile(namespaceFile, 'utf8')).trim() } : {};
  const name = 'service-account';
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    currentContext: name,
    clusters: [{ name, server, caFile: path.join(SERVICE_ACCOUNT, 'ca.crt'), skipTLSVerify: false }],
    contexts: [{ name, cluster: name, user: name, ...namespace }],
    users: [{ name, tokenFile }],
  };
}

async function chosenConfig(file: string | undefined): Promise<Kubeconfig> {
  if (file !== undefined) return readConfig(file);
  const files = (process.env['KUBECONFIG'] ?? '').split(path.delimiter).filter((each) => each !== '');
  // Those that do not exist are skipped, as by kubectl, unless all are missing.
  const present = files.filter((each) => existsSync(each));
  if (files.length > 0) return merged(await Promise.all((present.length > 0 ? present : files).map(readConfig)));
  const home = process.env['HOME'] ?? process.env['USERPROFILE'];
  const ofUser = home === undefined ? undefined : path.join(home, '.kube', 'config');
  if (ofUser !== undefined && existsSync(ofUser)) return readConfig(ofUser);
  const ofPod = await ofServiceAccount();
  if (ofPod !== undefined) return ofPod;
  throw new TerminalError('KubeConfigInvalid', 'no kubeconfig was found: set --kubeconfig FILE, or set KUBECONFIG');
}

/** The chosen context, as kubectl would read it. Throws TerminalError `KubeConfigInvalid`. */
export async function readContext(choice: KubeconfigChoice): Promise<KubeContext> {
  const { currentContext, clusters, contexts, users } = await chosenConfig(choice.path);
  const name = choice.context ?? currentContext;
  const context = contexts.find((each) => each.name === name);
  return {
    name,
    namespace: context?.namespace,
    cluster: clusters.find((each) => each.name === context?.cluster),
    user: users.find((each) => each.name === context?.user),
  };
}

/** The cluster of a context. Throws TerminalError `KubeConfigInvalid`. */
export function clusterOf({ name, cluster }: KubeContext, { path: file = '(default)' }: KubeconfigChoice): Cluster {
  if (cluster !== undefined) return cluster;
  const context = JSON.stringify(name);
  throw new TerminalError(
    'KubeConfigInvalid',
    `kubeconfig ${file}: context ${context} has no cluster; choose one with --context`,
  );
}
