import { constants, type FileHandle, open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { listen, type Listening } from '#runtime/process/listen.js';
import { resolveArtifact } from './paths.js';
import { isSignature } from './signature.js';

export interface ArtifactServerOptions {
  /** The folder of the store. */
  readonly root: string;
  /** The key of the store: see `readKey`. */
  readonly key: Buffer;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Neither a link nor a pipe is waited for or followed. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

type Served = Pick<ArtifactServerOptions, 'root' | 'key'>;

/**
 * The stored file that a request names, open; undefined for anything else, folders and links included, and without the
 * signature of its address: names of other tenants can be guessed.
 */
async function openRequested({ root, key }: Served, request: IncomingMessage): Promise<FileHandle | undefined> {
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://artifacts');
    const [signature = '', ...segments] = pathname.slice(1).split('/').map(decodeURIComponent);
    const named = segments.join('/');
    if (!isSignature(key, named, signature)) return undefined;
    const path = resolveArtifact(root, named);
    return path === undefined ? undefined : await open(path, OPEN_FLAGS);
  } catch {
    return undefined; // Not a URL, or not a file: the client gets 404 either way.
  }
}

/** Size and content are those of one file, even if its name is given to another one meanwhile. */
async function send(file: FileHandle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const found = await file.stat();
  if (!found.isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': found.size });
  if (request.method === 'HEAD') response.end();
  else await pipeline(file.createReadStream({ autoClose: false }), response);
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const file = await openRequested(served, request);
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  try {
    await send(file, request, response);
  } finally {
    await file.close();
  }
}

/** Serves the artifacts of a store, read-only, so that `artifact.url` is true. No listing; all else is 404. */
export function serveArtifacts({ root, key, host, port }: ArtifactServerOptions): Promise<Listening> {
  const server = createServer((request, response) => {
    answer({ root, key }, request, response).catch(() => response.destroy());
  });
  return listen(server, { host, port });
}
