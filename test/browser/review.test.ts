import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { deploy, type Deploy } from '../unit/application/model/builders.js';
import { putCluster } from '../apiserver/application/harness.js';
import { describeInBrowser, type Opened } from './browser.js';
import { dismissControlled, gatherControlled, type Controlled } from './controlled.js';
import { expectSound, openAs, urlOf, widthOf } from './visit.js';

const CHECK = 'Check what this will do';

describeInBrowser('what a change would do', () => {
  const setting = fixture<Controlled>(gatherControlled, dismissControlled);
  const yamlOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const shot = async (page: Page, name: string): Promise<void> => {
    const folder = process.env['FAIRLEAD_SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  const put = async (page: Page, label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(label, { exact: true }).blur();
  };

  /** The form of an Application that has its children. */
  async function edit(name: string, entries: Deploy[], who: 'admin' | 'member' = 'admin', options = {}) {
    await setting.harness.put(name, entries);
    await setting.harness.eventuallyHas(name, entries.length);
    await setting.harness.becomes(name, 'Unknown', 'DestinationsNotReady');
    const opened = await openAs(setting, who, `/applications/${setting.namespace}/${name}/edit`, options);
    await yamlOf(opened.page).waitFor();
    return opened;
  }

  /** Two of three destinations go, one is changed, and one comes. */
  async function moved(name: string, options = {}): Promise<Opened> {
    const opened = await edit(name, [deploy('a'), deploy('b', 'eu'), deploy('c', 'us')], 'admin', options);
    const { page } = opened;
    const entry = (index: number) => page.locator('.destinations > li').nth(index);
    for (const number of [3, 2]) {
      await entry(number - 1)
        .locator('summary')
        .click();
      await page.getByRole('button', { name: `Remove destination ${number}` }).click();
    }
    await entry(0).locator('summary').click();
    await put(page, 'Values of destination 1', 'replicas: 2\n');
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await entry(1).locator('summary').click();
    await entry(1).getByLabel('Target namespace').fill('d');
    await entry(1).getByLabel('Target namespace').blur();
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('heading', { name: '2 releases would be deleted' }).waitFor();
    return opened;
  }

  it('has deletions first, and uninstalls only once the name is typed', async () => {
    const opened = await moved('moved');
    const { page } = opened;
    const headings = await page.locator('.fate h3').allInnerTexts();
    expect(headings.map((text) => text.replace(/^\S+ /, ''))).toEqual([
      '2 releases would be deleted, and what runs there is uninstalled',
      '1 release would be changed',
      '1 release would be created',
    ]);
    const gone = await page.locator('.fate.uninstall').innerText();
    expect(gone).toMatch(/eu b\/moved/);
    expect(gone).toMatch(/us c\/moved/);
    expect(await page.locator('.fate.change').innerText()).toMatch(/spec\.values[^]*replicas/);
    await page.getByText('What is created').click();
    await page
      .getByRole('region', { name: /What is created/ })
      .getByText('targetNamespace: d')
      .waitFor();
    await expectSound(opened);
    await shot(page, 'review-light');
    const save = page.getByRole('button', { name: 'Save and uninstall' });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await save.dispatchEvent('click');
    await page.getByLabel('Type moved to confirm').fill('move');
    await save.dispatchEvent('click');
    expect(await setting.harness.childrenOf('moved')).toHaveLength(3);
    await page.getByLabel('Type moved to confirm').fill('moved');
    await save.click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/moved`));
    await eventually(async () => {
      const left = await setting.harness.childrenOf('moved');
      expect(left.map(({ spec }) => spec.targetNamespace).sort()).toEqual(['a', 'd']);
    });
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const opened = await moved(`narrow-${colorScheme}`, { viewport: { width: 320, height: 640 }, colorScheme });
    expect(await widthOf(opened.page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
    await shot(opened.page, `review-${colorScheme}-320`);
  });

  it('is asked for again right before it is saved, and shown if it is another thing by then', async () => {
    const selected = deploy('a');
    const destination = { targetNamespace: 'a', clusterSelector: { matchLabels: { tier: 'stale' } } };
    await putCluster(setting.harness, 'first', { tier: 'stale' });
    const opened = await edit('stale', [{ ...selected, destination }]);
    const { page } = opened;
    await put(page, 'Chart', 'other');
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('heading', { name: '1 release would be changed' }).waitFor();
    await putCluster(setting.harness, 'second', { tier: 'stale' });
    await setting.harness.eventuallyHas('stale', 2);
    const save = page.getByRole('button', { name: 'Save the changes' });
    await save.click();
    await page.getByRole('alert').filter({ hasText: 'It changed since you opened this' }).waitFor();
    await page.getByRole('heading', { name: '2 releases would be changed' }).waitFor();
    const chart = async () => (await setting.harness.read('stale')).spec.fluxApp?.spec.config.helmRelease?.chart?.chart;
    expect(await chart()).not.toBe('other');
    await expectSound(opened);
    await save.click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/stale`));
    expect(await chart()).toBe('other');
  });

  it('has an uninstall that something holds as one, too', async () => {
    const { harness } = setting;
    for (const name of ['held-1', 'held-2']) await putCluster(harness, name, { tier: 'held' });
    const destination = { targetNamespace: 'a', clusterSelector: { matchLabels: { tier: 'held' } } };
    await harness.put('held', [{ ...deploy('a'), destination }]);
    await harness.eventuallyHas('held', 2);
    const opened = await openAs(setting, 'admin', `/applications/${setting.namespace}/held/edit`);
    const { page } = opened;
    const text = await yamlOf(page).inputValue();
    await yamlOf(page).fill(text.replace('tier: held', 'tier: none'));
    await page.getByRole('button', { name: CHECK }).click();
    await page
      .getByRole('heading', { name: '2 releases would be deleted later, and what runs there is uninstalled' })
      .waitFor();
    await page.getByText('This uninstalls 2 releases on held-1, held-2 once nothing holds the removal.').waitFor();
    const save = page.getByRole('button', { name: 'Save and uninstall' });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await expectSound(opened);
    await shot(page, 'review-held');
  });

  it('has a move of a release as what it is: an uninstall', async () => {
    const { page } = await edit('moving', [deploy('a', 'eu', { name: 'main' })]);
    await put(page, 'Target namespace', 'b');
    await page.getByRole('button', { name: CHECK }).click();
    await page
      .getByRole('heading', { name: '1 release would be reinstalled later, and what runs there is uninstalled' })
      .waitFor();
    await page.getByText('This uninstalls 1 release on eu, to reinstall later.').waitFor();
    await page.getByLabel('Type moving to confirm').fill('moving');
    await page.getByRole('button', { name: 'Save and uninstall' }).click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/moving`));
  });

  it('names what the controller would refuse, and has it next to the field', async () => {
    const opened = await edit('twice', [deploy('a')]);
    const { page } = opened;
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page.getByRole('button', { name: CHECK }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'The controller would refuse this' });
    expect(await refused.innerText()).toMatch(/deploy\[1\] define the same/);
    await expectSound(opened);
    await shot(page, 'review-refused');
    await page.getByRole('button', { name: 'Back to the form' }).click();
    await page.locator('.destinations li').first().getByText('Refused').waitFor();
    await expectSound(opened);
    await shot(page, 'form-refused');
  });

  it('does not save what nobody could look ahead of, unless that is what he wants', async () => {
    const opened = await edit('blind', [deploy('a'), deploy('b', 'eu')], 'member');
    const { page } = opened;
    await put(page, 'Chart', 'other');
    await page.getByRole('button', { name: CHECK }).click();
    const unknown = page.getByRole('alert').filter({ hasText: 'Nobody can say what this would' });
    expect(await unknown.innerText()).toMatch(/helmreleases/);
    const save = page.getByRole('button', { name: 'Save the changes' });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await expectSound(opened);
    await shot(page, 'review-blind');
    await page.getByLabel('Save it without knowing what it would uninstall').check();
    await save.click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/blind`));
    const { spec } = await setting.harness.read('blind');
    expect(spec.fluxApp?.spec.config.helmRelease?.chart?.chart).toBe('other');
  });

  it('says so while it is computed, and when the server is gone, and asks again', async () => {
    const opened = await edit('gone', [deploy('a')]);
    const { page } = opened;
    let isCut = true;
    await page.route('**/preview', (route) => (isCut ? route.abort() : route.continue()));
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('alert').filter({ hasText: 'Nobody can say what this would' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save the changes' }).getAttribute('aria-disabled')).toBe('true');
    isCut = false;
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('1 release would not change').waitFor();
    expect(await page.getByRole('button', { name: 'Save the changes' }).getAttribute('aria-disabled')).toBeNull();
  });

  it('keeps what is typed before the browser paints what was typed before', async () => {
    const { page } = await openAs(setting, 'admin', `/new?namespace=${setting.namespace}&name=hasty`);
    const typed = await page
      .getByLabel('Target namespace')
      .evaluate(async (input: Pick<EventTarget, 'dispatchEvent'> & { value: string }) => {
        const type = (text: string, event: 'input' | 'change'): void => {
          input.value = text;
          input.dispatchEvent(new Event(event, { bubbles: true }));
        };
        type('sh', 'input');
        type('sh', 'change');
        // The page renders in a microtask, and paints later.
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        type('shop', 'input');
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        const { value } = input;
        input.dispatchEvent(new Event('change', { bubbles: true }));
        return value;
      });
    expect(typed).toBe('shop');
    await eventually(async () => expect(await yamlOf(page).inputValue()).toMatch(/targetNamespace: shop\n/));
  });

  it('offers the sources and clusters that the user may read, and says which have labels', async () => {
    const { kube, namespace } = setting;
    const opened = await openAs(setting, 'admin', `/new?namespace=${namespace}&name=picked`);
    const { page } = opened;
    const offered = async (label: string) => {
      const list = await page.getByLabel(label, { exact: true }).getAttribute('list');
      const options = await page.locator(`[id="${list}"] option`).all();
      return Promise.all(options.map((option) => option.getAttribute('value')));
    };
    await eventually(async () => expect(await offered('Name of the source')).toEqual(['charts']));
    await put(page, 'Name of the source', 'none');
    await page.getByText('There is no HelmRepository of this name.').waitFor();
    await put(page, 'Name of the source', 'charts');
    await page.getByText('https://charts.invalid').waitFor();
    await put(page, 'Chart', 'web');
    await page.getByLabel('Cluster', { exact: true }).selectOption('clusterRef');
    await eventually(async () =>
      expect(await offered('Name of the cluster')).toEqual(expect.arrayContaining(['one', 'two'])),
    );
    await put(page, 'Name of the cluster', 'one');
    await page.getByText('Secret, Unknown').or(page.getByText('Secret, Ready')).waitFor();
    await page.getByLabel('Cluster', { exact: true }).selectOption('clusterSelector');
    await put(page, 'Labels of the clusters', 'tier=');
    await put(page, 'Labels of the clusters', 'tier=new');
    await page.getByText('1 that you may read has them now: one.').waitFor();
    await expectSound(opened);
    await shot(page, 'pickers');
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('heading', { name: '1 release would be created' }).waitFor();
    await page.getByRole('button', { name: 'Create the Application' }).click();
    await page.waitForURL(urlOf(setting, `/applications/${namespace}/picked`));
    const live = await kube.get<Application>(applicationResource, { namespace, name: 'picked' });
    const { source, config } = live?.spec.fluxApp?.spec ?? {};
    expect(source).toEqual({ sourceRef: { kind: 'HelmRepository', name: 'charts' } });
    expect(config?.helmRelease?.deploy[0]?.destination?.clusterSelector).toEqual({ matchLabels: { tier: 'new' } });
  });

  it('keeps what is typed while a save of before is under way, and says what came of it', async () => {
    const { page } = await edit('slow', [deploy('a')]);
    await put(page, 'Version', '2.x');
    await page.getByRole('button', { name: CHECK }).click();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(/\/applications\/slow(\?fieldManager|$)/, async (route) => {
      if (route.request().method() === 'PUT') await held;
      await route.continue();
    });
    const asked = page.waitForRequest((request) => request.method() === 'PUT' && !request.url().includes('dryRun'));
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await asked;
    const views = page.getByRole('navigation', { name: 'Views of the Application' });
    await views.getByRole('link', { name: 'Status' }).click();
    await views.getByRole('link', { name: 'Edit' }).click();
    await put(page, 'Chart', 'typed');
    letGo();
    await page.getByText(/\/slow: the changes were saved\./).waitFor();
    expect(await page.getByLabel('Chart', { exact: true }).inputValue()).toBe('typed');
    const { spec } = await setting.harness.read('slow');
    expect(spec.fluxApp?.spec.config.helmRelease?.chart).toEqual({ chart: 'podinfo', version: '2.x' });
  });

  it('merges what two tabs of one user change', async () => {
    const { page } = await edit('tabs', [deploy('a')]);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await yamlOf(second).waitFor();
    await put(page, 'Version', '2.x');
    await put(second, 'Chart', 'mine');
    const check = async (tab: Page) => {
      await tab.getByRole('button', { name: CHECK }).click();
    };
    await check(page);
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/tabs`));
    await check(second);
    const conflict = second.getByRole('alert').filter({ hasText: 'Somebody changed it meanwhile' });
    expect(await conflict.innerText()).toContain('chart.version');
    await second.getByRole('button', { name: 'Take over their changes' }).click();
    await check(second);
    await second.getByRole('button', { name: 'Save the changes' }).click();
    await second.waitForURL(urlOf(setting, `/applications/${setting.namespace}/tabs`));
    const { spec } = await setting.harness.read('tabs');
    expect(spec.fluxApp?.spec.config.helmRelease?.chart).toEqual({ chart: 'mine', version: '2.x' });
  });

  it('has no conflict with what the controller says of the state', async () => {
    const { page } = await edit('stated', [deploy('a')]);
    await put(page, 'Chart', 'other');
    const [child] = await setting.harness.childrenOf('stated');
    if (child === undefined) throw new Error('it has no child');
    await setting.harness.report(child, 'False', 'InstallFailed');
    await setting.harness.becomes('stated', 'False', 'DestinationsFailed');
    await page.route('**/preview', (route) => route.abort());
    await page.getByRole('button', { name: CHECK }).click();
    await page.getByRole('alert').filter({ hasText: 'Nobody can say what this would' }).waitFor();
    await setting.harness.report(child, 'True', 'InstallSucceeded');
    await setting.harness.becomes('stated', 'True', 'AllReady');
    await page.unroute('**/preview');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('heading', { name: '1 release would be changed' }).waitFor();
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.waitForURL(urlOf(setting, `/applications/${setting.namespace}/stated`));
    const { metadata, spec } = await setting.harness.read('stated');
    expect(spec.fluxApp?.spec.config.helmRelease?.chart?.chart).toBe('other');
    expect(metadata.labels).toHaveProperty(['gitops.kubesphere.io/health-status']);
  });
});
