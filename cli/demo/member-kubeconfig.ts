import type { Cluster } from '@kubernetes/client-node';
import { readFile } from 'node:fs/promises';
import { readKubeconfig } from '#engine/member/kubeconfig.js';
import { readContext, type KubeUser } from '#runtime/client/kubeconfig.js';

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
