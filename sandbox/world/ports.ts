import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { listen } from '#runtime/process/listen.js';

/** The interface that everything of a sandbox listens on. */
export const LOOPBACK = '127.0.0.1';

/** Below the ports that systems give to outgoing connections: one of those could take a port at any moment. */
const [FIRST_PORT, PORT_COUNT] = [20_000, 10_000];
/** When so many ports were taken, something else is wrong. */
const ATTEMPTS = 100;

async function listenOnFree(): Promise<Server> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const server = createServer().listen(FIRST_PORT + randomInt(PORT_COUNT), LOOPBACK);
    try {
      await once(server, 'listening');
      return server;
    } catch (error: unknown) {
      if (left === 0) throw error;
    }
  }
}

/**
 * `count` different TCP ports that are free on loopback at this moment. No outgoing connection takes one where systems
 * give those their usual ports. Another server may do so before its user does, so who starts one must be ready to ask
 * again.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  try {
    while (servers.length < count) servers.push(await listenOnFree());
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

export interface HttpServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Ends open connections too. */
  readonly close: () => Promise<void>;
}

/** Serves on a free loopback port. */
export async function startHttpServer(handler: RequestListener): Promise<HttpServer> {
  const { address, close } = await listen(createHttpServer(handler), { host: LOOPBACK });
  return { origin: `http://${LOOPBACK}:${address.port}`, close };
}
