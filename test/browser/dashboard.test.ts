import { beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { fixture } from '#test/support/fixture.js';
import { eventually, useWorld } from '#test/support/world.js';
import { startConsole } from '#test/apiserver/console/harness.js';
import { dismiss, gatherPeople, type People } from '#test/apiserver/console/people.js';
import { HTML, STORIES, tell } from './applications.js';
import { describeInBrowser, findingsOf, open, picture, startBrowser, type Opened } from './browser.js';

describeInBrowser('the dashboard', () => {
  const setting = fixture<People & { browser: Browser }>(
    async () => {
      const people = await gatherPeople(await useWorld(), 'shop');
      for (const story of STORIES) await tell(people.kube, people.namespace, story);
      await eventually(() => expect(people.plain.applications.list()).toHaveLength(STORIES.length));
      return { ...people, browser: await startBrowser() };
    },
    async (people) => {
      await people.browser.close();
      await dismiss(people);
    },
  );
  let opened: Opened;
  const urlOf = (path: string): string => `http://127.0.0.1:${setting.plain.port}${path}`;

  beforeEach(() => {
    opened = { page: undefined as never, complaints: [], asked: [] };
  });

  async function signIn(page: Page, token: string): Promise<void> {
    await page.getByLabel('Bearer token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function openAs(who: 'viewer' | 'stranger' | 'named', path: string, options = {}): Promise<Page> {
    opened = await open(setting.browser, urlOf(path), options);
    await signIn(opened.page, setting.tokens[who]);
    return opened.page;
  }

  /** Nothing of the page broke its policy, and it asked nobody else. */
  async function expectSound(page: Page): Promise<void> {
    expect(await findingsOf(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
    expect([...new Set(opened.asked)]).toEqual([urlOf('')]);
  }

  const names = (page: Page) => page.locator('.matrix .name a, .matrix li a').allInnerTexts();
  const wideNames = (...found: string[]): string[] => found.map((name) => `${setting.namespace}/${name}`);

  it('asks who somebody is, and says why a token is refused', async () => {
    opened = await open(setting.browser, urlOf('/'));
    const { page } = opened;
    await signIn(page, 'wrong');
    expect(await page.getByRole('alert').innerText()).toMatch(/the token is not valid/);
    await expectSound(page);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('shows Applications by clusters, failing first, with whatever their users wrote as text', async () => {
    const page = await openAs('viewer', '/');
    await page.getByRole('rowheader').first().waitFor();
    expect(await names(page)).toEqual(wideNames('search', 'checkout', 'payments', 'catalog'));
    const heads = await page.getByRole('columnheader').allInnerTexts();
    expect(heads).toEqual(['Application', 'State', 'Ready', 'ap-1', 'eu-1', 'us-1']);
    const checkout = page.getByRole('row').filter({ hasText: 'checkout' });
    const cells = await checkout.getByRole('cell').allInnerTexts();
    expect(cells.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      ...['✗ Failed', '1/3', '✓ Ready', '✗ Failed', '● Progressing'],
    ]);
    expect(await page.locator('main img, main b').count()).toBe(0);
    await expectSound(page);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('filters by counts, and keeps what is asked for in the URL', async () => {
    const page = await openAs('viewer', '/');
    await page.getByRole('button', { name: /Unreachable/ }).click();
    await page.getByText('1 of 4 Applications').waitFor();
    expect(new URL(page.url()).search).toBe('?state=Unreachable');
    await page.reload();
    await page.getByText('1 of 4 Applications').waitFor();
    expect(await names(page)).toEqual(wideNames('search'));
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Show all Applications' }).click();
    await page.getByText('4 of 4 Applications').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('columnheader').getByRole('button', { name: 'eu-1' }).click();
    expect(await names(page)).toEqual(wideNames('checkout', 'payments', 'catalog', 'search'));
  });

  it('shows an Application with its destinations worst first, and goes back, with the keyboard alone', async () => {
    const page = await openAs('viewer', '/?search=checkout');
    await page.getByText('1 of 4 Applications').waitFor();
    const focused = page.locator('a:focus').filter({ hasText: 'checkout' });
    for (let step = 0; step < 30 && (await focused.count()) === 0; step += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Destinations, worst first (3)' }).waitFor();
    const states = await page.locator('section[aria-labelledby=destinations] h3').allInnerTexts();
    expect(states).toEqual(['✗ Failed eu-1', '● Progressing us-1', '✓ Ready ap-1']);
    expect(await page.locator('section[aria-labelledby=destinations] li').first().innerText()).toContain(HTML);
    expect(await page.locator('.headline').innerText()).toMatch(/^✗ Failed no such image/);
    await page.getByText(`fairlead status checkout --namespace ${setting.namespace} --output wide`).waitFor();
    await expectSound(page);
    await page.goBack();
    await page.getByText('1 of 4 Applications').waitFor();
  });

  it('follows what changes, and says that it cannot when the server is gone', async () => {
    const { kube, namespace, browser } = setting;
    const own = await startConsole(await useWorld(), { kube, namespace });
    opened = await open(browser, `http://127.0.0.1:${own.port}/`);
    const { page } = opened;
    await signIn(page, setting.tokens.viewer);
    const cell = page.getByRole('row').filter({ hasText: 'catalog' }).getByText('✗ Stalled');
    await page.getByText('4 of 4 Applications').waitFor();
    const [, catalog] = STORIES as [unknown, (typeof STORIES)[number]];
    await tell(kube, namespace, { ...catalog, rows: [{ cluster: 'eu-1', state: 'Stalled' }] });
    await cell.waitFor();
    await tell(kube, namespace, catalog);
    await own.stop();
    await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(STORIES.length + 1);
    expect(await findingsOf(page)).toEqual([]);
  });

  it.each(['stranger', 'named'] as const)('shows %s nothing that he may not see', async (who) => {
    const page = await openAs(who, '/');
    await page.getByRole('heading', { name: 'There are no Applications that you may see' }).waitFor();
    await expectSound(page);
    await page.goto(urlOf(`/applications/${setting.namespace}/checkout`));
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('1.5.0');
    await expectSound(page);
  });

  it('ends a session for good', async () => {
    const page = await openAs('viewer', '/');
    await page.getByText('4 of 4 Applications').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('checkout');
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const viewport = { width: 320, height: 640 };
    const page = await openAs('viewer', '/', { viewport, colorScheme, reducedMotion: 'reduce' });
    await page.getByText('4 of 4 Applications').waitFor();
    expect(await names(page)).toEqual(wideNames('search', 'checkout', 'payments', 'catalog'));
    const width = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth');
    expect(await width()).toBeLessThanOrEqual(320);
    await expectSound(page);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('heading', { name: 'Conditions' }).waitFor();
    expect(await width()).toBeLessThanOrEqual(320);
    await expectSound(page);
  });

  it.each(['light', 'dark'] as const)('is as wide as it has room, and %s as its user likes', async (colorScheme) => {
    const page = await openAs('viewer', '/', { viewport: { width: 1_280, height: 800 }, colorScheme });
    await page.getByText('4 of 4 Applications').waitFor();
    await expectSound(page);
    await picture(page, `dashboard-${colorScheme}`);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('heading', { name: 'Conditions' }).waitFor();
    await expectSound(page);
    await picture(page, `dashboard-application-${colorScheme}`);
  });
});
