import { beforeEach, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { acceptedBy, describeCluster, FOUND, grantSecrets, replacedRow } from '../apiserver/console/replaced-people.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const BUTTON = 'Accept a replaced cluster';
const THIRD = '99999999-1111-4222-8333-444455556666';
const NONE: Story = { name: 'web', isReady: false, reason: 'ClusterReplaced', message: 'it was replaced', rows: [] };

describeInBrowser('a cluster that took the place of another one', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('replaced', [NONE]), dismissVisitors);

  const ref = (name = 'eu-1') => ({ name, namespace: setting.namespace });
  const row = (name: string, found = FOUND) => ({ ...replacedRow(ref(name), { found }), state: 'Failed' });
  const story = (...rows: Story['rows']): Promise<void> =>
    tell(setting.kube, setting.namespace, { ...NONE, rows: [{ cluster: 'us-1', state: 'Ready' }, ...rows] });
  const openWeb = (who: 'admin' | 'viewer', options = {}) =>
    openAs(setting, who, `/applications/${setting.namespace}/web`, options);
  const ask = (page: Page): Promise<void> =>
    page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: BUTTON }).click();
  const accept = (page: Page, disabled = false): Locator =>
    page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true, disabled });
  const accepted = (name?: string): Promise<string | undefined> => acceptedBy(setting.kube, ref(name));

  beforeEach(async () => {
    await grantSecrets(setting.kube, setting.namespace);
    for (const name of ['eu-1', 'eu-2']) await describeCluster(setting.kube, ref(name));
    await story(row('eu-1'));
  });

  it('is accepted once its name is typed and what comes of it is said', async () => {
    const opened = await openWeb('admin');
    const { page } = opened;
    await ask(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`Secret ${setting.namespace}/eu-1 accepts the cluster with the UID ${FOUND}`).waitFor();
    await dialog.getByText('those that are to be removed are uninstalled from it').waitFor();
    expect(await dialog.locator('dl.facts').innerText()).toMatch(
      new RegExp(`Secret ${setting.namespace}/eu-1\\s+UID of the old cluster\\s+old\\s+UID of the .*\\s+${FOUND}`),
    );
    expect(await dialog.locator('dl.commands code').innerText()).toBe(
      `kubectl annotate --overwrite secret eu-1 --namespace ${setting.namespace} gitops.kubesphere.io/accept-cluster-uid=${FOUND}`,
    );
    expect(await dialog.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Cluster'),
      expect.stringMatching(/^eu-1/),
    ]);
    await page.getByLabel('Type eu-1 to confirm').fill('eu-2');
    expect(await accept(page, true).count()).toBe(1);
    await expectSound(opened);
    await page.getByLabel('Type eu-1 to confirm').fill('eu-1');
    expect(await accepted()).toBeUndefined();
    await accept(page).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'accepts the cluster with the UID' }).waitFor();
    await eventually(async () => expect(await accepted()).toBe(FOUND));
    await expectSound(opened);
  });

  it('is one of several, and only that one is accepted', async () => {
    await story(row('eu-1'), row('eu-2', THIRD));
    const { page } = await openWeb('admin');
    await ask(page);
    const choice = page.getByRole('dialog').getByRole('combobox', { name: 'Cluster' });
    await choice.selectOption(`Secret ${setting.namespace}/eu-2`);
    await page.getByLabel('Type eu-2 to confirm').fill('eu-2');
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);
    await accept(page).click();
    await eventually(async () => expect(await accepted('eu-2')).toBe(THIRD));
    expect(await accepted('eu-1')).toBeUndefined();
  });

  it('is agreed to again when another cluster answers meanwhile', async () => {
    const { page } = await openWeb('admin');
    await ask(page);
    await page.getByLabel('Type eu-1 to confirm').fill('eu-1');
    await accept(page).waitFor();
    await story(row('eu-1', THIRD));
    await page.getByRole('alert').filter({ hasText: 'check again which cluster answers' }).waitFor();
    expect(await page.getByLabel('Type eu-1 to confirm').inputValue()).toBe('');
    expect(await accept(page, true).count()).toBe(1);
    expect(await accepted()).toBeUndefined();
  });

  it('is not accepted as an old page shows it', async () => {
    const { page } = await openWeb('admin');
    await ask(page);
    await page.getByLabel('Type eu-1 to confirm').fill('eu-1');
    await accept(page).waitFor();
    // The page hears nothing any more.
    await page.route('**/api/v1/namespaces/*/applications/web', (route) => route.abort());
    await story(row('eu-1', THIRD));
    await accept(page).click();
    await page
      .getByRole('alert')
      .filter({ hasText: `has the UID ${THIRD} by now` })
      .waitFor();
    expect(await accepted()).toBeUndefined();
  });

  it.each(['light', 'dark'] as const)(
    'is shown to who may not accept it, with the command for who may, on a small screen, %s',
    async (colorScheme) => {
      const opened = await openWeb('viewer', { viewport: { width: 320, height: 640 }, colorScheme });
      const { page } = opened;
      await ask(page);
      await page.getByRole('alert').filter({ hasText: 'not found, or you may not read it' }).waitFor();
      await page.getByLabel('Type eu-1 to confirm').fill('eu-1');
      expect(await accept(page, true).count()).toBe(1);
      await page.getByRole('dialog').getByText('kubectl annotate --overwrite secret eu-1').waitFor();
      expect(await widthOf(page)).toBeLessThanOrEqual(320);
      await expectSound(opened);
      expect(await accepted()).toBeUndefined();
    },
  );

  it('is not offered where there is none', async () => {
    await story();
    const { page } = await openWeb('admin');
    await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Sync' }).waitFor();
    expect(await page.getByRole('button', { name: BUTTON }).count()).toBe(0);
  });
});
