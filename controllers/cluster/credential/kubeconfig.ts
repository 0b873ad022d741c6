import type { ClusterCredential } from '#runtime/credentials.js';
import { printYaml } from '#lib/yaml.js';
import { defined } from '#lib/defined.js';

const NAME = 'cluster';

function encoded(pem: string | undefined): string | undefined {
  return pem === undefined ? undefined : Buffer.from(pem).toString('base64');
}

/** A kubeconfig with this credential and nothing else, as `readKubeconfig`, Flux and kubectl read it. */
export function printKubeconfig(credential: ClusterCredential): string {
  const cluster = defined({
    server: credential.server,
    'certificate-authority-data': encoded(credential.ca),
    'tls-server-name': credential.tlsServerName,
    'proxy-url': credential.proxyUrl,
    'insecure-skip-tls-verify': credential.insecureSkipTlsVerify,
  });
  const user = defined({
    token: credential.token,
    username: credential.username,
    password: credential.password,
    'client-certificate-data': encoded(credential.cert),
    'client-key-data': encoded(credential.key),
  });
  return printYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user }],
  });
}
