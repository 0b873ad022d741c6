import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** The interface that everything of a sandbox listens on. */
export const LOOPBACK = '127.0.0.1';

/**
 * `count` different TCP ports that are free on loopback at this moment. Another program may take one before its
 * user does, so who starts a server with one must be ready to ask again.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, LOOPBACK));
  try {
    await Promise.all(servers.map((server) => once(server, 'listening')));
    // A listening TCP server has an AddressInfo, never a pipe name.
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** One free port; see freePorts. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('the operating system gave no free port');
  return port;
}
