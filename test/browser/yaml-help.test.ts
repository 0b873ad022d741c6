import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../support/fixture.js';
import { tell } from './applications.js';
import { describeInBrowser, type Opened } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, urlOf, widthOf, type Visitors } from './visit.js';

const STORY = { name: 'shown', isReady: true, reason: 'AllReady', message: '', rows: [] };
const CHECK = 'Check what this will do';

describeInBrowser('the YAML of an Application with its schema', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('yaml', []), dismissVisitors);
  const edit = async (name: string, options = {}): Promise<Opened> => {
    await tell(setting.kube, setting.namespace, { ...STORY, name });
    const opened = await openAs(setting, 'member', `/applications/${setting.namespace}/${name}/edit`, options);
    await yamlOf(opened.page).waitFor();
    await opened.page.getByText('Ctrl+Space lists').first().waitFor();
    return opened;
  };
  const yamlOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const options = (page: Page) => page.locator('.choices').getByRole('option');
  const shot = async (page: Page, name: string): Promise<void> => {
    const folder = process.env['FAIRLEAD_SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  /** The cursor, on a new line behind `spec:`. */
  const beginLine = async (page: Page): Promise<void> => {
    const text = await yamlOf(page).inputValue();
    const at = text.indexOf('spec:') + 'spec:'.length;
    await yamlOf(page).focus();
    await page.evaluate(`document.activeElement.setSelectionRange(${at}, ${at})`);
    await page.keyboard.press('Enter');
  };

  it('changes the live object by keys and values that are chosen on the keyboard alone', async () => {
    const { page } = await edit('chosen');
    await beginLine(page);
    await page.keyboard.type('deletionP');
    await options(page).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await options(page).nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await yamlOf(page).inputValue()).toContain('spec:\n  deletionPolicy: Orphan\n');
    await page.getByText('spec.deletionPolicy', { exact: true }).waitFor();
    await page.keyboard.press('ControlOrMeta+Z');
    expect(await yamlOf(page).inputValue()).not.toContain('Orphan');
    await page.keyboard.press('ControlOrMeta+Shift+Z');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('TEXTAREA');
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByLabel('Save it without knowing what it would uninstall').check();
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/chosen`));
    const place = { namespace: setting.namespace, name: 'chosen' };
    const live = await setting.kube.get<Application>(applicationResource, place);
    expect(live?.spec).toMatchObject({ deletionPolicy: 'Orphan' });
  });

  it('names what the schema does not allow before the server is asked', async () => {
    const opened = await edit('wrong');
    const { page } = opened;
    await beginLine(page);
    await page.keyboard.type('tpyo: 1');
    await page.getByText('there is no field "tpyo" here').waitFor();
    await page.getByText('1 place does not fit the schema.').waitFor();
    await page.getByRole('button', { name: 'Line', exact: false }).first().click();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await expectSound(opened);
    await shot(page, 'findings');
  });

  it.each(['light', 'dark'] as const)('has room for its list on a screen of 320 pixels, %s', async (colorScheme) => {
    const opened = await edit(`list-${colorScheme}`, { viewport: { width: 320, height: 640 }, colorScheme });
    const { page } = opened;
    await beginLine(page);
    await page.keyboard.press('Control+Space');
    await options(page).first().waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
    await shot(page, `list-${colorScheme}`);
    await page.keyboard.press('Escape');
    expect(await options(page).count()).toBe(0);
  });
});
