import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const LOOPBACK = '127.0.0.1';

export interface Listening {
  readonly address: AddressInfo;
  /** Ends open connections too; harmless when called again. */
  readonly close: () => Promise<void>;
}

/**
 * Listens on a free port of loopback, or on the given address. Rejects if it cannot, e.g. because the port is in use.
 */
export async function listen(
  server: Server | SecureServer,
  { host = LOOPBACK, port = 0 }: { readonly host?: string | undefined; readonly port?: number } = {},
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    // A server that listens on TCP has an AddressInfo, never the name of a pipe.
    address: server.address() as AddressInfo,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
