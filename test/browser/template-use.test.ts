import { beforeEach, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { HTML } from './applications.js';
import { describeInBrowser, type Opened } from './browser.js';
import { describeValues } from './described-values.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const SCHEMA = {
  required: ['host'],
  properties: {
    host: { type: 'string', description: `Name of the site. ${HTML}` },
    replicas: { type: 'integer', minimum: 1, maximum: 5 },
    debug: { type: 'boolean', default: false },
    size: { enum: ['small', 'large'], default: 'small' },
    domains: { type: 'array', items: { type: 'string' } },
    annotations: { type: 'object', description: 'As they are.' },
    image: { type: 'object', properties: { tag: { type: 'string', default: '1.0' } } },
  },
};

describeInBrowser('the form of a template', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('template-use');
    await describeValues(visitors, 'site', SCHEMA);
    const properties = Object.fromEntries(
      Array.from({ length: 12_000 }, (_, at) => [`p${at}`, { type: 'string', description: 'x'.repeat(20) }]),
    );
    await describeValues(visitors, 'huge', { properties });
    return visitors;
  }, dismissVisitors);
  let opened: Opened;

  beforeEach(() => {
    opened = { page: undefined as never, complaints: [], asked: [] };
  });

  async function visit(name: string, options: BrowserContextOptions = {}): Promise<Page> {
    const path = `/templates/${setting.namespace}/HelmTemplate/${name}`;
    opened = await openAs(setting, 'member', path, options);
    await opened.page.getByRole('link', { name: 'Use it for a new Application' }).click();
    await opened.page.getByRole('button', { name: 'Check what this will do' }).waitFor();
    return opened.page;
  }

  const find = (name: string): Promise<Application | undefined> =>
    setting.kube.get<Application>(applicationResource, { name, namespace: setting.namespace });

  it('leads to an Application that is written with its values', async () => {
    const page = await visit('site');
    await expectSound(opened);
    await page.getByLabel('Namespace', { exact: true }).fill(setting.namespace);
    await page.getByLabel('Name', { exact: true }).fill('from-form');
    await page.getByLabel('Stay at revision 2').check();
    await page.getByLabel('host (required)').fill('shop.example.org');
    expect(await page.getByLabel('replicas').inputValue()).toBe('2');
    await page.getByLabel('replicas').fill('3');
    await page.getByLabel('debug').selectOption('true');
    await page.getByLabel('size').selectOption('large');
    await page.getByLabel('domains').fill('a.example.org\nb.example.org');
    await page.getByLabel('annotations (YAML)').fill('team: web');
    await page.getByRole('link', { name: 'About the template' }).click();
    await page.getByRole('link', { name: 'Use it for a new Application' }).click();
    await page.getByRole('group', { name: 'Values of image' }).getByLabel('tag').fill('2.0');
    await page.getByLabel('Other values (YAML)').fill('extra: { on: true }');
    await page.getByRole('button', { name: 'Check what this will do' }).click();
    await page.getByLabel('Save it without knowing what it would uninstall').check();
    await page.getByRole('button', { name: 'Create the Application' }).click();
    await page.getByRole('heading', { name: `${setting.namespace}/from-form` }).waitFor();
    // What was saved is no draft.
    await page.goBack();
    expect(await page.getByLabel('host (required)').inputValue()).toBe('');
    const values = {
      ...{ host: 'shop.example.org', replicas: 3, debug: true, size: 'large', annotations: { team: 'web' } },
      ...{ domains: ['a.example.org', 'b.example.org'], image: { tag: '2.0' }, extra: { true: true } },
    };
    const deploy = [{ destination: { targetNamespace: setting.namespace }, values }];
    expect((await find('from-form'))?.spec.fluxApp?.spec.config.helmRelease).toEqual({ template: 'site@2', deploy });
  });

  it('offers the revisions that are kept, the newest first', async () => {
    opened = await openAs(setting, 'member', `/new?namespace=${setting.namespace}&name=pinned&template=site`);
    const { page } = opened;
    const list = (await page.getByLabel('Template', { exact: true }).getAttribute('list')) ?? '';
    await page.getByText('revision 2. NAME, or').waitFor();
    await page.locator('option[value="site@2"]').waitFor({ state: 'attached' });
    const options = await page.locator(`datalist[id="${list}"] option`).all();
    const offered = await Promise.all(options.map((option) => option.getAttribute('value')));
    expect(offered).toEqual(['huge', 'site', 'site@2', 'site@1']);
    await expectSound(opened);
  });

  it('says next to each field what is wrong, first by itself and then with the schema', async () => {
    const page = await visit('site');
    const check = page.getByRole('button', { name: 'Check what this will do' });
    await check.click();
    await page.getByText('it is required').first().waitFor();
    expect(await page.getByLabel('Namespace', { exact: true }).evaluate('document.activeElement?.id')).toBe(
      await page.getByLabel('Namespace', { exact: true }).getAttribute('id'),
    );
    await expectSound(opened);
    await page.getByLabel('Namespace', { exact: true }).fill(setting.namespace);
    await page.getByLabel('Name', { exact: true }).fill('refused');
    await page.getByLabel('host (required)').fill('x');
    await page.getByLabel('replicas').fill('9');
    await check.click();
    await page.getByText('must be <= 5').waitFor();
    const replicas = page.getByLabel('replicas');
    expect(await replicas.getAttribute('aria-invalid')).toBe('true');
    await eventually(async () => expect(await replicas.evaluate('document.activeElement?.value')).toBe('9'));
    await replicas.fill('5');
    await check.click();
    await page.getByRole('button', { name: 'Create the Application' }).waitFor();
    await page.getByRole('button', { name: 'Back to the form' }).click();
    const yaml = page.getByLabel('YAML', { exact: true });
    await yaml.fill((await yaml.inputValue()).replace('metadata:\n', 'metadata:\n  labels:\n    team: mine\n'));
    await page.getByRole('button', { name: 'Back to the values' }).click();
    expect(await page.getByLabel('replicas').inputValue()).toBe('5');
    // What was changed of the Application stays with other values.
    await page.getByLabel('replicas').fill('4');
    await check.click();
    const applied = await page.locator('.applied').innerText();
    expect([/team: mine/.test(applied), /replicas: 4/.test(applied)]).toEqual([true, true]);
    // What was changed in both is the form's, which is said.
    await page.getByRole('button', { name: 'Back to the form' }).click();
    await yaml.fill((await yaml.inputValue()).replace('replicas: 4', 'replicas: 2'));
    await page.getByRole('button', { name: 'Back to the values' }).click();
    await page.getByLabel('replicas').fill('1');
    await check.click();
    await page.getByText(/You changed this in the form and in the YAML; the form wins: .*replicas/).waitFor();
    expect(await page.locator('.applied').innerText()).toMatch(/team: mine[^]*replicas: 1/);
    expect(await find('refused')).toBeUndefined();
  });

  it('is usable with a schema of 12,000 values', async () => {
    const page = await visit('huge');
    await page.getByText('The schema has more values than a form can show').waitFor();
    expect(await page.locator('.entry').count()).toBeLessThan(130);
  });

  it.each<[string, BrowserContextOptions]>([
    ['a narrow screen', { viewport: { width: 320, height: 700 } }],
    ['a dark one', { colorScheme: 'dark', viewport: { width: 1_600, height: 900 } }],
  ])('fits on %s', async (_, options) => {
    const page = await visit('site', options);
    await page.getByRole('button', { name: 'Check what this will do' }).click();
    await page.getByText('it is required').first().waitFor();
    await expectSound(opened);
    expect(await widthOf(page)).toBeLessThanOrEqual(options.viewport?.width ?? 0);
  });
});
