import { beforeEach, describe, expect, it } from '@jest/globals';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { ApplicationDetail } from '#queries/answers/application.js';
import { compareRevisions } from '#queries/plans/compare-revisions.js';
import { readHistory } from '#queries/plans/history.js';
import { viewOf } from '#queries/views/application-view.js';
import { CancelledError } from '#lib/errors.js';
import { fixture } from '../../support/fixture.js';
import { eventually, useWorld } from '../../support/world.js';
import { sendDescribed, type Answer, type Sent } from './harness.js';
import { dismiss, gatherPeople, withWeb, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'v1'), dismiss);

async function call(path: string, sent: Sent = {}): Promise<Answer & { body: unknown }> {
  const { plain, tokens } = setting;
  const answer = await sendDescribed(plain.port, `/api/v1${path}`, { token: tokens.admin, ...sent });
  return { ...answer, body: answer.text === '' ? undefined : (JSON.parse(answer.text) as unknown) };
}

const at = (rest = ''): string => `/namespaces/${setting.namespace}/applications${rest}`;

beforeEach(async () => {
  await withWeb(setting);
});

describe('an Application', () => {
  it('is what the command line says of it, with conditions and spec', async () => {
    const live = await withWeb(setting);
    const { body } = await call(at('/web'));
    expect(body).toMatchObject(viewOf(live));
    const { conditions, spec, resourceVersion } = body as ApplicationDetail;
    expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Reconciling']);
    expect([spec, resourceVersion]).toEqual([live.spec, live.metadata.resourceVersion]);
  });

  it.each([
    ['admin', { patch: true, update: true, delete: true, listRevisions: true }],
    ['member', { patch: true, update: true, delete: true, listRevisions: true }],
    ['viewer', { patch: false, update: false, delete: false, listRevisions: false }],
    ['named', { patch: false, update: false, delete: false, listRevisions: false }],
  ] as const)('says what %s may do with it', async (who, may) => {
    const { body } = await call(at('/web'), { token: setting.tokens[who] });
    expect(body).toMatchObject({ name: 'web', may });
  });

  it('that does not exist is a Status', async () => {
    const { code, type, body } = await call(at('/none'));
    expect([code, type]).toEqual([404, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });
});

describe('the history of an Application', () => {
  it('is no longer read for somebody who is gone', async () => {
    const application = await withWeb(setting);
    const over = AbortSignal.abort();
    await expect(readHistory(setting.kube, application, over)).rejects.toThrow(CancelledError);
    const compared = { from: 1, to: 2 };
    await expect(compareRevisions(setting.kube, application, compared, over)).rejects.toThrow(CancelledError);
  });

  it('has its revisions and what is where, for who may read them', async () => {
    const { code, body } = await call(at('/web/history'));
    expect([code, body]).toMatchObject([200, { revisions: [{ revision: 1, changes: [], moreChanges: 0 }] }]);
    expect((await call(at('/web/history'), { token: setting.tokens.viewer })).code).toBe(403);
  });

  it('compares revisions that are kept, and that can be read', async () => {
    const { code, body } = await call(at('/web/history/diff?from=1&to=7'));
    expect([code, body]).toMatchObject([404, { message: 'web: revision 1 is not kept' }]);
    expect((await call(at('/web/history/diff?from=1&to=7'), { token: setting.tokens.viewer })).code).toBe(403);
    expect((await call(at('/web/history/diff?from=1&to=x'))).code).toBe(400);
  });
});

describe('a list', () => {
  it.each<[string, number]>([
    ['', 1],
    ['?fieldSelector=state%3DProgressing,cluster%3Deu', 1],
    ['?fieldSelector=cluster%3Dasia', 0],
    ['?search=eb&limit=1&page=1', 1],
    ['?labelSelector=!team', 1],
  ])('with %s has %d', async (query, total) => {
    expect((await call(at(query))).body).toMatchObject({ total });
    const { namespace } = setting;
    const separator = query === '' ? '?' : '&';
    const everywhere = await call(`/applications${query}${separator}${query.includes('field') ? 'search=web' : ''}`);
    expect([everywhere.code, everywhere.text.includes(namespace)]).toEqual([200, total === 1]);
  });

  it.each([
    '?limit=1000',
    '?unknown=1',
    '?sort=spec',
    '?fieldSelector=x',
    '?labelSelector=a%20in%20(',
    '?page=1&page=2',
  ])('with %s is refused, with the reason', async (query) => {
    const { code, body } = await call(at(query));
    expect([code, body]).toMatchObject([400, { reason: 'BadRequest', code: 400 }]);
  });
});

describe('an answer', () => {
  it('that did not change is not sent again', async () => {
    for (const path of [at(), at('/web'), '/pending']) {
      const first = await call(path);
      const { tag } = first;
      expect([first.code, tag]).toEqual([200, expect.stringMatching(/^"[-\w]{43}"$/)]);
      const again = await call(path, { headers: ['if-none-match', `"other", W/${tag}`] });
      expect([again.code, again.text, again.tag]).toEqual([304, '', tag]);
    }
  });

  it('that changed is sent whole', async () => {
    const { tag } = await call(at('/web'));
    const { kube, namespace } = setting;
    const body = { metadata: { labels: { team: 'x' } } };
    await kube.patch(applicationResource, { name: 'web', namespace }, { type: 'merge', body });
    await eventually(async () => {
      const changed = await call(at('/web'), { headers: ['if-none-match', tag] });
      expect([changed.code, changed.body]).toMatchObject([200, { labels: { team: 'x' } }]);
    });
  });
});
