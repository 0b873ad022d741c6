import { createServer, type RequestListener } from 'node:http';
import { listen } from '#runtime/process/listen.js';
import { LOOPBACK } from '../world/ports.js';

export interface HttpServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Ends open connections too. */
  readonly close: () => Promise<void>;
}

/** Serves on a free loopback port. */
export async function startHttpServer(handler: RequestListener): Promise<HttpServer> {
  const { address, close } = await listen(createServer(handler), { host: LOOPBACK });
  return { origin: `http://${LOOPBACK}:${address.port}`, close };
}
