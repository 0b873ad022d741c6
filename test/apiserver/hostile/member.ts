import { createServer } from 'node:https';
import { listen } from '#runtime/process/listen.js';
import { LOOPBACK } from '#sandbox/world/ports.js';
import { selfSignedCertificate } from '../../support/certificate.js';

const NAME = 'hostile.example';
const GROUPS = 40;
const VERSION = '{"gitVersion":"v1.33.0"}';
const OLDEST = '{"metadata":{"name":"kube-system","uid":"hostile"}}';
/** 4 MiB, which take the parser seconds. */
const DENSE = `{"resources":[${'{},'.repeat(1_398_000)}{}]}`;
const KINDS = '{"resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}';
const PAGE = JSON.stringify({
  metadata: { resourceVersion: '1', continue: 'more' },
  items: Array.from({ length: 500 }, (_, index) => ({
    metadata: { name: `s${index}`, annotations: { a: 'a'.repeat(5_000) } },
  })),
});

/** An API server that sends hostile answers. */
export interface HostileMember {
  /** A kubeconfig for this server. `part`: which hostile answers it gives. */
  kubeconfig(part: 'kinds' | 'pages'): string;
  close(): Promise<void>;
}

function groups(count: number): string {
  const versions = (index: number): object => ({ versions: [{ groupVersion: `g${index}.example.com/v1` }] });
  return JSON.stringify({ groups: Array.from({ length: count }, (_, index) => versions(index)) });
}

function answerTo(url: string): string {
  const [, part, path = ''] = /^\/(kinds|pages)(\/[^?]*)/.exec(url) ?? [];
  if (path === '/version') return VERSION;
  if (path.endsWith('/kube-system')) return OLDEST;
  if (path === '/api') return '{"versions":["v1"]}';
  if (path === '/apis') return groups(part === 'kinds' ? GROUPS : 0);
  if (path === '/api/v1') return KINDS;
  return part === 'kinds' ? DENSE : PAGE;
}

export async function startHostileMember(): Promise<HostileMember> {
  const tls = selfSignedCertificate(NAME, 'hostile');
  const server = createServer({ cert: tls.cert, key: tls.key }, ({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(url));
  });
  const { address, close } = await listen(server, { host: LOOPBACK });
  const ca = Buffer.from(tls.cert).toString('base64');
  return {
    close,
    kubeconfig: (part) => {
      const at = { server: `https://${LOOPBACK}:${address.port}/${part}`, 'tls-server-name': NAME };
      return JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        clusters: [{ name: 'c', cluster: { ...at, 'certificate-authority-data': ca } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: { token: 't' } }],
      });
    },
  };
}
