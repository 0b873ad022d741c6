import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Kube } from '#runtime/client/kube.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { apiStatusOf } from '#lib/errors.js';
import { printJson } from '#lib/json/lossless-json.js';

const TOKEN_BYTES = 32;

/** Lets one child process read a cluster: the credential stays here, and nothing can be written. */
export interface ReadOnlyProxy {
  /** To be written to a private file for the child. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

interface Answer {
  readonly code: number;
  readonly body: unknown;
}

function status(code: number, message: string): Answer {
  return { code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message } };
}

/** The path without its leading token; undefined if that is wrong. */
function pathOf({ url = '' }: IncomingMessage, token: Buffer): string | undefined {
  const given = Buffer.from(url.slice(1, 1 + token.length));
  const isOurs = given.length === token.length && timingSafeEqual(given, token);
  return isOurs ? url.slice(1 + token.length) : undefined;
}

async function answer(kube: Pick<Kube, 'read'>, path: string, signal: AbortSignal): Promise<Answer> {
  try {
    return { code: 200, body: await kube.read(path, { signal, once: true }) };
  } catch (error: unknown) {
    const known = apiStatusOf(error);
    const message = error instanceof Error ? error.message : 'no answer';
    return status(known?.code ?? 502, message);
  }
}

function send(response: ServerResponse, { code, body }: Answer): void {
  const isText = typeof body === 'string';
  response.writeHead(code, { 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(isText ? body : printJson(body));
}

function listener(kube: Pick<Kube, 'read'>, token: string, signal: AbortSignal): RequestListener {
  const expected = Buffer.from(token);
  const answerTo = (request: IncomingMessage): Promise<Answer> => {
    const path = pathOf(request, expected);
    if (path === undefined) return Promise.resolve(status(403, 'not the child that this is for'));
    const isRead = request.method === 'GET' && !/[?&]watch=(true|1)/.test(path);
    return isRead ? answer(kube, path, signal) : Promise.resolve(status(405, 'only plain reads are passed on'));
  };
  return (request, response) => {
    answerTo(request)
      .then((found) => send(response, found))
      .catch(() => response.destroy());
  };
}

function kubeconfigFor({ address }: Listening, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'member',
    // Over plain HTTP helm sends no credential: the token is part of the address.
    clusters: [{ name: 'member', cluster: { server: `http://${address.address}:${address.port}/${token}` } }],
    contexts: [{ name: 'member', context: { cluster: 'member' } }],
  });
}

/** Opens a port on loopback that forwards GETs to the cluster, for processes with its kubeconfig. */
export async function openReadOnlyProxy(kube: Pick<Kube, 'read'>, signal: AbortSignal): Promise<ReadOnlyProxy> {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const listening = await listen(createServer(listener(kube, token, signal)));
  return { kubeconfig: kubeconfigFor(listening, token), close: () => listening.close() };
}
