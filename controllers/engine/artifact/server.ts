import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { listen, type Listening } from '../../runtime/listen.js';
import { resolveArtifact } from './paths.js';

export interface ArtifactServerOptions {
  /** The folder of the store. */
  readonly root: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** The stored file that a request names; undefined for anything else, folders and links included. */
async function requested(root: string, request: IncomingMessage): Promise<{ file: string; size: number } | undefined> {
  let file: string | undefined;
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://artifacts');
    file = resolveArtifact(root, pathname.slice(1).split('/').map(decodeURIComponent).join('/'));
    if (file === undefined) return undefined;
    const found = await lstat(file);
    return found.isFile() ? { file, size: found.size } : undefined;
  } catch {
    return undefined; // Not a URL, or not a file: the client gets 404 either way.
  }
}

async function answer(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const found = await requested(root, request);
  if (found === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': found.size });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(found.file), response);
}

/** Serves the artifacts of a store, read-only, so that `artifact.url` is true. No listing; all else is 404. */
export function serveArtifacts({ root, host, port }: ArtifactServerOptions): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(root, request, response).catch(() => response.destroy());
  });
  return listen(server, { host, port });
}
