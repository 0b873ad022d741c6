import { beforeEach, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { grant } from '../apiserver/console/harness.js';
import { fixture } from '../support/fixture.js';
import { HTML, STORIES, tell } from './applications.js';
import { describeInBrowser, type Opened } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const SECRET = 'token-of-the-cluster';
const LONG = `edge-${'0'.repeat(200)}`;

interface Described {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Applications are on three clusters; of `us-1` only they know, and one more is not used. */
async function describeClusters({ kube, namespace }: Visitors): Promise<void> {
  const ours = { [CLUSTER_LABEL]: 'true' };
  const argo = { 'argocd.argoproj.io/secret-type': 'cluster' };
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`label-${index}`, 'x'.repeat(60)]));
  const described: readonly Described[] = [
    { name: 'eu-1', labels: { ...ours, env: 'prod', region: 'eu' } },
    { name: 'ap-1', labels: { ...ours, env: 'prod', ...many } },
    { name: LONG, labels: { ...argo, env: 'test' }, annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
  ];
  for (const { name, labels, annotations = {} } of described) {
    const metadata = { name, namespace, labels, annotations: { ...annotations, note: SECRET } };
    const stringData = { value: SECRET };
    await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, stringData } as KubeObject);
  }
  const user = { kind: 'ServiceAccount', name: 'member', namespace };
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }];
  await grant(kube, 'secrets', { namespace, user, rules });
}

describeInBrowser('the clusters', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('inventory', STORIES);
    await describeClusters(visitors);
    return visitors;
  }, dismissVisitors);
  let opened: Opened;

  beforeEach(() => {
    opened = { page: undefined as never, complaints: [], asked: [] };
  });

  async function visit(path: string, who: 'member' | 'viewer' | 'stranger', options: BrowserContextOptions = {}) {
    opened = await openAs(setting, who, path, options);
    return opened.page;
  }

  const titles = async (page: Page): Promise<string[]> =>
    (await page.locator('.cards > li h2').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());

  it('are listed in trouble first, and lead to what is wrong there', async () => {
    const { namespace } = setting;
    const page = await visit('/', 'member');
    await page.getByRole('link', { name: 'Clusters', exact: true }).click();
    await page.getByText('4 clusters', { exact: true }).waitFor();
    expect(await titles(page)).toEqual([
      `${namespace}/us-1`,
      `${namespace}/eu-1`,
      `${namespace}/ap-1`,
      `${namespace}/${LONG} ‖ Paused`,
    ]);
    const eu = page.locator('.cards > li').filter({ has: page.getByRole('heading', { name: /eu-1/ }) });
    expect((await eu.innerText()).replaceAll(/\s+/g, ' ')).toContain(`✗ Failed: no such image ${HTML}`);
    expect(await eu.getByText(`Secret ${namespace}/eu-1`).count()).toBe(1);
    expect(await eu.getByRole('group', { name: 'Labels of eu-1' }).getByRole('button').allInnerTexts()).toEqual([
      ...['env=prod', 'region=eu'],
    ]);
    expect(await page.locator('main').innerText()).not.toContain(SECRET);
    await expectSound(opened);
    await eu.getByRole('link', { name: '1 Failed' }).click();
    await page.getByText('1 of 4 Applications').waitFor();
    await page.getByRole('link', { name: `${namespace}/checkout` }).waitFor();
    expect(await page.getByRole('group', { name: 'Applications by state on eu-1' }).count()).toBe(1);
    await page.goBack();
    await page.getByRole('heading', { name: 'Clusters' }).waitFor();
  });

  it('follow what becomes of them', async () => {
    const page = await visit('/clusters', 'member');
    const eu = page.locator('.cards > li').filter({ has: page.getByRole('heading', { name: /eu-1/ }) });
    await eu.getByRole('link', { name: '1 Failed' }).waitFor();
    const [checkout] = STORIES;
    if (checkout === undefined) throw new Error('there are stories');
    const rows = checkout.rows.map((row) => (row.cluster === 'eu-1' ? { cluster: 'eu-1', state: 'Stalled' } : row));
    await tell(setting.kube, setting.namespace, { ...checkout, rows });
    await eu.getByRole('link', { name: '1 Stalled' }).waitFor();
    await tell(setting.kube, setting.namespace, checkout);
    await eu.getByRole('link', { name: '1 Failed' }).waitFor();
  });

  it('are selected by label, state and name, with the keyboard alone', async () => {
    const page = await visit('/clusters', 'member');
    await page.getByRole('button', { name: 'region=eu' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 cluster', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('labels')).toBe('region=eu');
    expect(await page.getByRole('button', { name: 'region=eu' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByLabel('Labels', { exact: true }).fill('env in (');
    await page.getByRole('status').filter({ hasText: 'Not selected by labels' }).waitFor();
    await expectSound(opened);
    await page.getByLabel('Labels', { exact: true }).fill('env!=prod,env');
    await page.getByText('1 cluster', { exact: true }).waitFor();
    expect(await titles(page)).toEqual([expect.stringContaining('Paused')]);
    await page.goto(new URL('/clusters?state=Paused&search=nothing', page.url()).href);
    await page.getByRole('button', { name: 'Show all clusters' }).click();
    await page.getByText('4 clusters', { exact: true }).waitFor();
    await page.getByLabel('Worst that runs there').selectOption('Failed');
    await page.getByText('1 cluster', { exact: true }).waitFor();
  });

  it('are only as much as one may know', async () => {
    const page = await visit('/clusters', 'viewer');
    await page.getByText('3 clusters', { exact: true }).waitFor();
    await page.getByText('You may not list all of these').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('env=');
    await expectSound(opened);
    const other = await visit('/clusters', 'stranger');
    await other.getByRole('heading', { name: 'There are no clusters that you may see' }).waitFor();
    expect(await other.locator('main').innerText()).not.toContain('eu-1');
    await expectSound(opened);
  });

  it('stay as they were while the server does not answer', async () => {
    const page = await visit('/clusters', 'member');
    await page.getByText('4 clusters', { exact: true }).waitFor();
    await page.route('**/api/v1/clusters?*', (route) => route.abort());
    await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    expect(await titles(page)).toHaveLength(4);
    await expectSound(opened);
  });

  it.each(['light', 'dark'] as const)('have room on a screen of 320 pixels, %s', async (colorScheme) => {
    const page = await visit('/clusters', 'member', { viewport: { width: 320, height: 640 }, colorScheme });
    await page.getByText('4 clusters', { exact: true }).waitFor();
    await page.getByRole('button', { name: /more labels/ }).click();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
