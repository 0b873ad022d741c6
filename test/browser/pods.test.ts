import { expect, it } from '@jest/globals';
import { podResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { describeInBrowser } from './browser.js';
import { dismissDeployed, gatherDeployed, type Deployed } from './deployed.js';
import { expectSound, openAs } from './visit.js';

/** Of one object, on one cluster. */
const PODS = 5_000;

describeInBrowser('a tree of thousands of pods', () => {
  const setting = fixture<Deployed>(() => gatherDeployed('pods', PODS), dismissDeployed);

  it('says that it has not read all, and draws some, what fails first, and more when it is asked to', async () => {
    await eventually(async () => {
      const ref = { name: 'many-4900', namespace: setting.namespace };
      const pod = await setting.member.get<KubeObject & { status?: { phase?: string } }>(podResource, ref);
      expect(pod?.status?.phase).toBe('Running');
    });
    const opened = await openAs(setting, 'admin', `/applications/${setting.namespace}/web/tree?cluster=ap`);
    const { page } = opened;
    const pods = page.locator('.destination .pick').filter({ hasText: 'Pod many-' });
    await page.getByText('has more than 3000 pods: some are missing').waitFor();
    await page.getByText('and 2,951 more').waitFor();
    expect(await pods.count()).toBe(50);
    expect(await pods.first().innerText()).toMatch(/many-4900$/);
    await page.getByRole('button', { name: 'Show 200 more' }).click();
    await page.getByText('and 2,751 more').waitFor();
    expect(await pods.count()).toBe(250);
    await page.getByRole('button', { name: 'What ConfigMap many has' }).click();
    const tally = page.locator('.node').filter({ hasText: 'ConfigMap many' }).locator('.tally');
    // Those that have not failed become ready meanwhile.
    const counts = [...(await tally.innerText()).matchAll(/([\d,]+)\s+\S+\s+(\w+)/g)].map(([, count = '', state]) => ({
      ...{ state, count: Number(count.replace(',', '')) },
    }));
    expect(counts[0]).toEqual({ state: 'Failed', count: 1 });
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(3_001);
    expect(await pods.count()).toBe(0);
    await expectSound(opened);
  });
});
