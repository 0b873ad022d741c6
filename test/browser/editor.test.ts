import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { kustomizationTemplateResource, type KustomizationTemplate } from '#api/v1alpha1/kustomization-template.js';
import { printJson } from '#lib/json/lossless-json.js';
import { fixture } from '../support/fixture.js';
import { HTML, tell } from './applications.js';
import { describeInBrowser, type Opened } from './browser.js';
import {
  dismissVisitors,
  expectSound,
  gatherVisitors,
  openAs,
  signIn,
  urlOf,
  widthOf,
  type Visitors,
} from './visit.js';

const STORY = { name: 'shown', isReady: true, reason: 'AllReady', message: '', rows: [] };
/** For a megabyte, on a busy machine. */
const LARGE_MS = 60_000;
const CHECK = 'Check what this will do';

describeInBrowser('the form of an Application', () => {
  const setting = fixture<Visitors>(() => gatherVisitors('forms', []), dismissVisitors);
  const live = async (name: string): Promise<Application> => {
    const found = await setting.kube.get<Application>(applicationResource, { namespace: setting.namespace, name });
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const edit = async (
    who: 'member' | 'viewer',
    name: string,
    options = {},
    deploy: readonly object[] = [],
  ): Promise<Opened> => {
    await tell(setting.kube, setting.namespace, { ...STORY, name });
    if (deploy.length > 0) {
      const body = { spec: { fluxApp: { spec: { config: { helmRelease: { deploy } } } } } };
      await setting.kube.patch(applicationResource, { namespace: setting.namespace, name }, { type: 'merge', body });
    }
    const opened = await openAs(setting, who, `/applications/${setting.namespace}/${name}/edit`, options);
    await opened.page.getByRole('textbox', { name: 'YAML' }).waitFor({ timeout: LARGE_MS });
    return opened;
  };
  const yamlOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const put = async (within: Page | Locator, label: string, text: string): Promise<void> => {
    await within.getByLabel(label, { exact: true }).fill(text);
    await within.getByLabel(label, { exact: true }).blur();
  };
  const shot = async (page: Page, name: string): Promise<void> => {
    const folder = process.env['FAIRLEAD_SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  /** He may read nothing of what is deployed, and saves all the same. */
  const saveBlindly = async (page: Page, name = 'Save the changes'): Promise<void> => {
    await page.getByLabel('Save it without knowing what it would uninstall').check();
    await page.getByRole('button', { name }).click();
  };

  it('creates one from a chart for two destinations, each with its values', async () => {
    const opened = await openAs(setting, 'member', '/');
    const { page } = opened;
    await page.getByRole('link', { name: 'New Application' }).click();
    await put(page, 'Namespace', setting.namespace);
    await put(page, 'Name', 'shop');
    await put(page, 'Name of the source', 'charts');
    await put(page, 'Chart', 'web');
    await put(page, 'Version', '1.x');
    await put(page, 'Target namespace', 'blue');
    await page.getByLabel('If the namespace does not exist').selectOption('Create it');
    await put(page, 'Values of destination 1', 'replicas: 2 # few\nid: 9007199254740993\n');
    await page.getByRole('button', { name: 'Add a destination' }).click();
    const second = page.locator('.destinations li').nth(1);
    await second.locator('summary').click();
    await second.getByLabel('Cluster', { exact: true }).selectOption('kubeConfig');
    await put(page, 'Name of the Secret', 'member-1');
    expect(await yamlOf(page).inputValue()).toContain('replicas: 2 # few');
    await shot(page, 'new');
    await expectSound(opened);
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('heading', { name: 'What this will do' }).waitFor();
    const shown = await page.locator('.applied').innerText();
    const fonts = await page.evaluate("getComputedStyle(document.querySelector('.applied')).fontFamily");
    expect(fonts).toContain('monospace');
    expect(shown).toContain('id: 9007199254740993');
    await shot(page, 'review');
    await expectSound(opened);
    await saveBlindly(page, 'Create the Application');
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/shop`));
    const { spec } = await live('shop');
    expect(spec.fluxApp?.spec.source).toEqual({ sourceRef: { kind: 'HelmRepository', name: 'charts' } });
    const { chart, deploy } = spec.fluxApp?.spec.config.helmRelease ?? {};
    expect(chart).toEqual({ chart: 'web', version: '1.x' });
    expect(deploy).toMatchObject([
      { destination: { targetNamespace: 'blue' }, install: { createNamespace: true }, values: { replicas: 2 } },
      { destination: { targetNamespace: 'blue', kubeConfig: { secretRef: { name: 'member-1' } } } },
    ]);
    expect(printJson(deploy?.[0]?.values)).toBe('{"id":9007199254740993,"replicas":2}');
  });

  it('changes the values of one destination, and nothing else', async () => {
    const opened = await edit('member', 'values');
    const { page } = opened;
    const before = await live('values');
    await put(page, 'Values of destination 1', 'a: 1\n');
    // The controller writes its status meanwhile, which is nobody's change.
    await tell(setting.kube, setting.namespace, { ...STORY, name: 'values', message: 'meanwhile' });
    await page.getByRole('button', { name: CHECK }).click();
    await saveBlindly(page);
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/values`));
    const { spec } = await live('values');
    const { deploy = [], ...release } = spec.fluxApp?.spec.config.helmRelease ?? {};
    const { deploy: old = [], ...oldRelease } = before.spec.fluxApp?.spec.config.helmRelease ?? {};
    expect(release).toEqual(oldRelease);
    expect(deploy).toEqual([{ ...old[0], values: { a: 1 } }]);
  });

  /** Two members of the sandbox are in the first stage, and the others wait for a human. */
  async function writeRollout(page: Page): Promise<void> {
    await page.getByLabel('Roll changes out in stages').check();
    await put(page, 'Clusters by name', 'eu-west, fleet/eu-east');
    await put(page, 'Labels of the clusters', 'tier in (edge,core),env=prod');
    await put(page, 'Updating at a time', '2');
    await put(page, 'Unavailable at most', '25%');
    await put(page, 'Bake time', '10m');
    await page.locator('.stages summary').click();
    await page.getByRole('button', { name: 'Add a stage' }).click();
    const second = page.locator('.stages li').nth(1);
    await put(second, 'Name of the stage', 'rest');
    await second.getByLabel('Wait for an approval before the stage begins').check();
    await page.getByLabel('If too many fail').selectOption('Rollback');
    await put(page, 'May fail', '1');
  }

  it('changes settings of the whole Application, and says what is refused of one', async () => {
    const opened = await edit('member', 'settings');
    const { page } = opened;
    const before = await live('settings');
    await page.getByText('Intervals, revisions, deletion: none is set').click();
    await put(page, 'Interval', '5m');
    await put(page, 'Revisions to keep', '101');
    await page.getByLabel('Releases of a deleted Application').selectOption('Orphan');
    await page.getByLabel('Suspended: nothing is reconciled').check();
    await page.getByText('Set: interval, suspend, revisionHistoryLimit, deletionPolicy').waitFor();
    await page.getByRole('button', { name: CHECK }).click();
    await page.locator('.entry', { hasText: 'Revisions to keep' }).locator('.bad').waitFor();
    await shot(page, 'settings');
    await expectSound(opened);
    await put(page, 'Revisions to keep', '3');
    await page.getByRole('button', { name: CHECK }).click();
    await saveBlindly(page);
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/settings`));
    const { fluxApp, ...others } = (await live('settings')).spec;
    expect(others).toEqual({ kind: 'fluxcd', deletionPolicy: 'Orphan', revisionHistoryLimit: 3 });
    expect(fluxApp?.spec).toEqual({
      ...before.spec.fluxApp?.spec,
      interval: '5m',
      config: { ...before.spec.fluxApp?.spec.config, suspend: true },
    });
  });

  it('creates one that is rolled out in stages, by the form alone', async () => {
    const opened = await openAs(setting, 'member', `/new?namespace=${setting.namespace}&name=staged&template=base`);
    const { page } = opened;
    await yamlOf(page).waitFor();
    await page.getByText('Now, a change reaches all destinations at once.').waitFor();
    await writeRollout(page);
    await page.getByText('The order: canary, rest.').waitFor();
    await shot(page, 'rollout');
    await expectSound(opened);
    await page.getByRole('button', { name: CHECK }).click();
    await saveBlindly(page, 'Create the Application');
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/staged`));
    const selector = {
      matchLabels: { env: 'prod' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['edge', 'core'] }],
    };
    const clusters = { names: ['eu-west', 'fleet/eu-east'], selector };
    expect((await live('staged')).spec.rollout).toEqual({
      stages: [
        { name: 'canary', clusters, maxConcurrent: 2, maxUnavailable: '25%', bakeTime: '10m' },
        { name: 'rest', approval: true },
      ],
      onFailure: 'Rollback',
      failureBudget: 1,
    });
  });

  it('says beside the field of a stage what the API server refuses, and orders stages', async () => {
    const opened = await edit('member', 'stages', { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    await writeRollout(page);
    const first = page.locator('.stages li').first();
    await first.locator('summary').click();
    await put(first, 'Bake time', 'soon');
    await page.getByRole('button', { name: CHECK }).click();
    await first.locator('.entry', { hasText: 'Bake time' }).locator('.bad').waitFor();
    expect(await first.getByLabel('Bake time').getAttribute('aria-invalid')).toBe('true');
    expect(await first.locator('summary').innerText()).toContain('Refused');
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await shot(page, 'rollout-narrow');
    await expectSound(opened);
    await page.getByRole('button', { name: 'Add a stage' }).click();
    await page.getByText('The order: canary, stage-1, rest.').waitFor();
    await page.getByRole('button', { name: 'Move stage 2 up' }).click();
    await page.getByText('The order: stage-1, canary, rest.').waitFor();
    expect(await yamlOf(page).inputValue()).toMatch(/stage-1[^]*canary[^]*soon[^]*rest/);
    await page.getByLabel('Roll changes out in stages').uncheck();
    await page.getByText('Now, a change reaches all destinations at once.').waitFor();
    expect(await yamlOf(page).inputValue()).not.toContain('rollout');
  });

  it('says which field the API server refuses, in its words, and keeps what was typed', async () => {
    const opened = await openAs(setting, 'member', `/new?namespace=${setting.namespace}&name=${'n'.repeat(254)}`);
    const { page } = opened;
    await put(page, 'Name of the source', 'charts');
    await put(page, 'Chart', HTML);
    await put(page, 'Target namespace', 'Not_A_Name');
    await page.getByRole('button', { name: CHECK }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'It was refused' });
    await refused.waitFor();
    expect(await refused.innerText()).toMatch(/metadata\.name.*253/s);
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe(HTML);
    await expectSound(opened);
    await put(page, 'Name', 'refused');
    await page.getByRole('button', { name: CHECK }).click();
    await page.locator('.entry', { hasText: 'Target namespace' }).locator('.bad').waitFor();
    expect(await page.getByLabel('Target namespace').getAttribute('aria-invalid')).toBe('true');
    await shot(page, 'refused');
  });

  it('creates one from a template, and names what the API server would drop', async () => {
    const path = `/new?namespace=${setting.namespace}&name=from-template&template=base@2`;
    const { page } = await openAs(setting, 'member', path);
    expect(await page.getByLabel('Template', { exact: true }).inputValue()).toBe('base@2');
    const yaml = await yamlOf(page).inputValue();
    await yamlOf(page).fill(yaml.replace('spec:\n', 'spec:\n  tpyo: 1 # a comment\n'));
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('alert').filter({ hasText: 'spec.tpyo would be dropped' }).waitFor();
    await saveBlindly(page, 'Create the Application');
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/from-template`));
    const { spec } = await live('from-template');
    expect(spec.fluxApp?.spec.config.helmRelease?.template).toBe('base@2');
  });

  it('creates one from a template of manifests, which can be chosen', async () => {
    const { namespace, kube } = setting;
    const sourceRef = { kind: 'GitRepository' as const, name: 'fleet', namespace };
    const metadata = { name: 'files', namespace };
    const head = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'KustomizationTemplate', metadata };
    await kube.create<KustomizationTemplate>(kustomizationTemplateResource, {
      ...head,
      spec: { sourceRef, path: './deploy' },
    });
    const opened = await openAs(setting, 'member', `/new?namespace=${namespace}&name=of-files`);
    const { page } = opened;
    await page.getByLabel('Made from').selectOption('Templates of manifests');
    const field = page.getByLabel('Template', { exact: true });
    const list = (await field.getAttribute('list')) ?? '';
    await page.locator(`datalist[id="${list}"] option[value="files"]`).waitFor({ state: 'attached' });
    await put(page, 'Template', 'files@1');
    await page.getByText('Pending: files in ./deploy').waitFor();
    await page.getByLabel('What is no longer in the source').selectOption('Keep it');
    await expectSound(opened);
    await shot(page, 'template-of-files');
    await page.getByRole('button', { name: CHECK }).click();
    await saveBlindly(page, 'Create the Application');
    await page.waitForURL(urlOf(setting, `/applications/${namespace}/of-files`));
    expect((await live('of-files')).spec.fluxApp?.spec).toEqual({
      config: { kustomization: [{ destination: { targetNamespace: namespace }, template: 'files@1', prune: false }] },
    });
  });

  it('waits until YAML can be read, and says where it cannot', async () => {
    const opened = await edit('member', 'unreadable');
    const { page } = opened;
    const yaml = await yamlOf(page).inputValue();
    await yamlOf(page).fill(`${yaml}bad: [\n`);
    await page
      .getByRole('alert')
      .filter({ hasText: `Line ${yaml.split('\n').length + 1}, column 1` })
      .waitFor();
    expect(await page.getByLabel('Chart', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: CHECK }).isDisabled()).toBe(true);
    await expectSound(opened);
    await yamlOf(page).fill(yaml);
    await put(page, 'Values of destination 1', 'a: [');
    await page.getByRole('button', { name: CHECK }).click();
    expect(await page.getByLabel('Values of destination 1').inputValue()).toBe('a: [');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  });

  it('keeps what is unfinished with its destination, and removes one for a double click', async () => {
    const deploy = ['a', 'b', 'c', 'd', 'e'].map((targetNamespace) => ({ destination: { targetNamespace } }));
    const { page } = await edit('member', 'entries', {}, deploy);
    for (const index of [1, 2, 3]) await page.locator('.destinations > li > details > summary').nth(index).click();
    await put(page, 'Values of destination 3', 'password: [for c');
    await page.getByRole('button', { name: 'Remove destination 2' }).dblclick();
    await page.getByText('Destinations (4)').waitFor();
    expect((await yamlOf(page).inputValue()).match(/targetNamespace: ./g)?.join()).toMatch(/a.*c.*d.*e/);
    expect(await page.getByLabel('Values of destination 2').inputValue()).toBe('password: [for c');
    expect(await page.getByLabel('Values of destination 3').inputValue()).toBe('');
  });

  it('shows what somebody else changed meanwhile, and takes it over', async () => {
    const { page } = await edit('member', 'conflict');
    await put(page, 'Chart', 'mine');
    const other = structuredClone(await live('conflict')) as Application & { spec: { maxRemovals?: number } };
    await setting.kube.update(applicationResource, { ...other, spec: { ...other.spec, maxRemovals: 3 } });
    await page.getByRole('button', { name: CHECK }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody changed it meanwhile' });
    expect(await conflict.innerText()).toContain('spec.maxRemovals');
    await shot(page, 'conflict');
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe('mine');
    await put(page, 'Version', '2.x');
    await page.getByRole('button', { name: 'Take over their changes' }).click();
    await page.getByRole('button', { name: CHECK }).click();
    await saveBlindly(page);
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/conflict`));
    const { spec } = await live('conflict');
    expect(spec).toMatchObject({
      maxRemovals: 3,
      fluxApp: { spec: { config: { helmRelease: { chart: { chart: 'mine', version: '2.x' } } } } },
    });
  });

  /** The page may find out by itself before the button is pressed, and is hidden then. */
  async function endSession(page: Page): Promise<void> {
    await page.context().clearCookies();
    await page.getByRole('button', { name: CHECK, includeHidden: true }).dispatchEvent('click');
  }

  it('keeps what was typed when the session ends, for its user only', async () => {
    const { page } = await edit('member', 'session');
    await put(page, 'Chart', 'typed');
    await endSession(page);
    await signIn(page, setting.tokens.member);
    await yamlOf(page).waitFor();
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe('typed');
    await page.getByRole('link', { name: 'Status', exact: true }).click();
    // The browser would ask before the page is loaded again.
    expect(await page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")).toBe(false);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByText('These are the changes that you did not save.').waitFor();
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe('typed');
    expect(await page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length])')).toBe('[0,0]');
    await endSession(page);
    await signIn(page, setting.tokens.admin);
    await yamlOf(page).waitFor();
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe('web');
    await expect(live('session')).resolves.toMatchObject({ metadata: { name: 'session' } });
  });

  it('refuses who may only look, in words', async () => {
    const { page } = await edit('viewer', 'looked-at');
    await put(page, 'Chart', 'mine');
    await page.getByRole('button', { name: CHECK }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'It was refused' });
    expect(await refused.innerText()).toMatch(/cannot update resource "applications"/);
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await edit('member', 'keyboard');
    const press = async (until: string): Promise<void> => {
      for (let step = 0; step < 60 && (await page.locator(until).count()) === 0; step += 1) {
        await page.keyboard.press('Tab');
      }
    };
    await page.getByLabel('Chart', { exact: true }).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('typed');
    await press('button.main:focus');
    await page.keyboard.press('Enter');
    await page.locator('h2:focus').filter({ hasText: 'What this will do' }).waitFor();
    await press('[type=checkbox]:focus');
    await page.keyboard.press('Space');
    await press('button.danger:focus');
    await page.keyboard.press('Enter');
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/keyboard`));
    expect((await live('keyboard')).spec.fluxApp?.spec.config.helmRelease?.chart?.chart).toBe('typed');
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const viewport = { width: 320, height: 640 };
    const opened = await edit('member', `narrow-${colorScheme}`, { viewport, colorScheme });
    const { page } = opened;
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
    await shot(page, `narrow-${colorScheme}`);
    await put(page, 'Chart', 'typed');
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('heading', { name: 'What this will do' }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });

  it.each(['/new', '/edit'])('is never wider than a screen that becomes small: %s', async (path) => {
    const { page } = path === '/new' ? await openAs(setting, 'member', '/new') : await edit('member', 'resized');
    await page.locator('.colours').first().waitFor();
    await page.evaluate(`new Promise((done) => {
      window.widest = 0;
      const look = () => {
        if (innerWidth === 320) window.widest = Math.max(window.widest, document.documentElement.scrollWidth);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(() => { look(); done(); });
    })`);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.waitForFunction('window.widest > 0 && new Promise((done) => setTimeout(() => done(true), 500))');
    expect(await page.evaluate('window.widest')).toBeLessThanOrEqual(320);
  });

  it.each([320, 1_100, 1_280])('cuts no choice on a screen of %d pixels', async (width) => {
    const { page } = await edit('member', `choices-${width}`, { viewport: { width, height: 640 } });
    await page.getByLabel('Roll changes out in stages').check();
    await page.getByText('Intervals, revisions, deletion: none is set').click();
    await page.getByLabel('Releases of a deleted Application').waitFor();
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.editor select')].flatMap((select) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(select);
      const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font });
      const arrow = 16;
      const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrow;
      return [...select.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > room);
    })`);
    expect(cut).toEqual([]);
  });

  it('stays usable with 300 destinations and 900 KB of values', async () => {
    const values = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key${index}`, `value ${index}`]));
    const others = Array.from({ length: 299 }, (_, index) => ({ destination: { targetNamespace: `web-${index}` } }));
    const deploy = [{ destination: { targetNamespace: 'web' }, values }, ...others];
    const { page } = await edit('member', 'large', {}, deploy);
    page.setDefaultTimeout(LARGE_MS);
    expect((await yamlOf(page).inputValue()).length).toBeGreaterThan(900_000);
    await page.getByText('Destinations (300)').waitFor();
    await put(page, 'Chart', 'typed');
    await expect(yamlOf(page).inputValue()).resolves.toContain('chart: typed');
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('heading', { name: 'What this will do' }).waitFor();
  });
});
