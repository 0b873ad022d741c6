import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { fixture } from '../support/fixture.js';
import { describeInBrowser } from './browser.js';
import { dismissReaders, gatherReaders, type Readers } from './readers.js';
import { expectSound, openAs, widthOf } from './visit.js';

describeInBrowser('the manifest of a destination', () => {
  const setting = fixture<Readers>(gatherReaders, dismissReaders);
  const pathOf = (query = ''): string => `/applications/${setting.namespace}/web/manifest${query}`;
  const objects = (page: Page): Promise<string[]> => page.locator('.manifest summary').allInnerTexts();

  it('has what Helm rendered, each object once it is opened, and nothing that Secrets hold', async () => {
    const opened = await openAs(setting, 'admin', `/applications/${setting.namespace}/web`);
    const { page } = opened;
    await page.getByRole('link', { name: 'Manifest' }).click();
    await page.getByText('As chart web 1.2.3 was rendered: revision 1 of Helm, deployed.').waitFor();
    await page.getByText('5 of 5 objects').waitFor();
    await expectSound(opened);
    await page.getByLabel('Search').fill('secret');
    await page.getByText('3 of 5 objects').waitFor();
    expect((await objects(page)).some((text) => text.includes('hook: post-install'))).toBe(true);
    await page.locator('.manifest summary').first().click();
    await page.locator('.manifest pre').getByText("password: '*****'").waitFor();
    expect(await page.locator('main').innerText()).not.toContain('letmein');
    await expectSound(opened);
  });

  it('draws little of a long object until all is asked for, and hands out the whole as a file', async () => {
    const { page } = await openAs(setting, 'admin', pathOf('?search=long'));
    await page.locator('.manifest summary').click();
    const yaml = page.locator('.manifest pre');
    await yaml.getByText('page: <b>bold</b>').waitFor();
    expect((await yaml.innerText()).length).toBeLessThanOrEqual(20_000);
    expect(await yaml.innerText()).not.toContain('line-1999');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('web-eu.yaml');
    const file = await readFile(await download.path(), 'utf8');
    expect([file.includes('line-1999: value'), file.includes('letmein')]).toEqual([true, false]);
    await page.getByRole('button', { name: /^Show all/ }).click();
    await yaml.getByText('line-1999').waitFor();
    expect(await page.locator('main b').count()).toBe(0);
  });

  it('is of another destination, with the objects as they are now, and says what is not there', async () => {
    const opened = await openAs(setting, 'admin', pathOf());
    const { page } = opened;
    await page.getByLabel('Destination').selectOption(`Kustomization ${setting.namespace}/files`);
    await page.getByText('As the objects are now.').waitFor();
    await page.getByText('it does not exist').waitFor();
    expect(new URL(page.url()).searchParams.get('child')).toBe(`Kustomization ${setting.namespace}/files`);
    await expectSound(opened);
    await page.getByLabel('Destination').selectOption(`HelmRelease ${setting.namespace}/gone-eu`);
    await page.getByText('revision 7 of Helm is not stored on the cluster any more').waitFor();
    await page.goto(new URL(pathOf('?child=HelmRelease+x%2Fy'), page.url()).href);
    await page.getByRole('heading', { name: 'It is not there any more' }).waitFor();
    await expectSound(opened);
  });

  it('is forbidden to who may not read the kubeconfig of the cluster', async () => {
    const opened = await openAs(setting, 'member', pathOf());
    await opened.page.getByText(/Not read:.*secrets "eu" is forbidden/).waitFor();
    expect(await objects(opened.page)).toEqual([]);
    await expectSound(opened);
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const opened = await openAs(setting, 'admin', pathOf(), { viewport: { width: 320, height: 640 }, colorScheme });
    const { page } = opened;
    await page.locator('.manifest summary').first().click();
    await page.locator('.manifest pre').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
