import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveArtifacts } from '#engine/artifact/server.js';
import { readKey, signatureOf } from '#engine/artifact/signature.js';
import type { Listening } from '#runtime/process/listen.js';

let root: string;
let server: Listening;
let key: Buffer;

/** The address of an artifact. */
function signed(path: string): string {
  const plain = path.slice(1).replaceAll('%2B', '+');
  return `/${signatureOf(key, plain)}${path}`;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'served-'));
  await mkdir(join(root, 'git/shop/web'), { recursive: true });
  await writeFile(join(root, 'git/shop/web/a+b.tar.gz'), 'content');
  await mkdir(join(root, '.work'));
  await writeFile(join(root, '.work/secret'), 'secret');
  key = await readKey(root);
  server = await serveArtifacts({ root, key, port: 0 });
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly length: string | undefined;
}

/** Sends the path as it is; `fetch` would tidy it up. */
function ask(path: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ port: server.address.port, host: '127.0.0.1', path, method }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, body, length: response.headers['content-length'] }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test.each(['/git/shop/web/a+b.tar.gz', '/git/shop/web/a%2Bb.tar.gz'])('a stored file is served: %s', async (path) => {
  expect(await ask(signed(path))).toEqual({ status: 200, body: 'content', length: '7' });
  expect(await ask(signed(path), 'HEAD')).toEqual({ status: 200, body: '', length: '7' });
});

test.each([
  '/',
  '/git/shop/web',
  '/git/shop/web/',
  '/git/shop/web/missing',
  '/.work/secret',
  '/git/../.work/secret',
  '/git/shop/web/..%2f..%2f..%2f.work%2fsecret',
  '/git/shop/web/%2e%2e/%2e%2e/%2e%2e/.work/secret',
  '/..%2f..%2f..%2fetc/passwd',
  '//etc/passwd',
  '/git/shop/web/%00',
  '/git/shop/web/%',
  '/%2e%2e/a/b/c',
])('anything else is not there: %s', async (path) => {
  expect(await ask(path)).toMatchObject({ status: 404, body: '' });
  expect(await ask(signed(path))).toMatchObject({ status: 404, body: '' });
});

test('an address opens its own artifact only', async () => {
  const [own = ''] = signed('/git/shop/web/a+b.tar.gz').slice(1).split('/');
  await writeFile(join(root, 'git/shop/web/other.tgz'), 'other');
  expect(await ask(signed('/git/shop/web/other.tgz'))).toMatchObject({ status: 200, body: 'other' });
  for (const guess of [own, '', 'x', own.slice(1), `${own}x`, `${own}%00`]) {
    expect(await ask(`/${guess}/git/shop/web/other.tgz`)).toMatchObject({ status: 404 });
  }
  expect(await ask('/git/shop/web/a+b.tar.gz')).toMatchObject({ status: 404 });
});

test('addresses hold as long as the store, for all who open it, and not in another one', async () => {
  expect(await readKey(root)).toEqual(key);
  const fresh = join(root, 'fresh');
  const [one, other] = await Promise.all([readKey(fresh), readKey(fresh)]);
  expect(one).toEqual(other);
  expect(one).not.toEqual(key);
  await writeFile(join(fresh, '.key'), 'short');
  const again = await readKey(fresh);
  expect([again.length, again.equals(await readKey(fresh))]).toEqual([32, true]);
});

test('nothing can be written', async () => {
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
    expect(await ask(signed('/git/shop/web/a+b.tar.gz'), method)).toMatchObject({ status: 405 });
  }
  expect(await ask(signed('/git/shop/web/a+b.tar.gz'))).toMatchObject({ status: 200, body: 'content' });
});

test('a link in the store is not followed', async () => {
  await symlink(join(root, '.work/secret'), join(root, 'git/shop/web/link'));
  expect(await ask(signed('/git/shop/web/link'))).toMatchObject({ status: 404 });
});

test('closing does not wait for an idle connection', async () => {
  const socket = connect(server.address.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  await server.close();
  await new Promise((resolve) => socket.once('close', resolve));
});

test('a port that is taken is an error', async () => {
  await expect(serveArtifacts({ root, key, port: server.address.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
