import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { listen, type Listening } from '../../runtime/listen.js';
import { isWebhookPath } from './model/webhook-path.js';
import { NOT_FOUND, type Answer, type HandleWebhook } from './webhooks.js';

export interface WebhookServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly handle: HandleWebhook;
  readonly log: Logger;
  /** Milliseconds that a sender may take; default 20 s. */
  readonly requestMs?: number;
}

/** Bytes of a body. */
export const MAX_BODY = 1024 * 1024;
const MAX_HEADERS = 64 * 1024;
/** Together with the largest bodies: 64 MiB. */
const MAX_CONNECTIONS = 64;
const HEADERS_MS = 10_000;
const REQUEST_MS = 20_000;
const CHECK_MS = 1_000;
/** After the body was read; longer than it takes to check a signature, so that the time says nothing. */
const REFUSAL_MS = 250;

const TOO_LARGE: Answer = { status: 413, text: `the body is larger than ${MAX_BODY} bytes` };
const WRONG_METHOD: Answer = { status: 405, text: 'use POST' };
const BROKEN: Answer = { status: 500, text: 'an unexpected error: see the log of the controller' };

/** Undefined: it is too large. Rejects when the sender goes away, or is too slow. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const isWhole = await new Promise<boolean>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      else resolve(false);
    });
    request.on('end', () => resolve(true));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the request was closed')));
  });
  request.pause();
  return isWhole ? Buffer.concat(chunks) : undefined;
}

async function answerTo(request: IncomingMessage, handle: HandleWebhook): Promise<Answer> {
  if (request.method !== 'POST') return WRONG_METHOD;
  const body = await bodyOf(request);
  if (body === undefined) return TOO_LARGE;
  const readAt = performance.now();
  const path = request.url ?? '';
  const answer = isWebhookPath(path) ? await handle(path, { headers: request.headers, body }) : NOT_FOUND;
  if (answer.status === NOT_FOUND.status) await delay(REFUSAL_MS - (performance.now() - readAt));
  return answer;
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
  const { host, port, handle, log, requestMs = REQUEST_MS } = options;
  const limits = {
    ...{ maxHeaderSize: MAX_HEADERS, headersTimeout: Math.min(HEADERS_MS, requestMs), requestTimeout: requestMs },
    ...{ connectionsCheckingInterval: CHECK_MS, keepAliveTimeout: HEADERS_MS },
  };
  const server = createServer(limits, (request, response) => {
    answerTo(request, handle)
      .catch((error: unknown) => {
        if (!request.destroyed) log.error({ err: error }, 'webhook failed');
        return BROKEN;
      })
      .then((answer) => send(response, answer))
      .catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  return listen(server, { host, port });
}
