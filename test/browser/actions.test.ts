import { beforeEach, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { ABANDON_ANNOTATION, APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { NEEDS_APPROVAL } from '#api/v1alpha1/approve-command.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
const WEB: Story = {
  ...{ name: 'web', isReady: false, reason: 'DestinationsFailed', message: 'no such image' },
  rows: [
    { cluster: 'eu-1', state: 'Ready' },
    { cluster: 'us-1', state: 'Unreachable', message: 'connection refused' },
  ],
};
const HELD: Story = {
  ...{ ...WEB, name: 'held' },
  rows: [
    { cluster: 'eu-1', state: 'Ready' },
    {
      cluster: 'us-1',
      state: 'Ready',
      message: `left unchanged, because us-1 no longer matches, and ${NEEDS_APPROVAL}`,
    },
  ],
  more: { removals: { held: 1, heldSince: '2026-01-01T00:00:00Z', approval: 'a1', clusters: ['us-1'] } },
};
const MANY: Story = {
  ...{ ...WEB, name: 'many' },
  rows: Array.from({ length: 300 }, (_, index) => ({ cluster: `edge-${index}`, state: 'Ready' })),
};

describeInBrowser('what can be asked of an Application', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('act', [WEB, HELD, MANY]), dismissVisitors);

  const live = (name = 'web'): Promise<Application | undefined> =>
    setting.kube.get<Application>(applicationResource, { name, namespace: setting.namespace });
  const button = (page: Page, name: string): Locator =>
    page.getByRole('group', { name: 'Actions' }).getByRole('button', { name });
  const openWeb = (who: 'admin' | 'member' | 'viewer', name = 'web', options = {}) =>
    openAs(setting, who, `/applications/${setting.namespace}/${name}`, options);
  /** In the dialog, once the server has checked what would come of it. */
  const confirm = (page: Page, name: string): Locator =>
    page.getByRole('dialog').getByRole('button', { name, disabled: false });
  /** What somebody asked to change; that he has signed in may be logged after the page is there. */
  const changes = () =>
    setting.plain.lines.filter(
      ({ msg, dryRun, route }) => msg === 'change requested' && !dryRun && route !== '/session',
    );

  /** A promise, and what resolves it. */
  const latch = (): readonly [Promise<void>, () => void] => {
    let letGo = (): void => undefined;
    return [new Promise((resolve) => (letGo = resolve)), () => letGo()];
  };

  beforeEach(async () => {
    for (const story of [WEB, HELD, MANY]) await tell(setting.kube, setting.namespace, story);
  });

  it('is a sync that forces and resets, once for a double click', async () => {
    const opened = await openWeb('member');
    const { page } = opened;
    await button(page, 'Sync').click();
    await page.getByRole('dialog').getByText('Its source and its children are reconciled now.').waitFor();
    await page.getByLabel('Force').check();
    await page.getByLabel('Reset failures').check();
    await page.getByText('each release is installed or upgraded, even if nothing changed').last().waitFor();
    const command = `fairlead sync web --force --reset --namespace ${setting.namespace}`;
    expect(await page.getByRole('dialog').locator('.commands code').innerText()).toBe(command);
    await expectSound(opened);
    expect((await live())?.metadata.annotations ?? {}).not.toHaveProperty([REQUESTED_AT]);
    const before = changes().length;
    await confirm(page, 'Sync').dblclick();
    // Until then it says itself what would come of it, in the same words.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'Its source and its children are reconciled now' }).waitFor();
    expect((await live())?.metadata.annotations).toMatchObject({
      [REQUESTED_AT]: expect.any(String),
      'reconcile.fluxcd.io/forceAt': expect.any(String),
      'reconcile.fluxcd.io/resetAt': expect.any(String),
    });
    expect(changes().length - before).toBe(1);
    await expectSound(opened);
  });

  it('is confirmed where the button was, whenever it is known what it would do', async () => {
    const opened = await openWeb('admin');
    const { page } = opened;
    const [answer, letGo] = latch();
    await page.route(/\/diff$/, async (route) => {
      await answer;
      await route.continue();
    });
    await button(page, 'Sync').click();
    await page.getByText('Its source and its children are reconciled now').first().waitFor();
    const plan = page.getByRole('region', { name: 'What the controller would do' });
    await plan.getByRole('status').waitFor();
    const before = await confirm(page, 'Sync').boundingBox();
    letGo();
    await plan.getByRole('heading').first().waitFor();
    expect(await confirm(page, 'Sync').boundingBox()).toEqual(before);
    await expectSound(opened);
  });

  it('is to suspend and to resume, with the keyboard alone', async () => {
    const { page } = await openWeb('member');
    await button(page, 'Suspend').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Suspended: what runs stays').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator(':focus').innerText()).toBe('Suspend');
    await page.keyboard.press('Enter');
    await confirm(page, 'Suspend').waitFor();
    await page.keyboard.press('Enter');
    const suspend = async () => (await live())?.spec.fluxApp?.spec.config.suspend;
    await eventually(async () => expect(await suspend()).toBe(true));
    await button(page, 'Resume').click();
    await page.getByLabel('Resume without knowing what it would uninstall').check();
    await confirm(page, 'Resume').click();
    await eventually(async () => expect(await suspend()).toBe(undefined));
  });

  it('tells who closed its dialog that it failed, and leaves the next one open', async () => {
    const { page } = await openWeb('member');
    const [held, letGo] = latch();
    await page.route(/\/suspend\b(?!.*dryRun)/, async (route) => {
      await held;
      await route.fulfill({ status: 403, contentType: 'application/json', body: '{"message":"a policy forbids it"}' });
    });
    await button(page, 'Suspend').click();
    await confirm(page, 'Suspend').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Sync').click();
    await confirm(page, 'Sync').waitFor();
    letGo();
    await page.getByText('Suspend web: a policy forbids it').waitFor();
    expect(await page.getByRole('heading', { name: 'Sync web' }).count()).toBe(1);
  });

  it('is refused when the name is that of another object by now', async () => {
    const { page } = await openWeb('member');
    await button(page, 'Sync').click();
    await confirm(page, 'Sync').waitFor();
    // The page would hear that it is gone, and close the dialog.
    await page.route(
      ({ pathname }) => pathname.endsWith('/applications/web'),
      (route) => route.abort(),
    );
    await setting.kube.delete(applicationResource, { name: 'web', namespace: setting.namespace });
    await eventually(async () => expect(await live()).toBe(undefined));
    await tell(setting.kube, setting.namespace, WEB);
    await confirm(page, 'Sync').click();
    await page.getByRole('alert').filter({ hasText: '"web" is another one by now' }).waitFor();
    expect((await live())?.metadata.annotations ?? {}).not.toHaveProperty([REQUESTED_AT]);
  });

  it('approves the removals that were shown, and no others', async () => {
    const opened = await openWeb('member', 'held');
    const { page } = opened;
    await button(page, 'Approve removals').click();
    await page.getByLabel('without knowing what it would uninstall').check();
    await confirm(page, 'Approve removals').waitFor();
    expect(await page.getByRole('dialog').getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Cluster'),
      expect.stringMatching(/^us-1\s+app\/web\s+✓ Ready$/),
    ]);
    await expectSound(opened);
    const removals = { held: 2, heldSince: '2026-01-01T00:00:00Z', approval: 'b2', clusters: ['eu-1', 'us-1'] };
    await tell(setting.kube, setting.namespace, { ...HELD, more: { removals } });
    await confirm(page, 'Approve removals').click();
    await page.getByRole('alert').filter({ hasText: 'other removals wait' }).waitFor();
    expect((await live('held'))?.metadata.annotations ?? {}).toEqual({});
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await button(page, 'Approve removals').click();
    await page.getByText('2 releases', { exact: true }).waitFor();
    await page.getByLabel('without knowing what it would uninstall').check();
    await confirm(page, 'Approve removals').click();
    await eventually(async () =>
      expect((await live('held'))?.metadata.annotations).toEqual({ [APPROVE_REMOVALS_ANNOTATION]: 'b2' }),
    );
  });

  it('is to delete it, once its name is typed and what goes is said', async () => {
    const opened = await openWeb('member');
    const { page } = opened;
    await button(page, 'Delete').click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText('2 releases on 2 clusters are uninstalled (deletionPolicy Delete). Clusters: eu-1, us-1.')
      .waitFor();
    await dialog.getByText('1 destination is unreachable').waitFor();
    await page.getByLabel('Type web to confirm').fill('wep');
    expect(await dialog.getByRole('button', { name: 'Delete and uninstall', disabled: true }).count()).toBe(1);
    await expectSound(opened);
    const typed = page.getByLabel('Type web to confirm');
    const keep = page.getByLabel('Keep what runs');
    await keep.check();
    await typed.fill('web');
    await confirm(page, 'Delete').waitFor();
    // What was typed to keep it is not typed to uninstall it.
    await keep.uncheck();
    expect(await typed.inputValue()).toBe('');
    expect(await dialog.getByRole('button', { name: 'Delete and uninstall', disabled: true }).count()).toBe(1);
    await keep.check();
    await typed.fill('web');
    await dialog.getByText('keep running, as you chose').waitFor();
    const asked = page.waitForRequest((request) => request.method() === 'DELETE' && !request.url().includes('dryRun'));
    await confirm(page, 'Delete').click();
    const { searchParams } = new URL((await asked).url());
    expect([...searchParams.keys()]).toEqual(['resourceVersion', 'propagationPolicy']);
    expect(searchParams.get('propagationPolicy')).toBe('Orphan');
    await eventually(async () => expect(await live()).toBe(undefined));
    await page.getByRole('heading', { name: 'It does not exist any longer' }).waitFor();
    await expectSound(opened);
  });

  it.each([
    ['another release', [...WEB.rows, { cluster: 'ap-1', state: 'Ready' }]],
    [
      'one release less, as its child is suspended by now,',
      [{ cluster: 'eu-1', state: 'Suspended' }, ...WEB.rows.slice(1)],
    ],
  ])('is agreed to again when %s would be uninstalled', async (_, rows) => {
    const { page } = await openWeb('member');
    await button(page, 'Delete').click();
    await page.getByLabel('Type web to confirm').fill('web');
    await confirm(page, 'Delete and uninstall').waitFor();
    await tell(setting.kube, setting.namespace, { ...WEB, rows });
    await page.getByRole('alert').filter({ hasText: 'It changed since you opened this' }).waitFor();
    expect(await page.getByLabel('Type web to confirm').inputValue()).toBe('');
    expect(
      await page.getByRole('dialog').getByRole('button', { name: 'Delete and uninstall', disabled: true }).count(),
    ).toBe(1);
    expect(await live()).toBeDefined();
  });

  it.each([
    ['is done although the controller says something meanwhile', [], true],
    ['is not done if another release came meanwhile', [{ cluster: 'ap-1', state: 'Ready' }], false],
  ] as const)('is to delete it, which %s', async (_, more, isDone) => {
    const { page } = await openWeb('member');
    await button(page, 'Delete').click();
    await page.getByLabel('Type web to confirm').fill('web');
    let asked = 0;
    await page.route(/applications\/web\?resourceVersion/, async (route) => {
      const story = { ...WEB, message: `meanwhile ${(asked += 1)}`, rows: [...WEB.rows, ...more] };
      // The page reads it before it hears of it.
      if (asked === 1) await tell(setting.kube, setting.namespace, story);
      await route.continue();
    });
    await confirm(page, 'Delete and uninstall').click();
    if (isDone) {
      await page.getByRole('heading', { name: 'It does not exist any longer' }).waitFor();
      expect(asked).toBe(2);
    } else {
      await page.getByRole('alert').filter({ hasText: 'It changed since you opened this' }).waitFor();
      expect(asked).toBe(1);
      expect(await live()).toBeDefined();
    }
  });

  it('is to abandon a cluster, once its name is typed, and to end that', async () => {
    const rows = [
      { cluster: 'ap-1', state: 'Ready' },
      { cluster: 'eu-1', state: 'Deleting', message: 'connection refused' },
      { cluster: 'us-1', state: 'Unreachable', message: 'connection refused' },
    ];
    await tell(setting.kube, setting.namespace, { ...WEB, rows });
    const opened = await openWeb('member');
    const { page } = opened;
    const abandoned = async () => (await live())?.metadata.annotations?.[ABANDON_ANNOTATION];
    await button(page, 'Abandon a cluster').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox', { name: 'Cluster' }).locator('option').allInnerTexts()).toEqual([
      'eu-1',
      'us-1',
    ]);
    await dialog.getByRole('combobox', { name: 'Cluster' }).selectOption('us-1');
    await page.getByLabel('Type us-1 to confirm').fill('eu-1');
    expect(await dialog.getByRole('button', { name: 'Abandon', disabled: true }).count()).toBe(1);
    await page.getByLabel('Type us-1 to confirm').fill('us-1');
    await dialog.getByText('Cluster us-1 is abandoned: releases').waitFor();
    await expectSound(opened);
    await confirm(page, 'Abandon').click();
    await eventually(async () => expect(await abandoned()).toBe('us-1'));
    await button(page, 'End abandoning').click();
    await confirm(page, 'End').click();
    await eventually(async () => expect(await abandoned()).toBe(undefined));
  });

  it('is not to abandon a cluster that answers again, whatever an old page shows', async () => {
    const { page } = await openWeb('member');
    await button(page, 'Abandon a cluster').click();
    await page.getByLabel('Type us-1 to confirm').fill('us-1');
    await confirm(page, 'Abandon').waitFor();
    // The page hears nothing any more.
    await page.route('**/api/v1/namespaces/*/applications/web', (route) => route.abort());
    await tell(setting.kube, setting.namespace, { ...WEB, rows: WEB.rows.map((row) => ({ ...row, state: 'Ready' })) });
    await confirm(page, 'Abandon').click();
    await page.getByRole('alert').filter({ hasText: 'on cluster us-1 nothing is being deleted' }).waitFor();
    expect((await live())?.metadata.annotations ?? {}).not.toHaveProperty([ABANDON_ANNOTATION]);
  });

  it('is nothing for who has no right to it, with the reason', async () => {
    const opened = await openWeb('viewer', 'held');
    const { page } = opened;
    const before = changes().length;
    for (const name of ['Sync', 'Suspend', 'Approve removals', 'Delete']) {
      expect(await button(page, name).getAttribute('aria-disabled')).toBe('true');
      // It says why, whatever it looks like.
      await button(page, name).click({ force: true });
      await page.getByRole('status').filter({ hasText: 'You may not do this: it needs' }).waitFor();
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(changes().length).toBe(before);
    await expectSound(opened);
  });

  it.each(['light', 'dark'] as const)('has room for 300 destinations on a small screen, %s', async (colorScheme) => {
    const opened = await openWeb('member', 'many', { viewport: { width: 320, height: 640 }, colorScheme });
    const { page } = opened;
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByText('300 releases on 300 clusters are uninstalled').waitFor();
    expect(await page.getByRole('dialog').getByRole('row').count()).toBe(301);
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
