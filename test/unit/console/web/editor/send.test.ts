import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { preview, send, type Target } from '#console/web/editor/send.js';
import { readApplication } from '../application/read-application.js';

const LIVE = readApplication();
const TARGET: Target = { namespace: LIVE.namespace, name: LIVE.name, base: LIVE };
const VALUE = { spec: { ...LIVE.spec, timeout: '1m' } };
const OLD = new Response('conflict', { status: 409 });

/** The requests, which these answers meet in their order; none is a server that is not there. */
function answering(...answers: readonly (Response | undefined)[]): string[] {
  const asked: string[] = [];
  const rest = [...answers];
  jest.spyOn(globalThis, 'fetch').mockImplementation((path, { method = '', body } = {}) => {
    const [, version = ''] = /"resourceVersion":"(\d+)"/.exec(typeof body === 'string' ? body : '') ?? [];
    asked.push(`${method} ${typeof path === 'string' ? path : ''} ${version}`.trim());
    const answer = rest.shift();
    return answer === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(answer.clone());
  });
  return asked;
}

const json = (value: object): Response => new Response(JSON.stringify(value));

afterEach(() => void jest.restoreAllMocks());

describe('without an answer', () => {
  it.each<[string, boolean, string]>([
    ['a save may have been written', false, 'Nobody knows whether it was done: look before you try again.'],
    ['a check may be asked for again', true, 'Check that `fairlead console` runs and can be reached, and try again.'],
  ])('%s', async (_, dryRun, text) => {
    for (const target of [TARGET, { namespace: 'shop', name: 'new' }]) {
      answering();
      expect(await send(target, VALUE, dryRun)).toMatchObject({ problem: { kind: 'disconnected', text } });
    }
  });

  it('after a conflict, nothing was written', async () => {
    answering(OLD, undefined);
    expect(await send(TARGET, VALUE, false)).toMatchObject({ problem: { text: expect.stringMatching(/try again/) } });
  });
});

describe('a version that is not the newest', () => {
  const newer = { ...LIVE, resourceVersion: '8', ready: '0/2' };

  it('is no conflict if only its status is another', async () => {
    const asked = answering(OLD, json(newer), json({ children: [] }));
    expect(await preview(TARGET, VALUE, new AbortController().signal)).toEqual({ answer: { children: [] } });
    const [url, path] = ['/api/v1/namespaces/shop/preview', '/api/v1/namespaces/shop/applications/web'];
    expect(asked).toEqual([`POST ${url} 7`, `GET ${path}`, `POST ${url} 8`]);
  });

  it('is one if somebody changed it', async () => {
    const theirs = { ...newer, spec: { ...LIVE.spec, interval: '5m' } };
    answering(OLD, json(theirs));
    expect(await send(TARGET, VALUE, false)).toMatchObject({ theirs: { resourceVersion: '8' } });
  });
});
