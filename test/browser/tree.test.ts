import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { podResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { fixture } from '../support/fixture.js';
import { HTML } from './applications.js';
import { describeInBrowser } from './browser.js';
import { dismissDeployed, gatherDeployed, type Deployed } from './deployed.js';
import { expectSound, openAs, widthOf } from './visit.js';

const NARROW = { width: 320, height: 640 };

/** The pod that crashes on `eu`, in the tree. */
const failingPod = (page: Page) => page.getByRole('button', { name: /Pod web-/ });
const logOf = (page: Page, container: string) =>
  page.getByRole('region', { name: new RegExp(`^Log of web-.*/${container}$`) });
const branch = (page: Page, cluster: string) =>
  page.locator('.destination').filter({ has: page.getByRole('heading', { name: cluster }) });

describeInBrowser('the tree of an Application', () => {
  const setting = fixture<Deployed>(() => gatherDeployed('tree'), dismissDeployed);
  const pathOf = (view: string): string => `/applications/${setting.namespace}/web/${view}`;

  it('leads from the failing cell of the matrix to the line of the log that says why', async () => {
    await setting.kubelet.printBefore('starting', HTML, '\u001b[31mpanic:\u001b[0m no database');
    const opened = await openAs(setting, 'admin', '/');
    const { page } = opened;
    await page.getByRole('row').getByRole('link', { name: 'Failed' }).click();
    await page.waitForURL(/\/tree\?cluster=eu$/);
    await failingPod(page).click();
    await logOf(page, 'app').getByText('panic: no database').waitFor();
    expect(await logOf(page, 'app').innerText()).toBe(`starting\n${HTML}\npanic: no database\n`);
    expect(await page.locator('main img, main b').count()).toBe(0);
    await page.getByLabel('Container').selectOption('sidecar');
    await logOf(page, 'sidecar').getByText('panic: no database').waitFor();
    await expectSound(opened);
  });

  it('has what fails first and open, whichever cluster hangs', async () => {
    const opened = await openAs(setting, 'admin', pathOf('tree'));
    const { page } = opened;
    await branch(page, 'eu').getByText('Service gone').waitFor();
    const objects = await branch(page, 'eu').locator('.pick').allInnerTexts();
    expect(objects.map((text) => text.split(' ').slice(0, 3).join(' '))).toContain('✗ Missing Service');
    await branch(page, 'us').getByText('Not read: no answer in time').waitFor();
    await branch(page, 'ap').getByText('The release is ready, but not all that it made.').waitFor();
    await branch(page, 'ap').getByText('kube-root-ca.crt').waitFor();
    await expectSound(opened);
    await page.getByRole('button', { name: 'What runs on ap' }).click();
    expect(await branch(page, 'ap').locator('.pick').count()).toBe(0);
  });

  it('says what its user may not read, and shows the rest', async () => {
    const opened = await openAs(setting, 'member', pathOf('tree'));
    const { page } = opened;
    await branch(page, 'eu').getByText('Service gone').waitFor();
    await branch(page, 'ap')
      .getByText(/Not read:.*secrets "ap" is forbidden/)
      .waitFor();
    expect(await branch(page, 'ap').locator('.pick').count()).toBe(0);
    await expectSound(opened);
  });

  it('follows a log until it is stopped, and keeps it as a file', async () => {
    await setting.kubelet.print('one');
    const { page } = await openAs(setting, 'admin', pathOf('tree?cluster=eu'));
    await failingPod(page).click();
    await page.getByLabel('Before the last restart').uncheck();
    await logOf(page, 'app').getByText('one').waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByText('Following: 1 line').waitFor();
    await setting.kubelet.printMore('two');
    await page.getByText('Following: 2 lines').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('2 lines. Stopped.').waitFor();
    await setting.kubelet.printMore('\u001b]0;title\u0007three');
    await page.locator('.log-view').getByRole('button', { name: 'Read again' }).click();
    await page.getByText('3 lines.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^web-.*-app\.log$/);
    expect(await readFile(await download.path(), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('is used with the keyboard alone, and gives the focus back', async () => {
    const { page } = await openAs(setting, 'admin', pathOf('tree?cluster=eu'));
    await failingPod(page).waitFor();
    const isThere = failingPod(page).and(page.locator(':focus'));
    for (let step = 0; step < 40 && (await isThere.count()) === 0; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('h2:focus').filter({ hasText: 'Pod web-' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await isThere.waitFor();
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    await setting.kubelet.printBefore('x'.repeat(2_000));
    const opened = await openAs(setting, 'admin', pathOf('tree'), { viewport: NARROW, colorScheme });
    const { page } = opened;
    await failingPod(page).click();
    await logOf(page, 'app').waitFor();
    await page.getByText('There are none of this object.').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });

  it('begins with the log of the container that fails, before its restart if it waits for that', async () => {
    await setting.kubelet.print('all is well');
    await setting.kubelet.printBefore('why it ended');
    const [pod] = (await setting.member.list<KubeObject>(podResource, { namespace: setting.namespace })).items.filter(
      ({ metadata }) => metadata.name.startsWith('web-'),
    );
    const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
    const ended = { terminated: { exitCode: 3, reason: 'Error', finishedAt: '2026-01-01T00:00:00Z' } };
    const sidecar = { name: 'sidecar', image: 'x', imageID: '', ready: false, restartCount: 1, lastState: ended };
    const write = async (state: object): Promise<void> => {
      const containerStatuses = [
        { name: 'app', image: 'x', imageID: '', ready: true, restartCount: 0, state: running },
        { ...sidecar, state },
      ];
      const ref = { name: pod?.metadata.name ?? '', namespace: setting.namespace };
      const options = { fieldManager: 'test', subresource: 'status' } as const;
      await setting.member.patch(podResource, ref, { type: 'merge', body: { status: { containerStatuses } } }, options);
    };
    await write({ waiting: { reason: 'CrashLoopBackOff' } });
    const opened = await openAs(setting, 'admin', pathOf('tree?cluster=eu'));
    const { page } = opened;
    await failingPod(page).click();
    await logOf(page, 'sidecar').getByText('why it ended').waitFor();
    expect(await page.getByLabel('Before the last restart').isChecked()).toBe(true);
    const of = `web --namespace ${setting.namespace} --cluster eu`;
    await page.getByText(new RegExp(`fairlead logs ${of} --pod web-\\S+ -c sidecar -p$`)).waitFor();
    await expectSound(opened);
    await write(ended);
    await page.reload();
    await logOf(page, 'sidecar').getByText('all is well').waitFor();
    expect(await page.getByLabel('Before the last restart').isChecked()).toBe(false);
  });
});

describeInBrowser('the events of an Application', () => {
  const setting = fixture<Deployed>(() => gatherDeployed('events'), dismissDeployed);
  const path = (): string => `/applications/${setting.namespace}/web/events`;

  it('are shown newest first, with what could not be read, and filtered as the URL says', async () => {
    const opened = await openAs(setting, 'admin', path());
    const { page } = opened;
    const trouble = page.locator('.events li').filter({ hasText: 'Trouble' });
    await trouble.getByText(HTML).waitFor();
    // What is there is not held up by the cluster that hangs.
    await page.getByText(/^Waiting for .*us/).waitFor();
    await page.getByText('Not read: us: no answer in time').waitFor();
    expect(await page.getByText('Waiting for').count()).toBe(0);
    const all = await page.locator('.events time').all();
    const times = await Promise.all(all.map((time) => time.getAttribute('datetime')));
    const newestFirst = [...times].sort((a, b) => Date.parse(b ?? '') - Date.parse(a ?? ''));
    expect(times).toEqual(newestFirst);
    await page.getByLabel('Search').fill('a stranger');
    await page.getByText(/^1 of \d+ events/).waitFor();
    await page.getByLabel('Type').selectOption('Normal');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    expect(new URL(page.url()).search).toBe('?type=Normal&search=a+stranger');
    await expectSound(opened);
    await page.getByRole('button', { name: 'Show all types and texts' }).click();
    await page.getByLabel('Cluster').selectOption('eu');
    await trouble.waitFor();
    expect(await page.getByText('Not read').count()).toBe(0);
  });

  it('are not shown to who may not list them, and have room on 320 pixels', async () => {
    const opened = await openAs(setting, 'viewer', path(), { viewport: NARROW });
    const { page } = opened;
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    await expectSound(opened);
    const admin = await openAs(setting, 'admin', path(), { viewport: NARROW, colorScheme: 'dark' });
    await admin.page.getByText('Trouble').waitFor();
    expect(await widthOf(admin.page)).toBeLessThanOrEqual(320);
    await expectSound(admin);
  });
});

describeInBrowser('the values of an Application', () => {
  const setting = fixture<Deployed>(() => gatherDeployed('values'), dismissDeployed);
  const path = (): string => `/applications/${setting.namespace}/web/values`;

  it.each(['light', 'dark'] as const)('are shown with their layers, and found by a text, %s', async (colorScheme) => {
    const opened = await openAs(setting, 'admin', path(), { viewport: NARROW, colorScheme });
    const { page } = opened;
    const row = page.locator('.values li').filter({ hasText: 'destination.targetNamespace' });
    await row.getByText('"web"').waitFor();
    await page.getByText('Below these values, not read: values.yaml of chart web').waitFor();
    await page.getByLabel('Search').fill('no such key');
    await page.getByText(/^0 of \d+ values$/).waitFor();
    await page.getByLabel('Search').fill('targetnamespace');
    await page.getByText(/^1 of \d+ values$/).waitFor();
    await page.getByText(`fairlead explain web --namespace ${setting.namespace}`, { exact: true }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
