import { describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { BASE, sendDescribed } from './harness.js';
import { dismiss, gatherPeople, SPEC, withWeb, type People } from './people.js';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const setting = fixture<People>(async () => {
  const people = await gatherPeople(await useWorld(), 'requests');
  await withWeb(people);
  return people;
}, dismiss);

const admin = (path: string, more: Parameters<typeof sendDescribed>[2] = {}) =>
  sendDescribed(setting.plain.port, path, { token: setting.tokens.admin, ...more });
const live = (name: string): Promise<Application | undefined> =>
  setting.kube.get<Application>(applicationResource, { namespace: setting.namespace, name });

describe('a key that no route knows', () => {
  it('is refused by each route of our own that reads', async () => {
    const { paths } = JSON.parse((await admin('/openapi.json')).text) as OpenApi;
    const read = Object.entries(paths).filter(([path, { get }]) => path.startsWith('/api/v1/') && get !== undefined);
    expect(read.length).toBeGreaterThan(25);
    const fill = (path: string): string =>
      path
        .replaceAll('{namespace}', setting.namespace)
        .replaceAll('{name}', 'web')
        .replace('{kind}', 'HelmTemplate')
        .replaceAll(/\{\w+\}/g, '1');
    const answers = await Promise.all(
      read.map(async ([path]) => {
        const { code, text } = await admin(`${fill(path)}?cluter=eu`);
        return [path, code, (JSON.parse(text) as { message: string }).message];
      }),
    );
    expect(answers).toEqual(
      read.map(([path]) => [path, 400, expect.stringContaining('"cluter" is no key of this query; ')]),
    );
  });

  it('is no error of the server where one is said twice', async () => {
    const { code, text } = await admin('/api/v1/overview?since=a&since=b');
    expect([code, text]).toEqual([400, expect.stringContaining('since: it was sent 2 times')]);
  });
});

describe('dryRun=All on the routes of ks-devops', () => {
  const at = (rest = ''): string => `${BASE}/namespaces/${setting.namespace}/applications${rest}`;
  const made = (name: string): object => ({ kind: 'Application', metadata: { name }, spec: SPEC });

  it('writes nothing, whatever is asked for', async () => {
    const before = await live('web');
    expect(before).toBeDefined();
    const answers = [
      await admin(at('?dryRun=All'), { method: 'POST', body: made('new') }),
      await admin(at('/web?dryRun=All'), { method: 'PUT', body: { ...made('web'), spec: { ...SPEC, paused: true } } }),
      await admin(at('/web/sync?dryRun=All'), { method: 'POST', body: {} }),
      await admin(at('/web?dryRun=All&cascade=false'), { method: 'DELETE' }),
    ];
    expect(answers.map(({ code }) => code)).toEqual([200, 200, 200, 200]);
    expect([await live('web'), await live('new')]).toEqual([before, undefined]);
    expect((await admin(at('/new'))).code).toBe(404);
  });

  it('is refused with another value, and then nothing is written either', async () => {
    for (const [method, path] of [
      ['POST', at('?dryRun=true')],
      ['DELETE', at('/web?dryRun=all')],
    ] as const) {
      const { code } = await admin(path, { method, ...(method === 'POST' ? { body: made('new') } : {}) });
      expect(code).toBe(400);
    }
    expect([(await live('web')) === undefined, await live('new')]).toEqual([false, undefined]);
  });
});

describe('the headers of what browsers get', () => {
  const headersOf = async (path: string): Promise<Headers> => {
    const headers = { authorization: `Bearer ${setting.tokens.admin}` };
    const answer = await fetch(`http://127.0.0.1:${setting.plain.port}${path}`, { headers });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.headers;
  };

  it('let a page run what this server has, and nobody frame it', async () => {
    const page = await (await fetch(`http://127.0.0.1:${setting.plain.port}/`)).text();
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(page) ?? [];
    for (const path of ['/', '/clusters', script]) {
      const policy = (await headersOf(path)).get('content-security-policy') ?? '';
      const parts = policy.split('; ').sort();
      expect(parts).toEqual(
        expect.arrayContaining([
          ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
          ...["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"],
        ]),
      );
      expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    }
  });

  it('keep answers from being taken for pages', async () => {
    for (const path of ['/', '/api/v1/overview', `${BASE}/namespaces/${setting.namespace}/applications`]) {
      const headers = await headersOf(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/frame-ancestors '(none|self)'/);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
