import type { Cluster } from '@kubernetes/client-node';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import type { RequestOptions } from 'node:https';
import { readFile } from 'node:fs/promises';
import { defined } from '#lib/plain.js';
import type { TlsOptions } from './connections.js';
import type { KubeContext, KubeUser } from './kubeconfig.js';
import type { Credential } from './transport.js';

/** Data before a file, as for kubectl; files are read each time, because they change. */
async function dataOrFile(data: string | undefined, file: string | undefined): Promise<Buffer | undefined> {
  if (data) return Buffer.from(data, 'base64');
  return file ? readFile(file) : undefined;
}

/** What a plugin of the user answers, or a provider that kubectl once had. */
async function pluginOptions(context: KubeContext, user: KubeUser): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {} };
  if (user.exec) {
    await new ExecAuth().applyAuthentication(user, options);
    return options;
  }
  if (!user.authProvider) return options;
  // Half a second and 80 MB: loaded only for those who need it.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  const { cluster, name = '' } = context;
  const contexts = [{ name, cluster: cluster?.name ?? '', user: user.name }];
  config.loadFromOptions({ clusters: [cluster], users: [user], contexts, currentContext: name });
  await config.applyToHTTPSOptions(options);
  return options;
}

async function authorization({ username, password, token, tokenFile }: KubeUser): Promise<string | undefined> {
  if (username) return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
  if (tokenFile) return `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`;
  return token ? `Bearer ${token}` : undefined;
}

type OfServer = Pick<TlsOptions, 'ca' | 'servername' | 'rejectUnauthorized'>;

/** How the server is known. */
async function serverOptions({ caData, caFile, tlsServerName, skipTLSVerify }: Cluster): Promise<OfServer> {
  const ca = await dataOrFile(caData, caFile);
  return defined({ ca, servername: tlsServerName, rejectUnauthorized: skipTLSVerify ? false : undefined });
}

/** What the user of a context shows to the server now: plugins are run, and files are read. */
export async function credentialOf(context: KubeContext): Promise<Credential> {
  const { cluster, user = { name: '' } } = context;
  const plugin = await pluginOptions(context, user);
  const own = defined({
    Authorization: await authorization(user),
    'Impersonate-User': user.impersonateUser ?? undefined,
  });
  // Of the client library: names of headers with their values.
  const headers = { ...(plugin.headers as Record<string, string>), ...own };
  const tls = {
    ...(cluster && (await serverOptions(cluster))),
    cert: plugin.cert ?? (await dataOrFile(user.certData, user.certFile)),
    key: plugin.key ?? (await dataOrFile(user.keyData, user.keyFile)),
  };
  // Certificates are text or bytes, as they were read or answered.
  return { headers, tls: defined(tls) as TlsOptions };
}
