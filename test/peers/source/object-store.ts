import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import aws4 from 'aws4';
import omit from 'lodash/omit.js';
import { request as undici } from 'undici';
import { ensureTools } from '#sandbox/tools.js';
import { freePort } from '#sandbox/world/ports.js';
import { eventually } from '../../support/world.js';

/** Of who may do everything. */
export const ROOT = { accesskey: 'access', secretkey: 'secret-of-tests' };
export const REGION = 'eu-test-1';

/** What a test does to an object store. */
export interface ObjectStoreClient {
  /** `HOST:PORT`. */
  readonly endpoint: string;
  readonly region: string;
  send(asked: Asked): Promise<void>;
  createBucket(name: string): Promise<void>;
  put(bucket: string, files: Readonly<Record<string, string>>): Promise<void>;
  remove(bucket: string, key: string): Promise<void>;
}

/** A real object store with the S3 API. */
export interface ObjectStoreServer extends ObjectStoreClient {
  stop(): Promise<void>;
}

interface Asked {
  readonly method: 'PUT' | 'DELETE';
  /** Escaped. */
  readonly path: string;
  readonly body?: string;
}

async function send(host: string, { method, path: target, body = '' }: Asked): Promise<void> {
  const credentials = { accessKeyId: ROOT.accesskey, secretAccessKey: ROOT.secretkey };
  const request = { method, host, path: target, service: 's3', region: REGION, ...(body === '' ? {} : { body }) };
  const { headers } = aws4.sign(request, credentials);
  const rest = omit(headers as Record<string, string>, 'Host'); // as it is signed
  const options = { method, headers: rest, ...(body === '' ? {} : { body }) };
  const { statusCode, body: answer } = await undici(`http://${host}${target}`, options);
  const text = await answer.text();
  if (statusCode >= 300) throw new Error(`${method} ${target}: ${statusCode} ${text}`);
}

const escapeKey = (key: string): string =>
  key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');

/** An object store whose root login is `ROOT`. */
export function clientOf(endpoint: string): ObjectStoreClient {
  return {
    ...{ endpoint, region: REGION, send: (asked) => send(endpoint, asked) },
    createBucket: (name) => send(endpoint, { method: 'PUT', path: `/${name}` }),
    async put(bucket, files) {
      for (const [key, body] of Object.entries(files)) {
        await send(endpoint, { method: 'PUT', path: `/${bucket}/${escapeKey(key)}`, body });
      }
    },
    remove: (bucket, key) => send(endpoint, { method: 'DELETE', path: `/${bucket}/${escapeKey(key)}` }),
  };
}

/** Waits until a program listens at `HOST:PORT`. */
export async function untilListening(child: ChildProcess, at: string): Promise<void> {
  const { hostname: host, port } = new URL(`tcp://${at}`);
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const socket = connect(Number(port), host);
    await once(socket, 'connect').finally(() => socket.destroy());
  });
}

/** Builds versitygw unless it is built, and starts it on loopback. */
export async function startObjectStore(): Promise<ObjectStoreServer> {
  const { versitygw } = await ensureTools(['versitygw'], { log: (line) => process.stdout.write(`${line}\n`) });
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-s3-'));
  await mkdir(path.join(folder, 'data'));
  const endpoint = `127.0.0.1:${await freePort()}`;
  const child = spawn(versitygw, ['--port', endpoint, '--region', REGION, '--quiet', 'posix', 'data'], {
    cwd: folder,
    stdio: 'ignore',
    env: { HOME: folder, ROOT_ACCESS_KEY: ROOT.accesskey, ROOT_SECRET_KEY: ROOT.secretkey },
  });
  const ended = once(child, 'exit');
  await untilListening(child, endpoint);
  return {
    ...clientOf(endpoint),
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
