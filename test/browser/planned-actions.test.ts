import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { PIN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { deploy } from '../unit/application/model/builders.js';
import { describeInBrowser } from './browser.js';
import { dismissControlled, gatherControlled, type Controlled } from './controlled.js';
import { expectSound, openAs, widthOf } from './visit.js';

describeInBrowser('what the controller would do after an action', () => {
  const setting = fixture<Controlled>(gatherControlled, dismissControlled);
  const shot = async (page: Page, name: string): Promise<void> => {
    const folder = process.env['FAIRLEAD_SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  const to = (cluster: string, image: string) => deploy('prod', cluster, { values: { image } });
  const put = (name: string, images: Record<string, string>) => {
    const { harness } = setting;
    const wanted = harness.wanted(
      name,
      Object.entries(images).map(([cluster, image]) => to(cluster, image)),
    );
    return harness.apply({ ...wanted, spec: { ...wanted.spec, revisionHistoryLimit: 5 } });
  };
  const eventuallyRuns = (name: string, images: Record<string, string>) =>
    eventually(async () => {
      const children = await setting.harness.childrenOf(name);
      const found = children.map(({ spec }) => [spec.kubeConfig?.secretRef?.name, spec['values']]);
      const wanted = Object.entries(images).map(([cluster, image]) => [cluster, { image }]);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
    });
  /** Each cluster has `b`, and had `a` before. */
  const begin = async (name: string, clusters: readonly string[]): Promise<void> => {
    for (const image of ['a', 'b']) {
      const images = Object.fromEntries(clusters.map((cluster) => [cluster, image]));
      await put(name, images);
      await eventuallyRuns(name, images);
    }
  };
  const open = async (who: 'admin' | 'member', name: string, view = '', options = {}) =>
    openAs(setting, who, `/applications/${setting.namespace}/${name}${view}`, options);
  const rollBack = async (page: Page, revision: number): Promise<void> => {
    const heading = page.getByRole('heading', { name: `Revision ${revision}` });
    const card = page.getByRole('listitem').filter({ has: heading });
    await card.getByRole('button', { name: 'Roll back to this' }).click();
  };
  const plan = (page: Page): Locator => page.getByRole('region', { name: 'What the controller would do' });
  const heads = async (page: Page): Promise<string[]> => {
    await plan(page).getByRole('heading').first().waitFor();
    const texts = await plan(page).locator('.fate h3').allInnerTexts();
    return texts.map((text) => text.replace(/^\S+ /, ''));
  };
  const ready = (page: Page, name: string): Locator =>
    page.getByRole('dialog').getByRole('button', { name, disabled: false });
  const pinOf = async (name: string) => (await setting.harness.read(name)).metadata.annotations?.[PIN_ANNOTATION];

  it('is said of a rollback of one cluster and of all, and of its end', async () => {
    await begin('back', ['eu', 'us']);
    const opened = await open('admin', 'back', '/history');
    const { page } = opened;
    await rollBack(page, 1);
    expect(await heads(page)).toEqual(['2 releases would be changed']);
    const before = await ready(page, 'Roll back').boundingBox();
    await page.getByLabel('Where').selectOption('us');
    await plan(page).getByRole('heading', { name: '1 release would be changed' }).waitFor();
    expect(await plan(page).locator('.fate.change').innerText()).toMatch(/us prod\/back[^]*image[^]*"b"[^]*"a"/);
    expect(await ready(page, 'Roll back').boundingBox()).toEqual(before);
    await expectSound(opened);
    await shot(page, 'rollback');
    await page.getByLabel('Where').selectOption('');
    await plan(page).getByRole('heading', { name: '2 releases would be changed' }).waitFor();
    await ready(page, 'Roll back').click();
    await eventuallyRuns('back', { eu: 'a', us: 'a' });
    await page.getByRole('button', { name: 'Release' }).click();
    expect(await heads(page)).toEqual(['2 releases would be changed']);
    await ready(page, 'Release').click();
    await eventuallyRuns('back', { eu: 'b', us: 'b' });
  });

  it('is asked for again right before, and shown if it is another thing by then', async () => {
    await begin('raced', ['eu']);
    const { page } = await open('admin', 'raced', '/history');
    await rollBack(page, 1);
    expect(await heads(page)).toEqual(['1 release would be changed']);
    await ready(page, 'Roll back').waitFor();
    // The page hears nothing of it.
    await page.route(/\/(changes|applications\/raced)$/, (route) => route.abort());
    await put('raced', { us: 'b' });
    await eventuallyRuns('raced', { us: 'b' });
    await ready(page, 'Roll back').click();
    await page.getByRole('alert').filter({ hasText: 'It changed since you opened this' }).waitFor();
    expect(await heads(page)).not.toEqual(['1 release would be changed']);
    expect(await pinOf('raced')).toBeUndefined();
  });

  it('is no reason to say that it changed, if it is not known any more', async () => {
    await begin('lost', ['eu']);
    const { page } = await open('admin', 'lost', '/history');
    await rollBack(page, 1);
    expect(await heads(page)).toEqual(['1 release would be changed']);
    await page.route(/\/preview/, (route) => route.abort());
    await ready(page, 'Roll back').click();
    await plan(page).getByRole('alert').filter({ hasText: 'Nobody can say what this would' }).waitFor();
    expect(await plan(page).getByText('It changed since you opened this').count()).toBe(0);
    const off = page.getByRole('dialog').getByRole('button', { name: 'Roll back', disabled: true });
    expect(await off.getAttribute('class')).toBe('danger');
    await page.unroute(/\/preview/);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await ready(page, 'Roll back').click();
    await eventuallyRuns('lost', { eu: 'a' });
  });

  it('is seen before it can be agreed to', async () => {
    await begin('early', ['eu']);
    const { page } = await open('admin', 'early', '/history');
    let draw = (): void => {};
    const drawn = new Promise<void>((resolve) => (draw = resolve));
    await page.route(/\/plan-view[^/]*\.js/, async (route) => {
      await drawn;
      await route.continue();
    });
    const planned = page.waitForResponse(/\/preview/);
    await rollBack(page, 1);
    await (await planned).finished();
    await page.getByText('Asking the server what would come of it').waitFor({ state: 'detached' });
    expect(await ready(page, 'Roll back').count()).toBe(0);
    draw();
    expect(await heads(page)).toEqual(['1 release would be changed']);
    await ready(page, 'Roll back').waitFor();
  });

  it('is not known to who may not read it: he does it blindly, or not', async () => {
    await setting.harness.put('blind', [deploy('a', 'eu')]);
    await setting.harness.eventuallyHas('blind', 1);
    const opened = await open('member', 'blind');
    const { page } = opened;
    const actions = page.getByRole('group', { name: 'Actions' });
    await actions.getByRole('button', { name: 'Suspend' }).click();
    await ready(page, 'Suspend').click();
    await actions.getByRole('button', { name: 'Resume' }).click();
    const unknown = plan(page).getByRole('alert').filter({ hasText: 'Nobody can say what this would' });
    expect(await unknown.innerText()).toMatch(/helmreleases/);
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Resume', disabled: true }).count()).toBe(1);
    await expectSound(opened);
    await shot(page, 'resume-blind');
    await page.getByLabel('Resume without knowing what it would uninstall').check();
    await ready(page, 'Resume').click();
    const suspend = async () => (await setting.harness.read('blind')).spec.fluxApp?.spec.config.suspend;
    await eventually(async () => expect(await suspend()).toBeUndefined());
  });

  it('is agreed to by its name where something is uninstalled, and again where another thing is', async () => {
    await begin('gone', ['eu', 'us']);
    // From here on, nobody carries out what is written.
    await setting.harness.pause();
    await put('gone', { eu: 'c' });
    const opened = await open('admin', 'gone', '/history');
    const { page } = opened;
    await rollBack(page, 1);
    expect(await heads(page)).toEqual([
      '1 release would be deleted, and what runs there is uninstalled',
      '1 release would be changed',
    ]);
    await page.getByText('This uninstalls 1 release on us.').waitFor();
    const off = page.getByRole('dialog').getByRole('button', { name: 'Roll back', disabled: true });
    expect(await off.count()).toBe(1);
    const before = await off.boundingBox();
    const typed = page.getByLabel('Type gone to confirm');
    await typed.fill('gone');
    await ready(page, 'Roll back').waitFor();
    expect(await ready(page, 'Roll back').boundingBox()).toEqual(before);
    // The same is uninstalled, and something else is changed.
    const stays = (await setting.harness.childrenOf('gone')).find(
      ({ spec }) => spec.kubeConfig?.secretRef?.name === 'eu',
    );
    const body = { spec: { interval: '7m' } };
    const place = { namespace: setting.namespace, name: stays?.metadata.name ?? '' };
    await setting.kube.patch(helmReleaseResource, place, { type: 'merge', body }, { fieldManager: 'kubectl' });
    await ready(page, 'Roll back').click();
    await page.getByRole('alert').filter({ hasText: 'It changed since you opened this' }).waitFor();
    expect(await typed.inputValue()).toBe('');
    await typed.fill('gone');
    await expectSound(opened);
    await shot(page, 'rollback-uninstalls');
    await put('gone', { us: 'c' });
    await ready(page, 'Roll back').click();
    await page.getByText('This uninstalls 1 release on eu.').waitFor();
    expect(await page.getByLabel('Type gone to confirm').inputValue()).toBe('');
    expect(await pinOf('gone')).toBeUndefined();
    await page.getByLabel('Type gone to confirm').fill('gone');
    await ready(page, 'Roll back').click();
    await eventually(async () => expect(await pinOf('gone')).toBe('1'));
  });

  it('is said of a sync, with what is uninstalled before what is changed', async () => {
    await put('gone', { eu: 'd' });
    await setting.harness.annotate('gone', { [PIN_ANNOTATION]: null });
    const opened = await open('admin', 'gone');
    const { page } = opened;
    await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Sync' }).click();
    expect(await heads(page)).toEqual([
      '1 release would be deleted, and what runs there is uninstalled',
      '1 release would be changed',
    ]);
    expect(await plan(page).locator('.fate.uninstall').innerText()).toMatch(/us prod\/gone/);
    expect(await plan(page).locator('.fate.change').innerText()).toMatch(/eu prod\/gone[^]*image[^]*"b"[^]*"d"/);
    await expectSound(opened);
    await shot(page, 'sync');
  });

  it.each(['light', 'dark'] as const)('has room on a screen of 320 pixels, %s', async (colorScheme) => {
    const opened = await open('admin', 'gone', '/history', { viewport: { width: 320, height: 640 }, colorScheme });
    const { page } = opened;
    await rollBack(page, 1);
    await page.getByText('This uninstalls 1 release on us.').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    expect((await plan(page).boundingBox())?.height).toBeGreaterThan(100);
    await page.getByLabel('Type gone to confirm').fill('gone');
    await ready(page, 'Roll back').click({ trial: true });
    await expectSound(opened);
    await shot(page, `rollback-320-${colorScheme}`);
  });
});
