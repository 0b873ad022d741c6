import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../support/fixture.js';
import { tell } from './applications.js';
import { describeInBrowser, type Opened } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, urlOf, type Visitors } from './visit.js';

const STORY = { name: 'shown', isReady: true, reason: 'AllReady', message: '', rows: [] };
/** For megabytes, on a busy machine. */
const LARGE_MS = 60_000;
const CHECK = 'Check what this will do';
const LINES = 30_000;
const MIDDLE = LINES / 2;

describeInBrowser('an Application with long values', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('long-values', []), dismissVisitors);
  const yamlOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const live = (name: string) =>
    setting.kube.get<Application>(applicationResource, { namespace: setting.namespace, name });
  const valuesOf = async (name: string) =>
    (await live(name))?.spec.fluxApp?.spec.config.helmRelease?.deploy[0]?.values ?? {};
  const edit = async (name: string, values: object): Promise<Opened> => {
    await tell(setting.kube, setting.namespace, { ...STORY, name });
    const deploy = [{ destination: { targetNamespace: 'web' }, values }];
    const body = { spec: { fluxApp: { spec: { config: { helmRelease: { deploy } } } } } };
    await setting.kube.patch(applicationResource, { namespace: setting.namespace, name }, { type: 'merge', body });
    const opened = await openAs(setting, 'member', `/applications/${setting.namespace}/${name}/edit`);
    opened.page.setDefaultTimeout(LARGE_MS);
    await yamlOf(opened.page).waitFor();
    return opened;
  };
  const manyLines = () => Object.fromEntries(Array.from({ length: LINES }, (_, at) => [`key${at}`, `value ${at}`]));
  /** Puts the cursor behind a text of the YAML. */
  const goBehind = async (page: Page, text: string): Promise<void> => {
    await yamlOf(page).focus();
    const at = `document.activeElement.value.indexOf(${JSON.stringify(text)}) + ${text.length}`;
    await page.evaluate(`document.activeElement.setSelectionRange(${at}, ${at})`);
  };
  const save = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByLabel('Save it without knowing what it would uninstall').check();
    await page.getByRole('button', { name: 'Save the changes' }).click();
  };

  it('goes on while somebody types into 900 KB, marks what is wrong, and saves all of it', async () => {
    const opened = await edit('typed', manyLines());
    const { page } = opened;
    const before = await yamlOf(page).inputValue();
    expect(before.length).toBeGreaterThan(900_000);
    // Two texts of a megabyte are one too many for a browser.
    expect(await page.getByLabel('Values of destination 1').count()).toBe(0);
    await page.getByRole('button', { name: 'Go to the values of destination 1' }).click();
    await page.locator('textarea:focus').waitFor();
    const at = await page.evaluate<number>('document.activeElement.selectionStart');
    expect(before.slice(at)).toMatch(/^key0: value 0\n/);
    const line = `key${MIDDLE}: value ${MIDDLE}`;
    await goBehind(page, line);
    await page.keyboard.type(' and [ more');
    expect(await yamlOf(page).inputValue()).toBe(before.replace(line, `${line} and [ more`));
    await page.keyboard.press('Enter');
    await page.keyboard.type('bad: [1');
    const number = before.slice(0, before.indexOf(line)).split('\n').length + 1;
    const problem = page.getByRole('alert').filter({ hasText: `Line ${number + 1}, column ` });
    await problem.waitFor();
    await expectSound(opened);
    await page.evaluate(`document.querySelector('.both > .yaml textarea').scrollTop = 0`);
    await page.getByRole('button', { name: 'Go there' }).click();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await page.locator('.numbers').getByText(String(number), { exact: true }).waitFor();
    await goBehind(page, 'bad: [1');
    await page.keyboard.type(']');
    await problem.waitFor({ state: 'detached' });
    await save(page);
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/typed`));
    const saved = { ...manyLines(), [`key${MIDDLE}`]: `value ${MIDDLE} and [ more`, bad: [1] };
    expect(await valuesOf('typed')).toEqual(saved);
  });

  it('checks and saves what was typed a moment ago', async () => {
    const { page } = await edit('moment', manyLines());
    await goBehind(page, `key${MIDDLE}: value ${MIDDLE}`);
    // Faster than anybody: the button is pressed before the text is read.
    await page.keyboard.type('!');
    await page.getByRole('button', { name: CHECK }).dispatchEvent('click');
    await page.getByRole('heading', { name: 'What this will do' }).waitFor();
    await page.getByLabel('Save it without knowing what it would uninstall').check();
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/moment`));
    expect(await valuesOf('moment')).toMatchObject({ [`key${MIDDLE}`]: `value ${MIDDLE}!` });
  });

  it('says before and after a write that it is more than the API server stores, and keeps it', async () => {
    const { page } = await edit('too-long', { kept: 'as it was' });
    const before = await yamlOf(page).inputValue();
    const text = before.replace('as it was', 'x'.repeat(1_600_000));
    await yamlOf(page).fill(text);
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('alert').filter({ hasText: 'at most 1.5 MiB' }).filter({ hasText: 'valuesFrom' }).waitFor();
    await page.getByRole('button', { name: 'Back to the form' }).click();
    await save(page);
    const refused = page.getByRole('alert').filter({ hasText: 'It was refused' });
    await refused.waitFor();
    expect(await refused.innerText()).toMatch(/1\.5 MiB.*valuesFrom/s);
    expect(await yamlOf(page).inputValue()).toBe(text);
    expect(await valuesOf('too-long')).toEqual({ kept: 'as it was' });
  });

  it('says that it is more than the server takes, and keeps it', async () => {
    const { page } = await edit('refused', { kept: 'as it was' });
    const before = await yamlOf(page).inputValue();
    const text = before.replace('as it was', 'x'.repeat(4_000_000));
    await yamlOf(page).fill(text);
    await page.getByRole('button', { name: CHECK }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'It was refused' });
    await refused.waitFor();
    expect(await refused.innerText()).toMatch(/2 MiB.*valuesFrom/s);
    expect(await yamlOf(page).inputValue()).toBe(text);
  });
});
