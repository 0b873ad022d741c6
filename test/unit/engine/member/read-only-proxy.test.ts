import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openReadOnlyProxy, type ReadOnlyProxy } from '#engine/member/read-only-proxy.js';
import { TransientError } from '#lib/errors.js';

let proxy: ReadOnlyProxy;
const read: string[] = [];

beforeEach(async () => {
  read.length = 0;
  const kube = {
    read: (path: string) => {
      read.push(path);
      if (path === '/gone') return Promise.reject(new TransientError('cannot read /gone'));
      return Promise.resolve(path === '/readyz' ? 'ok' : { kind: 'ConfigMap' });
    },
  };
  proxy = await openReadOnlyProxy(kube, new AbortController().signal);
});
afterEach(() => proxy.close());

async function ask(path: string, init: { method?: string; token?: string } = {}): Promise<Response> {
  // The kubeconfig is ours, and JSON.
  const config = JSON.parse(proxy.kubeconfig) as { clusters: [{ cluster: { server: string } }] };
  const { origin, pathname } = new URL(config.clusters[0].cluster.server);
  const url = `${origin}${init.token === undefined ? pathname : `/${init.token}`}${path}`;
  return fetch(url, { method: init.method ?? 'GET' });
}

test('reads are passed on with their query, and answered as they are', async () => {
  const response = await ask('/api/v1/configmaps?limit=1');
  expect([response.status, await response.json()]).toEqual([200, { kind: 'ConfigMap' }]);
  expect(await (await ask('/readyz')).text()).toBe('ok');
  expect(read).toEqual(['/api/v1/configmaps?limit=1', '/readyz']);
});

test.each([
  ['a write', '/api/v1/configmaps', { method: 'POST' }, 405],
  ['a deletion', '/api/v1/namespaces/x', { method: 'DELETE' }, 405],
  ['a watch', '/api/v1/configmaps?watch=true', {}, 405],
  ['another token', '/api', { token: 'x' }, 403],
  ['another token of the same length', '/api', { token: 'x'.repeat(64) }, 403],
])('%s is refused, and the cluster not asked', async (_name, path, init, code) => {
  expect((await ask(path, init)).status).toBe(code);
  expect(read).toEqual([]);
});

test('what the cluster does not answer is a failure in its own words', async () => {
  const response = await ask('/gone');
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ kind: 'Status', message: 'cannot read /gone' });
});
