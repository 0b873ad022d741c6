import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { JoinedBytes } from '#lib/joined-bytes.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { Connections } from './connections.js';
import { isWebhookPath } from './model/authenticate.js';
import { NOT_FOUND, type Answer, type HandleWebhook } from './webhooks.js';

export interface WebhookServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly handle: HandleWebhook;
  readonly log: Logger;
  /** Milliseconds that a sender may take; default 20 s. */
  readonly requestMs?: number;
  /** Bytes of all bodies that are held at a time; default 64 MiB. */
  readonly bodyBytes?: number;
}

/** Bytes of a body. */
export const MAX_BODY = 1024 * 1024;
const MAX_HEADERS = 64 * 1024;
const MAX_CONNECTIONS = 64;
/** A sender that goes away gives its connection back, and not the body until the webhook was handled. */
const BODY_BYTES = 64 * 1024 * 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 20_000;
const CHECK_MS = 1_000;
/** After the last of the request was read; longer than it takes to check a signature, so that the time says nothing. */
const REFUSAL_MS = 250;

const TOO_LARGE: Answer = { status: 413, text: `the body is larger than ${MAX_BODY} bytes` };
const BUSY: Answer = { status: 503, text: 'too many webhooks at a time', retryAfterSeconds: 5 };
const WRONG_METHOD: Answer = { status: 405, text: 'use POST' };
const BROKEN: Answer = { status: 500, text: 'an unexpected error: see the log of the controller' };

/** What the bodies of all connections take. */
class BodySpace {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Calls `handle` with the whole body, or answers why not. Rejects when the sender goes away, or is too slow. */
  async read(request: IncomingMessage, handle: (body: Buffer) => Promise<Answer>): Promise<Answer> {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return TOO_LARGE;
    const taken = { bytes: 0 };
    try {
      const body = await this.#bodyOf(request, taken);
      return 'status' in body ? body : await handle(body);
    } finally {
      this.#left += taken.bytes;
    }
  }

  async #bodyOf(request: IncomingMessage, taken: { bytes: number }): Promise<Buffer | Answer> {
    const joined = new JoinedBytes();
    const refused = await new Promise<Answer | undefined>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        const problem = taken.bytes + chunk.length > MAX_BODY ? TOO_LARGE : BUSY;
        if (problem === TOO_LARGE || chunk.length > this.#left) {
          resolve(problem);
          return;
        }
        this.#left -= chunk.length;
        taken.bytes += chunk.length;
        joined.add(chunk);
      });
      request.on('end', () => resolve(undefined));
      request.on('error', reject);
      request.on('close', () => reject(new Error('the request was closed')));
    });
    request.removeAllListeners('data').pause();
    return refused ?? joined.view();
  }
}

interface Senders {
  readonly space: BodySpace;
  readonly connections: Connections;
}

async function answerTo(request: IncomingMessage, senders: Senders, handle: HandleWebhook): Promise<Answer> {
  const { space, connections } = senders;
  if (request.method !== 'POST') return WRONG_METHOD;
  const { url: path = '', headers } = request;
  let readAt = performance.now();
  const handleBody = (body: Buffer): Promise<Answer> => {
    readAt = performance.now();
    return connections.handling(request.socket, () => handle(path, { headers, body }));
  };
  const answer = isWebhookPath(path) ? await space.read(request, handleBody) : NOT_FOUND;
  // The body is not held meanwhile.
  if (answer.status === NOT_FOUND.status) await delay(REFUSAL_MS - (performance.now() - readAt));
  return answer;
}

/** False while the connection of a request waits for an answer. Who sends more meanwhile would get around its limits. */
function isFirst(inFlight: WeakSet<Socket>, { socket }: IncomingMessage, response: ServerResponse): boolean {
  if (inFlight.has(socket)) return false;
  inFlight.add(socket);
  response.once('close', () => inFlight.delete(socket));
  return true;
}

/** Only who is served keeps the connection: whatever else is on its way there is not read. */
function send(response: ServerResponse, { status, text, retryAfterSeconds }: Answer): void {
  response.writeHead(status, {
    'content-type': 'text/plain',
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(status === 200 ? {} : { connection: 'close' }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(`${text}\n`);
}

/** Accepts webhooks from anybody: nothing that comes here is trusted, and nothing is waited for without a limit. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<Listening> {
  const { host, port, handle, log, requestMs = REQUEST_MS, bodyBytes = BODY_BYTES } = options;
  const limits = {
    ...{ maxHeaderSize: MAX_HEADERS, headersTimeout: Math.min(HEADERS_MS, requestMs), requestTimeout: requestMs },
    ...{ connectionsCheckingInterval: CHECK_MS, keepAliveTimeout: HEADERS_MS },
  };
  const senders = { space: new BodySpace(bodyBytes), connections: new Connections(MAX_CONNECTIONS) };
  const inFlight = new WeakSet<Socket>();
  const server = createServer(limits, (request, response) => {
    if (!isFirst(inFlight, request, response)) return void request.socket.destroy();
    answerTo(request, senders, handle)
      .catch((error: unknown) => {
        if (!request.destroyed) log.error({ err: error }, 'webhook failed');
        return BROKEN;
      })
      .then((answer) => send(response, answer))
      .catch(() => response.destroy());
  });
  server.on('connection', (socket: Socket) => senders.connections.add(socket));
  return listen(server, { host, port });
}
