import { expect, it } from '@jest/globals';
import { configMapResource, secretResource } from '#api/core.js';
import { fixture } from '../support/fixture.js';
import { describeInBrowser } from './browser.js';
import { dismissReaders, gatherReaders, type Readers } from './readers.js';
import { expectSound, openAs, widthOf } from './visit.js';

/** Somebody changes objects of a release by hand, and deletes one. */
async function meddle({ member, target }: Readers): Promise<void> {
  const edit = (type: typeof configMapResource, data: object) =>
    member.patch(
      type,
      { name: 'web', namespace: target },
      { type: 'merge', body: { data } },
      { fieldManager: 'kubectl-edit' },
    );
  await edit(configMapResource, { mode: '<b>slow</b>' });
  await edit(secretResource, { password: Buffer.from('guessed').toString('base64') });
  await member.delete(configMapResource, { name: 'long', namespace: target });
}

describeInBrowser('the differences of an Application', () => {
  const setting = fixture<Readers>(async () => {
    const readers = await gatherReaders();
    await meddle(readers);
    return readers;
  }, dismissReaders);
  const pathOf = (query = ''): string => `/applications/${setting.namespace}/web/differences${query}`;

  it('has what somebody changed on a cluster, the worst first, and nothing that Secrets hold', async () => {
    const opened = await openAs(setting, 'admin', `/applications/${setting.namespace}/web`);
    const { page } = opened;
    await page.getByRole('link', { name: 'Differences' }).click();
    await page.getByText('1 missing, 2 changed, 1 same.').waitFor();
    const rows = page.locator('.compared > ul > li');
    expect(await rows.first().innerText()).toMatch(/Missing ConfigMap .*\/long/);
    await rows
      .filter({ hasText: `ConfigMap ${setting.target}/web` })
      .getByText('data.mode')
      .waitFor();
    expect(await page.locator('.compared del').allInnerTexts()).toEqual(['"<b>slow</b>"']);
    expect(await page.locator('.compared ins').allInnerTexts()).toEqual(['"fast"']);
    const secret = rows.filter({ hasText: `Secret ${setting.target}/web` });
    expect(await secret.innerText()).toContain('It differs, and is not shown.');
    const text = await page.locator('main').innerText();
    expect([text.includes('letmein'), text.includes('guessed')]).toEqual([false, false]);
    await page.getByText(`fairlead diff web --namespace ${setting.namespace}`, { exact: true }).waitFor();
    await page.getByText(`fairlead diff --live web --namespace ${setting.namespace} --cluster eu`).waitFor();
    await expectSound(opened);
  });

  it('says what the controller would do, or why nobody can tell, by itself', async () => {
    const opened = await openAs(setting, 'viewer', pathOf());
    const planned = opened.page.locator('section[aria-labelledby=planned]');
    await planned
      .getByText(/forbidden|may not/)
      .first()
      .waitFor();
    await opened.page.getByText(/Not read:/).waitFor();
    await expectSound(opened);
  });

  it('finds objects by name, and folds what is the same', async () => {
    const { page } = await openAs(setting, 'admin', pathOf());
    await page.getByText('1 as they are wanted').waitFor();
    await page.getByLabel('Search').fill('listed');
    await page.getByText('1 as they are wanted').click();
    await page.getByText(`Secret ${setting.target}/listed`).waitFor();
    expect(await page.locator('.compared > ul > li').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('search')).toBe('listed');
  });

  it('goes to the next that differs, and asks one after the other, and none by itself', async () => {
    const opened = await openAs(setting, 'admin', pathOf(`?child=HelmRelease%20${setting.namespace}%2Fweb-eu`));
    const { page } = opened;
    await page.getByText('1 missing, 2 changed, 1 same.').waitFor();
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith('/live-diff')) asked.push(url.searchParams.get('child'));
    });
    await page.reload();
    await page.getByText('1 missing, 2 changed, 1 same.').waitFor();
    const child = (kind: string, name: string) => `${kind} ${setting.namespace}/${name}`;
    expect(asked).toEqual([child('HelmRelease', 'web-eu')]);
    await page.getByRole('button', { name: 'Find the next that differs' }).click();
    await page.getByRole('status').filter({ hasText: 'differs.' }).waitFor();
    expect(await page.getByLabel('Destination').inputValue()).toBe(child('Kustomization', 'files'));
    await page.getByText(/not stored anywhere/).waitFor();
    // The one whose release is gone could not be compared.
    expect(new Set(asked)).toEqual(
      new Set([child('HelmRelease', 'web-eu'), child('HelmRelease', 'gone-eu'), child('Kustomization', 'files')]),
    );
    await page.getByText('3 were asked').waitFor();
    await expectSound(opened);
    await page.locator('.asked button').first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 missing, 2 changed, 1 same.').last().waitFor();
    expect(new URL(page.url()).searchParams.get('child')).toBe(child('HelmRelease', 'web-eu'));
    // What is known is not asked again.
    expect(asked).toHaveLength(3);
  });

  it('stops to look for it when it is told to', async () => {
    const { page } = await openAs(setting, 'admin', pathOf());
    await page.getByText('1 missing, 2 changed, 1 same.').waitFor();
    let asked = 0;
    // Held back until the page gives up.
    await page.route(/live-diff/, () => void (asked += 1));
    await page.getByRole('button', { name: 'Find the next that differs' }).click();
    await page.getByText(/^Asking .*, 1 of 2 …$/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Find the next that differs' }).waitFor();
    expect(asked).toBe(1);
  });

  it('says of files that nobody knows what they want', async () => {
    const opened = await openAs(setting, 'admin', pathOf());
    const { page } = opened;
    await page.getByLabel('Destination').selectOption(`Kustomization ${setting.namespace}/files`);
    await page.getByText(/not stored anywhere/).waitFor();
    await expectSound(opened);
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const opened = await openAs(setting, 'admin', pathOf(), { viewport: { width: 320, height: 640 }, colorScheme });
    await opened.page.getByText('1 missing, 2 changed, 1 same.').waitFor();
    expect(await widthOf(opened.page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
