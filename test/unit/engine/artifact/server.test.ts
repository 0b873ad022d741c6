import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveArtifacts } from '#engine/artifact/server.js';
import type { Listening } from '#runtime/process/listen.js';

let root: string;
let server: Listening;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'served-'));
  await mkdir(join(root, 'git/shop/web'), { recursive: true });
  await writeFile(join(root, 'git/shop/web/a+b.tar.gz'), 'content');
  await mkdir(join(root, '.work'));
  await writeFile(join(root, '.work/secret'), 'secret');
  server = await serveArtifacts({ root, port: 0 });
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
  expect(await ask(path)).toEqual({ status: 200, body: 'content', length: '7' });
  expect(await ask(path, 'HEAD')).toEqual({ status: 200, body: '', length: '7' });
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
});

test('nothing can be written', async () => {
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
    expect(await ask('/git/shop/web/a+b.tar.gz', method)).toMatchObject({ status: 405 });
  }
  expect(await ask('/git/shop/web/a+b.tar.gz')).toMatchObject({ status: 200, body: 'content' });
});

test('a link in the store is not followed', async () => {
  await symlink(join(root, '.work/secret'), join(root, 'git/shop/web/link'));
  expect(await ask('/git/shop/web/link')).toMatchObject({ status: 404 });
});

test('closing does not wait for an idle connection', async () => {
  const socket = connect(server.address.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  await server.close();
  await new Promise((resolve) => socket.once('close', resolve));
});

test('a port that is taken is an error', async () => {
  await expect(serveArtifacts({ root, port: server.address.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
