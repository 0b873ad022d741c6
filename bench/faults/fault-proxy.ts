import { kubeFromConfig } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import type { Cluster } from '#sandbox/world.js';
import { startHttpProxy, type HttpProxy } from './http-proxy.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

/**
 * A real API server behind everything that may go wrong on the way to it. A client speaks plain HTTP to `server`: first
 * the bytes may be broken (`tcp`), then the requests (`http`), and what is left goes to the real server over TLS.
 */
export interface FaultProxy {
  /** URL for clients. */
  readonly server: string;
  readonly tcp: TcpProxy;
  readonly http: HttpProxy;
  /** The administrator of the cluster, as seen through the proxy. Close it after use. */
  kube(): Kube;
  close(): Promise<void>;
}

/** Starts both proxies in front of a cluster of the sandbox. */
export async function startFaultProxy(cluster: Pick<Cluster, 'server' | 'kubeconfig'>): Promise<FaultProxy> {
  const context = await readContext({ path: cluster.kubeconfig });
  const ca = Buffer.from(context.cluster?.caData ?? '', 'base64').toString('utf8');
  const token = context.user?.token ?? '';
  const http = await startHttpProxy({ server: cluster.server, ca });
  const tcp = await startTcpProxy({ host: '127.0.0.1', port: http.port });
  const server = `http://127.0.0.1:${tcp.port}`;
  return {
    server,
    tcp,
    http,
    kube: () => kubeFromConfig({ server, token }),
    close: async () => {
      await tcp.close();
      await http.close();
    },
  };
}
