import { isMap } from '#lib/plain.js';
import { printYaml } from '#lib/yaml/yaml.js';

/** Bytes of `config`; anybody may write such a Secret into a namespace of theirs. */
const MAX_CONFIG = 65_536;

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return isMap(value) ? value : {};
}

function parsed(config: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(config);
    return isMap(value) ? value : undefined;
  } catch {
    // The message of the parser quotes the text, which holds secrets.
    return undefined;
  }
}

function kubeconfigOf(server: string, config: Fields): object {
  const tls = fields(config['tlsClientConfig']);
  const cluster = {
    server,
    'certificate-authority-data': tls['caData'],
    'insecure-skip-tls-verify': tls['insecure'],
    'tls-server-name': tls['serverName'],
    'proxy-url': config['proxyUrl'],
  };
  const user = {
    token: config['bearerToken'],
    username: config['username'],
    password: config['password'],
    'client-certificate-data': tls['certData'],
    'client-key-data': tls['keyData'],
    // Programs, which no reader of kubeconfigs of ours runs: it says so.
    exec: config['execProviderConfig'] ?? config['awsAuthConfig'],
  };
  return {
    'current-context': 'argocd',
    contexts: [{ name: 'argocd', context: { cluster: 'argocd', user: 'argocd' } }],
    clusters: [{ name: 'argocd', cluster }],
    users: [{ name: 'argocd', user }],
  };
}

/** The kubeconfig that says the same as the Secret of an Argo CD cluster, or what is wrong with it. Never throws. */
export function argocdKubeconfig(data: Readonly<Record<string, string>>): { text: string } | { problem: string } {
  const read = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const text = read('config');
  if (text.length > MAX_CONFIG) return { problem: `its config is longer than ${MAX_CONFIG} bytes` };
  const config = parsed(text);
  if (config === undefined) return { problem: 'its config is not a JSON object' };
  return { text: printYaml(JSON.parse(JSON.stringify(kubeconfigOf(read('server'), config)))) };
}
