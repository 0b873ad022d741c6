import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { controllerRevisionResource } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import {
  ABORT_ROLLOUT_ANNOTATION,
  APPLICATION_REVISION,
  APPROVE_STAGE_ANNOTATION,
  CHANGE_CAUSE_ANNOTATION,
  PAUSE_ROLLOUT_ANNOTATION,
  PIN_ANNOTATION,
  PIN_CLUSTERS_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { HTML, type Story } from './applications.js';
import { describeInBrowser } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const AT = '2026-01-01T00:00:00Z';
const COUNTS = { ready: 0, updating: 0, failed: 0, unreachable: 0, left: 0 };
const WEB: Story = {
  ...{ name: 'web', isReady: false, reason: 'Progressing', message: 'rolling out' },
  rows: [
    { cluster: 'eu-1', state: 'Ready' },
    { cluster: 'us-1', state: 'Ready' },
  ],
  spec: { rollout: { stages: [{ name: 'canary' }, { name: 'prod', approval: true }] } },
  more: {
    history: { revision: 3 },
    rollout: {
      ...{ revision: 3, phase: 'AwaitingApproval', startedAt: AT, lastGood: 2 },
      stages: [
        { ...COUNTS, name: 'canary', phase: 'Complete', total: 1, ready: 1, waiting: 0 },
        { ...COUNTS, name: 'prod', phase: 'AwaitingApproval', message: 'waits for an approval', total: 1, waiting: 1 },
      ],
    },
  },
};

async function keep({ kube, namespace }: Visitors, revision: number, version: string): Promise<void> {
  const web = await kube.get<Application>(applicationResource, { name: 'web', namespace });
  const owner = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'web' };
  const chart = { chart: 'web', version };
  const object = {
    ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', revision },
    metadata: {
      ...{ name: `web-${revision}`, namespace, labels: { [APPLICATION_REVISION]: String(revision) } },
      annotations: { [CHANGE_CAUSE_ANNOTATION]: `${HTML} ${revision}` },
      ownerReferences: [{ ...owner, uid: web?.metadata.uid ?? '' }],
    },
    data: { spec: { config: { helmRelease: { chart, deploy: [{ values: { color: version } }] } } }, templates: {} },
  };
  await kube.apply(controllerRevisionResource, object, { fieldManager: 'test', force: true });
}

describeInBrowser('the history of an Application', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('past', [WEB]);
    await keep(visitors, 1, '1.0.0');
    await keep(visitors, 2, '1.1.0');
    await keep(visitors, 3, '1.2.0');
    return visitors;
  }, dismissVisitors);

  const openWeb = (who: 'admin' | 'viewer', view: string, options = {}) =>
    openAs(setting, who, `/applications/${setting.namespace}/web/${view}`, options);
  const annotations = async () => {
    const web = await setting.kube.get<Application>(applicationResource, { name: 'web', namespace: setting.namespace });
    return web?.metadata.annotations ?? {};
  };
  const card = (page: Page, revision: number): Locator =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: `Revision ${revision}` }) });
  /** He may not list HelmReleases: what would become of them nobody can tell him. */
  const blindly = (page: Page): Promise<void> => page.getByLabel('without knowing what it would uninstall').check();
  const confirm = (page: Page, name: string): Locator =>
    page.getByRole('dialog').getByRole('button', { name, disabled: false });

  it('says what each revision changed, and compares them', async () => {
    const opened = await openWeb('admin', 'history');
    const { page } = opened;
    await card(page, 3).getByText('Changed: chart version 1.1.0 -> 1.2.0, ').waitFor();
    expect(await card(page, 3).innerText()).toContain(`${HTML} 3`);
    expect(await card(page, 2).innerText()).toContain('Last good');
    await page.getByText('You may not list HelmReleases').waitFor();
    expect(await page.getByText('On no cluster.').count()).toBe(0);
    await expectSound(opened);
    await page.getByRole('button', { name: 'Compare with 2' }).click();
    const differences = page.getByRole('region', { name: 'What differs' });
    await differences.getByText('"1.1.0"').first().waitFor();
    await page.getByLabel('From').selectOption('1');
    await differences.getByText('"1.0.0"').first().waitFor();
    expect(await differences.locator('ins').allInnerTexts()).toEqual(['"1.2.0"', '"1.2.0"']);
    await expectSound(opened);
  });

  it('rolls back, on one cluster and on all, and releases', async () => {
    const opened = await openWeb('admin', 'history');
    const { page } = opened;
    await card(page, 3).getByText('Current spec').waitFor();
    expect(await card(page, 3).getByRole('button', { name: 'Roll back to this' }).count()).toBe(0);
    await card(page, 1).getByRole('button', { name: 'Roll back to this' }).click();
    await page.getByLabel('Where').selectOption('us-1');
    await page.getByText('Pinned to revision 1 on cluster us-1, whatever the spec says, until').waitFor();
    await blindly(page);
    await expectSound(opened);
    await confirm(page, 'Roll back').click();
    await eventually(async () => expect(await annotations()).toEqual({ [PIN_CLUSTERS_ANNOTATION]: 'us-1=1' }));
    await card(page, 1).getByText('Pinned by themselves: us-1').waitFor();
    await card(page, 2).getByRole('button', { name: 'Roll back to this' }).click();
    await blindly(page);
    await confirm(page, 'Roll back').click();
    await eventually(async () => expect(await annotations()).toMatchObject({ [PIN_ANNOTATION]: '2' }));
    await page.getByText('until it is released: all clusters to revision 2; us-1=1').waitFor();
    expect(await card(page, 3).getByRole('button', { name: 'Roll back to this' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Release' }).click();
    await blindly(page);
    await confirm(page, 'Release').click();
    await eventually(async () => expect(await annotations()).toEqual({}));
    await expectSound(opened);
  });

  it('shows the stages of a rollout, and approves, pauses, resumes and aborts', async () => {
    const opened = await openWeb('admin', 'rollout');
    const { page } = opened;
    await page.getByText('0 of 1 ready, 1 waiting').waitFor();
    await expectSound(opened);
    expect(await page.getByRole('button', { name: 'Retry' }).getAttribute('aria-disabled')).toBe('true');
    for (const name of ['Approve stage', 'Pause', 'Resume rollout', 'Abort']) {
      await page.getByRole('group', { name: 'Actions on the rollout' }).getByRole('button', { name }).click();
      if (name !== 'Pause') await blindly(page);
      await confirm(page, name).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      if (name === 'Pause') expect(await annotations()).toHaveProperty([PAUSE_ROLLOUT_ANNOTATION], 'true');
    }
    expect(await annotations()).toEqual({ [APPROVE_STAGE_ANNOTATION]: 'prod@3', [ABORT_ROLLOUT_ANNOTATION]: '3' });
    await expectSound(opened);
  });

  it('is for those who may list revisions', async () => {
    const opened = await openWeb('viewer', 'history');
    await opened.page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    await expectSound(opened);
  });

  it.each(['light', 'dark'] as const)('has room on a small screen, %s', async (colorScheme) => {
    const opened = await openWeb('admin', 'history', { viewport: { width: 320, height: 640 }, colorScheme });
    const { page } = opened;
    await card(page, 3).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
    await page.getByRole('link', { name: 'Rollout' }).click();
    await page.getByText('0 of 1 ready, 1 waiting').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
