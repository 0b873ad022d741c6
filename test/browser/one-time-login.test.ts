import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { startBrowser } from '#bench/with-dashboard.js';
import { LOGIN_MINUTES, OneTimeLogins } from '#console/server/one-time-logins.js';
import { startConsole, type Console } from '../apiserver/console/harness.js';
import { dismiss, gatherPeople, type People } from '../apiserver/console/people.js';
import { fixture } from '../support/fixture.js';
import { useWorld } from '../support/world.js';
import { STORIES, tell } from './applications.js';
import { describeInBrowser, findingsOf, open } from './browser.js';

interface Setting extends People {
  readonly browser: Browser;
  readonly console: Console;
  readonly logins: OneTimeLogins;
  readonly clock: { aheadMs: number };
}

describeInBrowser('a link that signs in once', () => {
  const setting = fixture<Setting>(
    async () => {
      const world = await useWorld();
      const people = await gatherPeople(world, 'link');
      for (const story of STORIES) await tell(people.kube, people.namespace, story);
      const clock = { aheadMs: 0 };
      const logins = new OneTimeLogins(() => performance.now() + clock.aheadMs);
      const { kube, namespace } = people;
      const console = await startConsole(world, { kube, namespace, more: { oneTimeLogins: logins } });
      return { ...people, browser: await startBrowser(), console, logins, clock };
    },
    async (people) => {
      await people.browser.close();
      await people.console.stop();
      await dismiss(people);
    },
  );
  const address = (): string => `http://127.0.0.1:${setting.console.port}`;

  function offer(): string {
    const code = randomBytes(32).toString('base64url');
    setting.logins.offer({ code, token: setting.tokens.viewer });
    return code;
  }

  async function expectRefused(link: string, reason: RegExp): Promise<void> {
    const { page, complaints } = await open(setting.browser, link);
    expect(await page.getByRole('alert').innerText()).toMatch(reason);
    await page.getByLabel('Bearer token').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    expect(page.url()).toBe(`${address()}/`);
    await page.context().close();
  }

  it('shows the Applications, and leaves its code nowhere', async () => {
    const code = offer();
    const { page, complaints, asked } = await open(setting.browser, `${address()}/login#${code}`);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`));
    await page.getByText('4 of 4 Applications').waitFor();
    expect(page.url()).toBe(`${address()}/`);
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', expires: -1 }]);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('heading', { name: 'Conditions' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Conditions' }).waitFor();
    await page.goBack();
    await page.getByText('4 of 4 Applications').waitFor();
    expect(page.url()).toBe(`${address()}/`);
    expect(sent.length).toBeGreaterThan(3);
    expect(sent.filter((each) => each.includes(code))).toEqual([]);
    expect(JSON.stringify(setting.console.lines)).not.toContain(code);
    expect([...new Set(asked)]).toEqual([address()]);
    expect(complaints).toEqual([]);
    // Once more, by who is signed in already.
    await page.goto(`${address()}/login#${code}`);
    await page.getByText('4 of 4 Applications').waitFor();
    await page.context().close();
    await expectRefused(`${address()}/login#${code}`, /the link was used already: where .npm start. runs, Enter/);
  });

  it('is refused when it is late, or forged, or of a server that knows no links', async () => {
    const { clock } = setting;
    const late = offer();
    clock.aheadMs += LOGIN_MINUTES * 60_000;
    await expectRefused(`${address()}/login#${late}`, /the link is older than 10 minutes/);
    await expectRefused(`${address()}/login#${'x'.repeat(43)}`, /the link is not one of this server/);
    await expectRefused(`${address()}/login`, /the link is not one of this server/);
    const { port } = setting.plain;
    const { page } = await open(setting.browser, `http://127.0.0.1:${port}/login#${offer()}`);
    expect(await page.getByRole('alert').innerText()).toMatch(/this server signs nobody in by a link/);
    await page.context().close();
  });

  it('is not used up by programs that look at it first, nor by pages of others', async () => {
    const code = offer();
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await fetch(`${address()}/login`, { method });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
    const post = (headers: Record<string, string>): Promise<Response> => {
      const type = { 'content-type': 'application/json' };
      const body = JSON.stringify({ code });
      return fetch(`${address()}/session/one-time`, { method: 'POST', headers: { ...type, ...headers }, body });
    };
    const foreign = [{}, { 'x-fairlead-page': '1', 'sec-fetch-site': 'cross-site' }];
    for (const headers of foreign) expect((await post(headers as Record<string, string>)).status).toBe(403);
    const both = await Promise.all([post({ 'x-fairlead-page': '1' }), post({ 'x-fairlead-page': '1' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(both.filter((answer) => answer.headers.has('set-cookie'))).toHaveLength(1);
  });
});
