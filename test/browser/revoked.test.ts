import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { account, grant, send } from '../apiserver/console/harness.js';
import { SPEC } from '../apiserver/console/people.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser, open } from './browser.js';
import { dismissDeployed, gatherDeployed, type Deployed } from './deployed.js';
import { expectSound, signIn, urlOf } from './visit.js';

const serviceAccount: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
};
/** Longer than an accepted token counts that is taken away. */
const LATER = { timeoutMs: 30_000 };
const READ = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
const WRITE = { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['patch', 'delete'] };

const WEB: Story = {
  ...{ name: 'web', isReady: false, reason: 'DestinationsFailed', message: 'not ready' },
  rows: [{ cluster: 'eu', state: 'Failed' }],
};

describeInBrowser('a token that is taken away', () => {
  const setting = fixture<Deployed>(() => gatherDeployed('revoked'), dismissDeployed);

  const tokenOf = async (name: string): Promise<string> => {
    const { kube, namespace } = setting;
    const { user, token } = await account(kube, namespace, name);
    await grant(kube, name, { namespace, user, rules: [READ, WRITE] });
    return token;
  };
  const come = async (name: string, path: string) => {
    const token = await tokenOf(name);
    const opened = await open(setting.browser, urlOf(setting, path));
    await signIn(opened.page, token);
    /** The same user is there again, with another token. */
    const revoke = async (): Promise<void> => {
      await setting.kube.delete(serviceAccount, { namespace: setting.namespace, name });
      const sent = () => send(setting.plain.port, '/api/v1/applications', { token });
      await eventually(async () => expect(await sent()).toMatchObject({ code: 401 }), LATER);
    };
    const comeBack = async (page: Page): Promise<void> => {
      await page.getByText('You were signed out').waitFor();
      await signIn(page, await tokenOf(name));
    };
    return { ...opened, revoke, comeBack };
  };
  const pathOf = (name: string, view = '') => `/applications/${setting.namespace}/${name}${view}`;
  const make = async (name: string): Promise<void> => {
    const metadata = { name, namespace: setting.namespace };
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec: SPEC };
    await setting.kube.create(applicationResource, object as Application);
  };
  const find = (name: string) =>
    setting.kube.get<Application>(applicationResource, { name, namespace: setting.namespace });
  const touch = (name: string) => {
    const body = { metadata: { annotations: { touched: 'true' } } };
    return setting.kube.patch(
      applicationResource,
      { name, namespace: setting.namespace },
      { type: 'merge', body },
      { fieldManager: 'test' },
    );
  };
  /** The page hears of nothing by itself: what somebody does is what finds out. */
  const deafen = (page: Page) =>
    page.route(/\/changes$|\/applications\/[^/]+$|\/sources\b/, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );

  it('ends no dialog: nothing is written, what is typed stays, and it is done later', async () => {
    await make('typed');
    const opened = await come('writer', pathOf('typed'));
    const { page, revoke, comeBack } = opened;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Keep what runs').check();
    await page.getByLabel('Type typed to confirm').fill('typed');
    const done = page.getByRole('dialog').getByRole('button', { name: 'Delete', disabled: false });
    await done.waitFor();
    await deafen(page);
    await revoke();
    await done.click();
    await page.getByText('You were signed out').waitFor();
    expect(await page.getByRole('heading', { name: 'Delete typed' }).count()).toBe(0);
    expect((await find('typed'))?.metadata.deletionTimestamp).toBeUndefined();
    await expectSound(opened);
    await page.unrouteAll();
    await comeBack(page);
    expect(await page.getByLabel('Type typed to confirm').inputValue()).toBe('typed');
    expect(await page.getByLabel('Keep what runs').isChecked()).toBe(true);
    await done.click();
    await eventually(async () => expect(await find('typed')).toBeUndefined());
    await expectSound(opened);
  });

  it('is found out while it is said what an action would do, which is asked again', async () => {
    await make('planned');
    const { page, revoke, comeBack } = await come('planner', pathOf('planned'));
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', disabled: false }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await deafen(page);
    await revoke();
    await page.getByRole('button', { name: 'Resume' }).click();
    await comeBack(page);
    await page.getByRole('region', { name: 'What the controller would do' }).getByText('It would create').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume', disabled: false }).click();
    const suspend = async () => (await find('planned'))?.spec.fluxApp?.spec.config.suspend;
    await eventually(async () => expect(await suspend()).toBeUndefined());
  });

  const podIn = (page: Page) => page.getByRole('button', { name: /Pod web-/ }).first();
  const logIn = (page: Page) => page.getByRole('region', { name: /^Log of web-.*\/app$/ });

  it('hides a log that is followed, which goes on', async () => {
    await setting.kubelet.print('one');
    const opened = await come('follower', pathOf('web', '/tree?cluster=eu'));
    const { page, revoke, comeBack } = opened;
    await podIn(page).click();
    await page.getByLabel('Before the last restart').uncheck();
    await page.getByRole('button', { name: 'Follow' }).click();
    await logIn(page).getByText('one').waitFor();
    await revoke();
    await touch('web');
    await page.getByText('You were signed out').waitFor();
    expect(await logIn(page).count()).toBe(0);
    await setting.kubelet.printMore('two');
    await comeBack(page);
    await logIn(page).getByText('two').waitFor();
    await expectSound(opened);
  });

  it('is found out by who opens a log, which is read once he is back', async () => {
    await setting.kubelet.printBefore('crashed');
    const opened = await come('reader', pathOf('web', '/tree?cluster=eu'));
    const { page, revoke, comeBack } = opened;
    await podIn(page).waitFor();
    await deafen(page);
    await revoke();
    await podIn(page).click();
    await comeBack(page);
    await logIn(page).getByText('crashed').waitFor();
    expect(await page.getByText('The log cannot be read').count()).toBe(0);
    await expectSound(opened);
  });

  it('ends the stream of changes with the page, which shows what happened once he is back', async () => {
    await make('streamed');
    const opened = await come('watcher', pathOf('streamed'));
    const { page, revoke, comeBack } = opened;
    await page.getByRole('heading', { name: 'streamed' }).waitFor();
    await revoke();
    await tell(setting.kube, setting.namespace, { ...WEB, name: 'streamed', message: 'while he was away' });
    await page.getByText('You were signed out').waitFor();
    expect(await page.getByText('while he was away').count()).toBe(0);
    await comeBack(page);
    await page.getByText('while he was away').first().waitFor();
    await tell(setting.kube, setting.namespace, { ...WEB, name: 'streamed', message: 'since he is back' });
    await page.getByText('since he is back').first().waitFor();
    await expectSound(opened);
  });
});
