import { expect, it } from '@jest/globals';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { sendDescribed } from './harness.js';
import { dismiss, gatherPeople, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'other-user'), dismiss);

const OVERVIEW = '/api/v1/overview';

/** A request of a page of the dashboard that takes its user for this one. */
function asked(path: string, { user, ...more }: { user: string; method?: string; cookie?: string; token?: string }) {
  const { cookie, ...sent } = more;
  const headers = ['x-fairlead-page', '1', 'x-fairlead-user', user];
  return sendDescribed(setting.plain.port, path, {
    ...sent,
    headers: cookie === undefined ? headers : [...headers, 'cookie', cookie],
  });
}

it('is not answered to a page of somebody else, and neither is a change', async () => {
  const token = setting.tokens.admin;
  const { text } = await sendDescribed(setting.plain.port, '/session', { token });
  const { user } = JSON.parse(text) as { user: string };
  expect((await asked(OVERVIEW, { token, user: encodeURIComponent(user) })).code).toBe(200);
  const [one, all] = ['/api/v1/namespaces/none/applications/web', '/api/v1/namespaces/none/applications'];
  for (const [method, path] of Object.entries({ GET: OVERVIEW, POST: all, PUT: one, DELETE: one })) {
    const { code, text: said } = await asked(path, { token, method, user: 'alice' });
    expect([method, code, said]).toEqual([method, 401, expect.stringContaining('is signed in now')]);
  }
});

it('is not signed out by a page of somebody else', async () => {
  const cookie = `fairlead-session=${setting.tokens.admin}`;
  const others = await asked('/session', { method: 'DELETE', cookie, user: 'alice' });
  expect([others.code, JSON.parse(others.text)]).toEqual([401, expect.objectContaining({ reason: 'Unauthorized' })]);
  const over = await asked('/session', { method: 'DELETE', cookie: 'fairlead-session=over', user: 'alice' });
  expect(over.code).toBe(204);
});

it('is answered to programs, which say nothing of it', async () => {
  expect((await sendDescribed(setting.plain.port, OVERVIEW, { token: setting.tokens.admin })).code).toBe(200);
});
