import type { Cluster } from '@kubernetes/client-node';
import { readFile } from 'node:fs/promises';
import { readKubeconfig } from '#engine/member/kubeconfig.js';
import { type KubeUser, readContext } from '#runtime/client/kubeconfig.js';
import { namespaceResource } from '#api/core.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { memberSecrets } from '#sandbox/project.js';
import { type Mark, markOf } from './mark.js';
import type { Target } from './model/placement.js';

async function embedded(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data !== undefined || file === undefined) return data;
  return (await readFile(file)).toString('base64');
}

async function clusterFields(cluster: Cluster): Promise<object> {
  return {
    server: cluster.server,
    'certificate-authority-data': await embedded(cluster.caData, cluster.caFile),
    'insecure-skip-tls-verify': cluster.skipTLSVerify ? true : undefined,
    'tls-server-name': cluster.tlsServerName,
    'proxy-url': cluster.proxyUrl,
  };
}

/** Also fields that the controller does not accept: it says why. */
async function userFields(user: KubeUser): Promise<object> {
  return {
    exec: user.exec as unknown, // Whatever it is.
    'auth-provider': user.authProvider as unknown, // The same.
    as: user.impersonateUser,
    token: user.token,
    tokenFile: user.tokenFile,
    username: user.username,
    password: user.password,
    'client-certificate-data': await embedded(user.certData, user.certFile),
    'client-key-data': await embedded(user.keyData, user.keyFile),
  };
}

async function minified(path: string): Promise<string> {
  const context = await readContext({ path });
  const { cluster, user } = context;
  if (cluster === undefined) throw new Error(`its context ${JSON.stringify(context.name)} has no cluster`);
  const name = 'member';
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: await clusterFields(cluster) }],
    users: [{ name, user: user === undefined ? {} : await userFields(user) }],
  });
  readKubeconfig(text, { allowInsecure: false });
  return text;
}

/**
 * The kubeconfig of a member as its Secret will have it: the current context alone, with its certificates. Other
 * clusters and users of the file do not belong there. Throws when the controller could not use it.
 */
export async function memberKubeconfig(path: string): Promise<string> {
  try {
    return await minified(path);
  } catch (error: unknown) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`--member-kubeconfig ${path}: ${why}`, { cause: error });
  }
}

const REACH_MS = 15_000;

interface UserCluster {
  /** The flag and file that name it. */
  readonly given: string;
  readonly kube: Kube;
  /** Of its namespace kube-system: the same however one connects. */
  readonly uid: string;
}

/** Clusters of the user, and what a demo calls its own in them. */
export interface UserClusters {
  readonly host: UserCluster;
  readonly members: readonly UserCluster[];
  readonly namespace: string;
  readonly mark: Mark;
  readonly close: () => Promise<void>;
}

export interface Kubeconfigs {
  readonly kubeconfig: string;
  readonly memberKubeconfigs: readonly string[];
  readonly namespace: string;
}

async function reach(given: string, kube: Kube, signal: AbortSignal): Promise<UserCluster> {
  try {
    const system = await kube.get(namespaceResource, { name: 'kube-system' }, { timeoutMs: REACH_MS, signal });
    const uid = system?.metadata.uid;
    if (uid === undefined) throw new Error('it has no namespace kube-system, by whose UID a demo recognizes it');
    return { given, kube, uid };
  } catch (cause: unknown) {
    signal.throwIfAborted();
    throw new Error(`${given}: the cluster cannot be used`, { cause });
  }
}

/** One cluster twice would be two owners of one release. */
function refuseTwice(clusters: readonly UserCluster[]): void {
  clusters.forEach(({ given, uid }, index) => {
    const same = clusters.slice(0, index).find((other) => other.uid === uid);
    if (same !== undefined) throw new Error(`${given} is the same cluster as ${same.given}: leave it out`);
  });
}

/** Connects to all clusters. Throws, with the flag, when one cannot be reached or is given twice. */
export async function connectAll(choice: Kubeconfigs, signal: AbortSignal): Promise<UserClusters> {
  const { kubeconfig, memberKubeconfigs, namespace } = choice;
  const files = [
    { given: `--kubeconfig ${kubeconfig}`, path: kubeconfig },
    ...memberKubeconfigs.map((path) => ({ given: `--member-kubeconfig ${path}`, path })),
  ];
  const kubes: Kube[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(kubes.map((kube) => kube.close()));
  };
  try {
    for (const { path } of files) kubes.push(await kubeFromFile({ path }));
    const [host, ...members] = await Promise.all(
      kubes.map((kube, index) => reach(files[index]?.given ?? '', kube, signal)),
    );
    if (host === undefined) throw new Error('--kubeconfig is required');
    refuseTwice([host, ...members]);
    return { host, members, namespace, mark: markOf(host.uid, namespace), close };
  } catch (error: unknown) {
    await close();
    throw error;
  }
}

/** The client for the cluster of a target. */
export function kubeOf({ host, members }: UserClusters, { secret }: Target): Kube {
  if (secret === undefined) return host.kube;
  const member = members[memberSecrets(members.length).indexOf(secret)];
  if (member === undefined) throw new Error(`Secret ${secret} is of no member`);
  return member.kube;
}
