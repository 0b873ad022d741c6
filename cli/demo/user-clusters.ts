import { namespaceResource } from '#api/core.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { memberSecrets } from '#sandbox/project.js';
import { markOf, type Mark } from './mark.js';
import type { Target } from './placement.js';

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
