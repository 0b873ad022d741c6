import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '#runtime/process/listen.js';

/** One request as the proxy saw it. */
export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Milliseconds of the monotonic clock (performance.now). */
  readonly atMs: number;
  /** As sent; compare it, never print it. */
  readonly authorization: string | undefined;
}

/** An answer given instead of the server's. */
export interface Answer {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpFault {
  readonly match: (seen: SeenRequest) => boolean;
  /** How many matching requests it hits; absent: all. */
  readonly times?: number;
  /** Given without asking the server. */
  readonly answer?: Answer;
  /** Lets the server's answer begin and ends the connection after so many bytes of its body. Asked once per request. */
  readonly cutBodyAfter?: () => number;
  /** Holds the server's answer back for so many milliseconds. */
  readonly answerAfterMs?: number;
  /** Takes the request and never answers. */
  readonly silent?: boolean;
}

/** An HTTP server in front of a real API server: passes all requests on over TLS, but for those that a fault hits. */
export interface HttpProxy {
  readonly port: number;
  /** Every request since the start, oldest first. */
  readonly seen: readonly SeenRequest[];
  /** Answers that `cutBodyAfter` ended before their end. */
  readonly bodiesCut: number;
  /** Adds a fault; of several that match, the one added first is taken. The function returned takes it away. */
  inject(fault: HttpFault): () => void;
  close(): Promise<void>;
}

interface ActiveFault {
  readonly fault: HttpFault;
  left: number;
}

/** True when the body was cut. */
async function passBody(from: IncomingMessage, to: ServerResponse, limit: number): Promise<boolean> {
  let left = limit;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    if (chunk.length >= left) {
      to.write(chunk.subarray(0, left), () => to.socket?.destroy());
      return true;
    }
    left -= chunk.length;
    if (!to.write(chunk)) await once(to, 'drain');
  }
  to.end();
  return false;
}

class FaultyHttp implements HttpProxy {
  readonly #target: URL;
  readonly #agent: Agent;
  readonly #server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
  readonly #faults = new Set<ActiveFault>();
  readonly seen: SeenRequest[] = [];
  bodiesCut = 0;
  port = 0;
  #close = (): Promise<void> => Promise.resolve();

  constructor(target: { server: string; ca: string }) {
    this.#target = new URL(target.server);
    this.#agent = new Agent({ ca: target.ca, keepAlive: true });
    // A pause between two requests is no fault: only what a test asks for ends a connection.
    this.#server.keepAliveTimeout = 0;
  }

  async listen(): Promise<void> {
    const { address, close } = await listen(this.#server);
    this.port = address.port;
    this.#close = close;
  }

  inject(fault: HttpFault): () => void {
    const active = { fault, left: fault.times ?? Infinity };
    this.#faults.add(active);
    return () => this.#faults.delete(active);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#close();
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const seen: SeenRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      atMs: performance.now(),
      authorization: incoming.headers.authorization,
    };
    this.seen.push(seen);
    const fault = this.#faultFor(seen);
    if (fault?.silent === true) return;
    if (fault?.answer === undefined) {
      this.#pass(incoming, outgoing, fault);
      return;
    }
    const { code, headers, body } = fault.answer;
    incoming.resume();
    outgoing.writeHead(code, headers).end(body);
  }

  #faultFor(seen: SeenRequest): HttpFault | undefined {
    const active = [...this.#faults].find(({ fault }) => fault.match(seen));
    if (active === undefined) return undefined;
    active.left -= 1;
    if (active.left <= 0) this.#faults.delete(active);
    return active.fault;
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, fault: HttpFault | undefined): void {
    const bodyLimit = fault?.cutBodyAfter?.() ?? Infinity;
    const { hostname, port } = this.#target;
    const { method, url: path, headers } = incoming;
    const upstream = request({ hostname, port, method, path, headers, agent: this.#agent });
    const giveUp = (): void => {
      upstream.destroy();
      outgoing.socket?.destroy();
    };
    upstream.on('error', giveUp);
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
    const answerWith = async (answer: IncomingMessage): Promise<void> => {
      if (fault?.answerAfterMs !== undefined) await delay(fault.answerAfterMs);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      const isCut = await passBody(answer, outgoing, bodyLimit);
      this.bodiesCut += isCut ? 1 : 0;
    };
    upstream.on('response', (answer) => void answerWith(answer).catch(giveUp));
  }
}

/**
 * Listens on a free port of loopback, in plain HTTP. `ca` (PEM) is what the real server's certificate is checked with.
 */
export async function startHttpProxy(target: { server: string; ca: string }): Promise<HttpProxy> {
  const proxy = new FaultyHttp(target);
  await proxy.listen();
  return proxy;
}
