import { expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '#sandbox/world.js';
import { fixture } from '../support/fixture.js';
import { swapKubeconfig } from '../support/kubeconfig-secret.js';
import { eventually, useWorld } from '../support/world.js';
import { describeInBrowser } from './browser.js';
import { dismissDeployed, gatherDeployed, type Deployed } from './deployed.js';
import { expectSound, openAs } from './visit.js';

/** The cluster `eu` is reached through the proxy, as `us` is. */
async function reachThroughProxy({ kube, namespace, silent }: Deployed): Promise<void> {
  const world = await useWorld();
  const [{ kubeconfig, server }] = world.members as [Cluster];
  const file = path.join(world.dir, `${namespace}-through.kubeconfig`);
  const text = await readFile(kubeconfig, 'utf8');
  await writeFile(file, text.replace(server, `https://127.0.0.1:${silent.port}`));
  await swapKubeconfig(kube, { name: 'eu', namespace }, file);
}

describeInBrowser('a view of a cluster that does not answer', () => {
  const setting = fixture<Deployed>(() => gatherDeployed('hangs'), dismissDeployed);

  it.each(['manifest', 'differences'])('says so, and goes on with another cluster: %s', async (view) => {
    const { namespace } = setting;
    const childOf = (cluster: string): string => `HelmRelease ${namespace}/web-${cluster}`;
    const query = `?child=${encodeURIComponent(childOf('us'))}`;
    const opened = await openAs(setting, 'admin', `/applications/${namespace}/web/${view}${query}`);
    const { page } = opened;
    const unread = page.getByText('Not read: no answer in time');
    await unread.waitFor();
    await page
      .getByRole('button', { name: /^Read again: / })
      .last()
      .waitFor();
    await expectSound(opened);
    await page.getByLabel('Destination').selectOption(childOf('eu'));
    await unread.waitFor({ state: 'detached' });
    await eventually(async () => expect(await page.locator('.loading').count()).toBe(0));
    expect(await unread.count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('child')).toBe(childOf('eu'));
    await expectSound(opened);
  });

  it('says so of a log, which is read, and followed, once it answers again', async () => {
    const { kubelet, silent, namespace } = setting;
    await reachThroughProxy(setting);
    await silent.restore();
    await kubelet.print('one');
    const opened = await openAs(setting, 'admin', `/applications/${namespace}/web/tree?cluster=eu`);
    const { page } = opened;
    const pod = page.getByRole('button', { name: /Pod web-/ }).first();
    await pod.waitFor();
    silent.partition();
    await pod.click();
    await page.getByLabel('Before the last restart').uncheck();
    const problem = page.getByRole('alert').filter({ hasText: 'The log cannot be read.' });
    await problem.filter({ hasText: 'eu: no answer in time' }).waitFor();
    await expectSound(opened);
    await silent.restore();
    await page.getByRole('region', { name: 'Log', exact: true }).getByRole('button', { name: 'Read again' }).click();
    const log = page.getByRole('region', { name: /^Log of web-.*\/app$/ });
    await log.getByText('one').waitFor();
    expect(await problem.count()).toBe(0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByText('Following: 1 line').waitFor();
    silent.partition();
    await problem.filter({ hasText: 'eu: no answer in time' }).waitFor({ timeout: 120_000 });
    expect(await log.innerText()).toContain('one');
    await expectSound(opened);
    await silent.restore();
    await page.getByRole('button', { name: 'Follow' }).click();
    await kubelet.printMore('two');
    await log.getByText('two').waitFor();
    await expectSound(opened);
  });
});
