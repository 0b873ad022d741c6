import { beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { startConsole } from '../apiserver/console/harness.js';
import { fixture } from '../support/fixture.js';
import { eventually, useWorld } from '../support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser, open } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, signIn, urlOf, type Visitors } from './visit.js';

const WEB: Story = {
  ...{ name: 'web', isReady: true, reason: 'AllReady', message: 'all destinations are ready' },
  rows: [{ cluster: 'eu-1', state: 'Ready' }],
};
const FAILED: Story = {
  ...WEB,
  isReady: false,
  reason: 'DestinationsFailed',
  rows: [{ cluster: 'eu-1', state: 'Failed' }],
};

describeInBrowser('pages that follow what changes', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('live', [WEB]), dismissVisitors);
  const failed = (page: Page) => page.getByRole('row').filter({ hasText: 'web' }).getByText('✗ Failed').first();
  const pageOf = (): string => `/applications/${setting.namespace}/web`;

  beforeEach(() => tell(setting.kube, setting.namespace, WEB));

  it('hear of a change without asking again and again', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    await page.getByText('1 of 1 Application').waitFor();
    const asked: string[] = [];
    await page.waitForResponse((response) => new URL(response.url()).pathname === '/api/v1/overview');
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    // Longer than the time after which a page asks by itself.
    await page.waitForTimeout(7_000);
    expect(asked).toEqual([]);
    await tell(setting.kube, setting.namespace, FAILED);
    // Before the page asks by itself although it has a stream, after a minute.
    await failed(page).waitFor({ timeout: 40_000 });
    expect([...new Set(asked)]).toEqual(['/api/v1/overview']);
    await expectSound(opened);
  });

  it('ask by themselves when there is no stream', async () => {
    const opened = await open(setting.browser, urlOf(setting, '/'));
    const { page } = opened;
    await page.route('**/api/v1/changes', (route) => route.fulfill({ status: 429 }));
    await signIn(page, setting.tokens.viewer);
    await page.getByText('1 of 1 Application').waitFor();
    await tell(setting.kube, setting.namespace, FAILED);
    await failed(page).waitFor();
    await expectSound(opened);
  });

  it('go on when the server is back', async () => {
    const { kube, namespace, browser } = setting;
    const world = await useWorld();
    const first = await startConsole(world, { kube, namespace });
    const opened = await open(browser, `http://127.0.0.1:${first.port}/`);
    const { page } = opened;
    await signIn(page, setting.tokens.viewer);
    await page.getByText('1 of 1 Application').waitFor();
    await first.stop();
    await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    await tell(kube, namespace, FAILED);
    const second = await startConsole(world, { kube, namespace, port: first.port });
    await failed(page).waitFor({ timeout: 60_000 });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await second.stop();
  });

  it('stay as they are when a session is over, until the same user is back', async () => {
    const opened = await openAs(setting, 'member', pageOf());
    const { page } = opened;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type web to confirm').fill('we');
    await page.getByRole('button', { name: 'Delete and uninstall', disabled: true }).waitFor();
    // As with a token that is not valid any longer.
    await page.context().clearCookies();
    await tell(setting.kube, setting.namespace, FAILED);
    await page.getByText('You were signed out').waitFor();
    expect(await page.getByText('eu-1').filter({ visible: true }).count()).toBe(0);
    await expectSound(opened);
    await signIn(page, setting.tokens.member);
    await page.getByRole('heading', { name: 'Delete web' }).waitFor();
    expect(await page.getByLabel('Type web to confirm').inputValue()).toBe('we');
    await page.getByLabel('Type web to confirm').press('End');
    await page.keyboard.type('b');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete and uninstall', disabled: false }).click();
    const live = () =>
      setting.kube.get<Application>(applicationResource, { name: 'web', namespace: setting.namespace });
    await eventually(async () => expect(await live()).toBe(undefined));
  });

  it('are not shown to another user', async () => {
    const opened = await openAs(setting, 'member', pageOf());
    const { page } = opened;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type web to confirm').fill('we');
    await page.context().clearCookies();
    await tell(setting.kube, setting.namespace, FAILED);
    await page.getByText('You were signed out').waitFor();
    await signIn(page, setting.tokens.stranger);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('Failed');
  });
});
