import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../support/fixture.js';
import { HTML } from './applications.js';
import { describeInBrowser, type Opened } from './browser.js';
import { describeValues } from './described-values.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const SCHEMA = {
  properties: {
    replicas: { type: 'integer', description: `How many pods there are. ${HTML}` },
    image: {
      type: 'object',
      properties: { tag: { type: 'string' }, pullPolicy: { enum: ['Always', 'IfNotPresent'] } },
    },
    extra: { type: 'object', properties: { region: { type: 'string' } } },
  },
};
const CHECK = 'Check what this will do';

describeInBrowser('values with the schema of their template', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('values-help');
    await describeValues(visitors, 'site', SCHEMA);
    return visitors;
  }, dismissVisitors);
  const options = (page: Page) => page.locator('.choices').getByRole('option');
  const valuesOf = (page: Page) => page.getByRole('textbox', { name: 'Values of destination 1' });
  const begin = async (name: string, more = {}): Promise<Opened> => {
    const path = `/new?namespace=${setting.namespace}&name=${name}&template=site`;
    const opened = await openAs(setting, 'member', path, more);
    await valuesOf(opened.page).waitFor();
    return opened;
  };
  /** Opens what its first letters offer; until the schema is there, nothing is offered. */
  const typeInto = async (area: Locator, text: string): Promise<void> => {
    await area.focus();
    await area.page().keyboard.type(text);
    await options(area.page()).first().waitFor();
  };
  const hasFocus = async (area: Locator) =>
    (await area.page().locator(':focus').getAttribute('id')) === (await area.getAttribute('id'));
  const schemaIsThere = (page: Page) => page.getByText('Ctrl+Space lists').nth(1).waitFor();

  it('is written by the keyboard alone, from the first letters of each key', async () => {
    const opened = await begin('completed');
    const { page } = opened;
    const area = valuesOf(page);
    await schemaIsThere(page);
    await typeInto(area, 'rep');
    expect(await options(page).allInnerTexts()).toEqual([expect.stringMatching(/^replicas\s+integer/)]);
    // It has opened by itself, and has chosen nothing.
    expect(await area.getAttribute('aria-activedescendant')).toBeNull();
    await page.keyboard.press('ArrowDown');
    const active = await area.getAttribute('aria-activedescendant');
    expect(await options(page).first().getAttribute('id')).toBe(active);
    expect(await page.locator(`#${await area.getAttribute('aria-controls')}`).getAttribute('role')).toBe('listbox');
    await expectSound(opened);
    await page.keyboard.press('Enter');
    expect(await area.inputValue()).toBe('replicas: ');
    await page.getByText(`How many pods there are. ${HTML}`).waitFor();
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await typeInto(area, 'im');
    await page.keyboard.press('Tab');
    expect(await area.inputValue()).toBe('replicas: 3\nimage:\n  ');
    await typeInto(area, 'pull');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+Space');
    await options(page).nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await area.inputValue()).toBe('replicas: 3\nimage:\n  pullPolicy: IfNotPresent');
    await page.keyboard.press('Tab');
    expect(await hasFocus(area)).toBe(false);
    await page.getByRole('button', { name: CHECK, disabled: false }).press('Enter');
    await page.getByLabel('Save it without knowing what it would uninstall').press('Space');
    await page.getByRole('button', { name: 'Create the Application', disabled: false }).press('Enter');
    await page.getByRole('heading', { name: `${setting.namespace}/completed` }).waitFor();
    const ref = { name: 'completed', namespace: setting.namespace };
    const live = await setting.kube.get<Application>(applicationResource, ref);
    expect(live?.spec.fluxApp?.spec.config.helmRelease?.deploy[0]?.values).toEqual({
      ...{ replicas: 3, image: { pullPolicy: 'IfNotPresent' } },
    });
  });

  it('closes its list with Escape, stays in the text, and is left with Tab', async () => {
    const { page } = await begin('escaped');
    const area = valuesOf(page);
    await schemaIsThere(page);
    await typeInto(area, 'rep');
    await page.keyboard.press('Escape');
    expect(await options(page).count()).toBe(0);
    expect(await hasFocus(area)).toBe(true);
    expect(await area.inputValue()).toBe('rep');
    await page.keyboard.press('Escape');
    expect(await hasFocus(area)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await hasFocus(area)).toBe(false);
    expect(await options(page).count()).toBe(0);
    await page.keyboard.press('Shift+Tab');
    expect(await hasFocus(area)).toBe(true);
  });

  it('names a key that there is not, and a value of another type, with its line', async () => {
    const opened = await begin('odd');
    const { page } = opened;
    await schemaIsThere(page);
    await valuesOf(page).fill('image:\n  tag: v1\nreplicas: many\n');
    const findings = page.getByRole('list', { name: 'What does not fit the schema' }).first();
    await findings.getByText('it must be of type integer, and is a text').waitFor();
    await findings.getByRole('button', { name: 'Line 3' }).click();
    expect(await hasFocus(valuesOf(page))).toBe(true);
    await expectSound(opened);
  });

  it('offers them in the YAML of the Application, too', async () => {
    const { page } = await begin('whole');
    const area = page.getByRole('textbox', { name: 'YAML', exact: true });
    await schemaIsThere(page);
    const before = await area.inputValue();
    await area.fill(`${before.trimEnd()}\n              values:\n                `);
    await typeInto(area, 'rep');
    await page.keyboard.press('Tab');
    expect(await area.inputValue()).toMatch(/ values:\n {16}replicas: $/);
  });

  it.each<[string, object]>([
    ['a narrow screen', { viewport: { width: 320, height: 640 } }],
    ['a dark one', { colorScheme: 'dark' }],
  ])('offers them in the form of the template, on %s', async (_, more) => {
    const path = `/templates/${setting.namespace}/HelmTemplate/site`;
    const opened = await openAs(setting, 'member', path, more);
    const { page } = opened;
    await page.getByRole('link', { name: 'Use it for a new Application' }).click();
    const area = page.getByRole('textbox', { name: 'Other values (YAML)' });
    await area.waitFor();
    await typeInto(area, 'ex');
    expect(await widthOf(page)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    await expectSound(opened);
    await page.keyboard.press('Tab');
    expect(await area.inputValue()).toBe('extra:\n  ');
    await typeInto(area, 'reg');
    await page.keyboard.press('Escape');
    expect(await options(page).count()).toBe(0);
    expect(await hasFocus(area)).toBe(true);
  });
});
