import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOOPBACK } from '../world/ports.js';

export interface HttpServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Ends open connections too. */
  readonly close: () => Promise<void>;
}

/** Serves on a free loopback port. */
export async function startHttpServer(handler: RequestListener): Promise<HttpServer> {
  const server = createServer(handler).listen(0, LOOPBACK);
  await once(server, 'listening');
  // A listening TCP server has an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${LOOPBACK}:${port}`,
    close: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
