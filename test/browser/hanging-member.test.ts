import { expect, it } from '@jest/globals';
import { fixture } from '#test/support/fixture.js';
import { eventually } from '#test/support/world.js';
import { describeInBrowser } from './browser.js';
import { dismissDeployed, gatherDeployed, type Deployed } from './deployed.js';
import { expectSound, openAs } from './visit.js';

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
});
