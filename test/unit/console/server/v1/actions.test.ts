import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { ACTIONS } from '#console/shared/action.js';
import { written, type Asked } from '#console/server/v1/actions.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { CancelledError } from '#lib/errors.js';
import { application, deploy } from '../../../application/model/builders.js';

const KEPT = { items: [], resourceVersion: '1' };

/** An answer that does not come, until nobody waits for it. */
function silence({ signal }: RequestOptions = {}): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new CancelledError())));
}

/** One of its verbs gives no answer. */
function silentKube(verb: 'get' | 'list' | 'patch'): Kube {
  const app = application([deploy('prod')]);
  const answers = { get: () => Promise.resolve(app), list: () => Promise.resolve(KEPT), patch: () => app };
  const silent = {
    get: (_type: unknown, _ref: unknown, options?: RequestOptions) => silence(options),
    list: (_type: unknown, query?: RequestOptions) => silence(query),
    patch: (_type: unknown, _ref: unknown, _patch: unknown, options?: RequestOptions) => silence(options),
  };
  return { ...answers, [verb]: silent[verb] } as unknown as Kube;
}

function asked(path: string, dryRun: boolean): Asked {
  const action = ACTIONS.find((each) => each.path === path)!;
  return { action, place: { namespace: 'shop', name: 'web' }, query: { dryRun }, said: {} };
}

it.each([
  ['get', 'suspend'],
  ['list', 'rollback'],
  ['patch', 'suspend'],
] as const)('ends with who asked what an action would write, while %s gives no answer', async (verb, action) => {
  const left = new AbortController();
  const options = { timestamp: () => '2026-01-01T00:00:00Z', signal: left.signal };
  const outcome = written(silentKube(verb), options, asked(action, true)).then(String, String);
  await setImmediate();
  left.abort();
  expect(await Promise.race([outcome, setImmediate('goes on')])).toMatch('CancelledError');
});
