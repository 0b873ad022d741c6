import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { fixture } from '../support/fixture.js';
import { useWorld } from '../support/world.js';
import { startConsole } from '../apiserver/console/harness.js';
import { HTML, STORIES, tell } from './applications.js';
import { describeInBrowser, findingsOf, open } from './browser.js';
import {
  dismissVisitors,
  expectSound,
  gatherVisitors,
  openAs,
  signIn,
  urlOf,
  widthOf,
  type Visitors,
} from './visit.js';

describeInBrowser('the dashboard', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('shop', STORIES), dismissVisitors);
  const names = (page: Page) => page.locator('.matrix .name a, .matrix li a').allInnerTexts();
  const wideNames = (...found: string[]): string[] => found.map((name) => `${setting.namespace}/${name}`);

  it('asks who somebody is, and says why a token is refused', async () => {
    const opened = await open(setting.browser, urlOf(setting, '/'));
    const { page } = opened;
    await signIn(page, 'wrong');
    expect(await page.getByRole('alert').innerText()).toMatch(/the token is not valid/);
    await expectSound(opened);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('shows Applications by clusters, failing first, with whatever their users wrote as text', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    await page.getByRole('rowheader').first().waitFor();
    expect(await names(page)).toEqual(wideNames('search', 'checkout', 'payments', 'catalog'));
    const heads = await page.getByRole('columnheader').allInnerTexts();
    expect(heads).toEqual(['Application', 'State', 'Ready', 'us-1', 'eu-1', 'ap-1']);
    const checkout = page.getByRole('row').filter({ hasText: 'checkout' });
    const cells = await checkout.getByRole('gridcell').allInnerTexts();
    expect(cells.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      ...['✗ Failed', '1/3', '● Progressing', '✗ Failed', '✓'],
    ]);
    await checkout.getByRole('gridcell', { name: 'Ready', exact: true }).waitFor();
    await checkout.getByRole('gridcell').getByRole('link', { name: 'Failed', exact: true }).waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);
    await expectSound(opened);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('filters by counts, and keeps what is asked for in the URL', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    const counts = page.getByRole('group', { name: 'Applications by state' });
    const ready = counts.getByRole('button', { name: /Ready/ });
    expect([(await ready.innerText()).replaceAll(/\s+/g, ' '), await ready.getAttribute('title')]).toEqual([
      ...['✓ Ready 1', 'Applications that are Ready, and nowhere worse'],
    ]);
    await page.getByRole('button', { name: /Unreachable/ }).click();
    await page.getByText('1 of 4 Applications').waitFor();
    expect(new URL(page.url()).search).toBe('?state=Unreachable');
    await page.reload();
    await page.getByText('1 of 4 Applications').waitFor();
    expect(await names(page)).toEqual(wideNames('search'));
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await expectSound(opened);
    await page.getByRole('button', { name: 'Show all Applications' }).click();
    await page.getByText('4 of 4 Applications').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('columnheader').getByRole('button', { name: 'eu-1' }).click();
    expect(await names(page)).toEqual(wideNames('checkout', 'payments', 'catalog', 'search'));
  });

  it('has the columns that were chosen, by its URL', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    const heads = () => page.getByRole('columnheader').getByRole('button').allInnerTexts();
    await page.getByText('4 of 4 Applications').waitFor();
    const all = await heads();
    expect(all.slice(0, 2)).toEqual(['us-1', 'eu-1']);
    await page.getByText('Columns: all clusters, the worst first').press('Enter');
    await page.getByLabel('Find a cluster').fill('ap');
    await page.getByRole('checkbox', { name: 'ap-1' }).press('Space');
    await page.getByText(`Columns: 1 of ${all.length} clusters`).waitFor();
    expect([new URL(page.url()).search, await heads()]).toEqual(['?columns=ap-1', ['ap-1']]);
    await expectSound(opened);
    await page.reload();
    await page.getByText('4 of 4 Applications').waitFor();
    expect(await heads()).toEqual(['ap-1']);
    await page.getByText(`Columns: 1 of ${all.length} clusters`).click();
    await page.getByRole('button', { name: 'Show all columns' }).click();
    expect([new URL(page.url()).search, await heads()]).toEqual(['', all]);
  });

  it('says of the source what its user may read, first of all if it fails', async () => {
    const { kube, namespace } = setting;
    const spec = { interval: '10m', url: 'https://user:secret@charts.example.com' };
    const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository', spec };
    const metadata = { name: 'charts', namespace };
    const at = `/applications/${namespace}/checkout`;
    await kube.create<KubeObject>(helmRepositoryResource, { ...source, metadata });
    const failed = { type: 'Ready', status: 'False', reason: 'Failed', message: `no such host ${HTML}` };
    const body = { status: { conditions: [{ ...failed, lastTransitionTime: '2026-01-01T00:00:00Z' }] } };
    const options = { fieldManager: 'test', subresource: 'status' } as const;
    await kube.patch(helmRepositoryResource, metadata, { type: 'merge', body }, options);
    const admin = await openAs(setting, 'admin', at);
    const { page } = admin;
    const line = page.getByRole('region', { name: 'Source' });
    await line.getByText(`no such host ${HTML}`).waitFor();
    expect(await page.locator('.source, .headline').first().innerText()).toMatch(/^✗ Failed HelmRepository charts/);
    expect(await page.content()).not.toContain('secret@');
    await page.getByText(`fairlead source HelmRepository/charts --namespace ${namespace}`).waitFor();
    await expectSound(admin);
    await page.getByRole('link', { name: 'Tree' }).click();
    await line.getByText('no such host').waitFor();
    await expectSound(admin);
    const viewer = await openAs(setting, 'viewer', at);
    await viewer.page.getByText(/Its state cannot be read: .* may not list sources/).waitFor();
    expect(await viewer.page.content()).not.toContain('no such host <');
    await expectSound(viewer);
  });

  it('shows an Application with its destinations worst first, and goes back, with the keyboard alone', async () => {
    const opened = await openAs(setting, 'viewer', '/?search=checkout');
    const { page } = opened;
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
    await expectSound(opened);
    await page.goBack();
    await page.getByText('1 of 4 Applications').waitFor();
  });

  it('says the cause once, and how long ago what is so became so', async () => {
    const { kube, namespace } = setting;
    const why = 'one-app is Failed: no such chart';
    const rows = [{ cluster: 'eu-1', state: 'Failed', message: 'no such chart' }];
    await tell(kube, namespace, { name: 'once', isReady: false, reason: 'DestinationsFailed', message: why, rows });
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    await page.clock.install({ time: '2026-01-01T00:05:30Z' });
    await page.goto(urlOf(setting, `/applications/${namespace}/once`));
    const time = page.locator('section[aria-labelledby=conditions] time');
    await time.getByText('5 minutes ago').waitFor();
    expect(await time.getAttribute('datetime')).toBe('2026-01-01T00:00:00Z');
    expect(await time.getAttribute('title')).toContain('2026');
    await page.clock.fastForward('01:00');
    await time.getByText('6 minutes ago').waitFor();
    expect((await page.locator('main').innerText()).split('no such chart')).toHaveLength(2);
    await expectSound(opened);
    await kube.delete(applicationResource, { name: 'once', namespace });
  });

  it('names the clusters that fail on a card of 320 pixels', async () => {
    const opened = await openAs(setting, 'viewer', '/', { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    const card = page.locator('.matrix li').filter({ hasText: 'checkout' });
    await card.locator('.failing').getByText('on eu-1').waitFor();
    expect(await card.locator('.failing').innerText()).toMatch(/^✗ Failed on eu-1\s*$/);
    expect(await page.locator('.matrix li').filter({ hasText: 'catalog' }).locator('.failing').count()).toBe(0);
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });

  it('leads from each destination that is not ready to its events and what runs there', async () => {
    const { page } = await openAs(setting, 'member', `/applications/${setting.namespace}/checkout`);
    const cards = page.locator('section[aria-labelledby=destinations] li');
    await cards.getByRole('link', { name: 'Its events on eu-1' }).waitFor();
    expect(await cards.getByRole('link').allInnerTexts()).toHaveLength(4);
    expect(await cards.getByRole('link', { name: /ap-1/ }).count()).toBe(0);
    await cards.getByRole('link', { name: 'Its events on eu-1' }).press('Enter');
    await page.waitForURL(/\/checkout\/events\?cluster=eu-1$/);
    expect(await page.getByLabel('Cluster').inputValue()).toBe('eu-1');
    await page.goBack();
    await page.getByRole('link', { name: 'What runs on us-1' }).click();
    await page.waitForURL(/\/checkout\/tree\?cluster=us-1$/);
  });

  it('follows what changes, and says that it cannot when the server is gone', async () => {
    const { kube, namespace, browser } = setting;
    const own = await startConsole(await useWorld(), { kube, namespace });
    const opened = await open(browser, `http://127.0.0.1:${own.port}/`);
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
    const opened = await openAs(setting, who, '/');
    const { page } = opened;
    await page.getByRole('heading', { name: 'There are no Applications that you may see' }).waitFor();
    await expectSound(opened);
    await page.goto(urlOf(setting, `/applications/${setting.namespace}/checkout`));
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('1.5.0');
    await expectSound(opened);
  });

  it('says that there is no such page, with its code, and leads back', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    await page.getByText('4 of 4 Applications').waitFor();
    for (const path of ['/nowhere', '/clusters/', '/applications/shop', '/templates/a/b/c/d/e']) {
      const answer = await page.goto(urlOf(setting, path));
      expect([path, answer?.status()]).toEqual([path, 404]);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await expectSound(opened);
    }
    await page.getByRole('link', { name: 'All Applications' }).click();
    await page.getByText('4 of 4 Applications').waitFor();
  });

  it('says that a page does not understand an answer, and leads to the others', async () => {
    const { page } = await openAs(setting, 'viewer', '/clusters');
    await page.getByRole('heading', { name: 'Clusters' }).waitFor();
    await page.route('**/api/v1/overview*', (route) => route.fulfill({ json: { of: 'another version' } }));
    await page.getByRole('link', { name: 'Applications', exact: true }).click();
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
    await page.unroute('**/api/v1/overview*');
    await page.getByRole('link', { name: 'Applications', exact: true }).click();
    await page.getByText('4 of 4 Applications').waitFor();
  });

  it('ends a session for good', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    await page.getByText('4 of 4 Applications').waitFor();
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await page.route('**/session', (route) => route.abort());
    await signOut.click();
    await page.getByText('You may still be signed in: The server does not answer.').waitFor();
    await page.unroute('**/session');
    await signOut.click();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('checkout');
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const viewport = { width: 320, height: 640 };
    const opened = await openAs(setting, 'viewer', '/', { viewport, colorScheme, reducedMotion: 'reduce' });
    const { page } = opened;
    await page.getByText('4 of 4 Applications').waitFor();
    expect(await names(page)).toEqual(wideNames('search', 'checkout', 'payments', 'catalog'));
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    const cut = await page.evaluate(`[...document.querySelectorAll('.tally')].filter((each) =>
      each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight).map((each) => each.innerText)`);
    expect(cut).toEqual([]);
    await expectSound(opened);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('heading', { name: 'Conditions' }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });

  it.each([320, 1_600])('moves no link when another page is shown, at %s pixels', async (width) => {
    const { page } = await openAs(setting, 'viewer', '/', { viewport: { width, height: 640 } });
    const boxesOf = (selector: string): Promise<unknown[]> =>
      page.evaluate(
        `[...document.querySelectorAll('${selector}')].map((each) => each.getBoundingClientRect().toJSON())`,
      );
    for (const [place, first] of [
      ['nav[aria-label=Main]', '/'],
      ['nav.views', `/applications/${setting.namespace}/checkout`],
    ] as const) {
      await page.goto(urlOf(setting, first));
      await page.locator(`${place} a[aria-current]`).waitFor();
      await page.getByText(/^(4 of 4 Applications|Conditions)$/).waitFor();
      const boxes = await boxesOf(`${place} a`);
      expect(boxes.length).toBeGreaterThan(3);
      for (const link of await page.locator(`${place} a`).all()) {
        await link.click();
        await link.and(page.locator('[aria-current=page]')).waitFor();
        expect(await boxesOf(`${place} a`)).toEqual(boxes);
      }
    }
  });

  it.each(['light', 'dark'] as const)('is as wide as it has room, and %s as its user likes', async (colorScheme) => {
    const opened = await openAs(setting, 'viewer', '/', { viewport: { width: 1_280, height: 800 }, colorScheme });
    const { page } = opened;
    await page.getByText('4 of 4 Applications').waitFor();
    await expectSound(opened);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('heading', { name: 'Conditions' }).waitFor();
    await expectSound(opened);
  });
});
