import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { helmTemplateResource, type HelmTemplate } from '#api/v1alpha1/helm-template.js';
import { SAVED_BY_ANNOTATION, SAVE_HELM_LABELS } from '#api/v1alpha1/labels.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { deploy } from '../unit/application/model/builders.js';
import { describeInBrowser, type Opened } from './browser.js';
import { dismissControlled, gatherControlled, type Controlled } from './controlled.js';
import { expectSound, openAs, widthOf } from './visit.js';

const [LABEL] = SAVE_HELM_LABELS;
const SAVE = 'Save as a template';
const STOP = 'Stop saving as a template';

describeInBrowser('an Application that is saved as a template', () => {
  const setting = fixture<Controlled>(gatherControlled, dismissControlled);
  const button = (page: Page, name: string) =>
    page.getByRole('group', { name: 'Actions' }).getByRole('button', { name, exact: true });
  const inDialog = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true, disabled: false });
  const live = (name: string) =>
    setting.kube.get<Application>(applicationResource, { name, namespace: setting.namespace });
  const templateOf = (name: string) =>
    setting.kube.get<HelmTemplate>(helmTemplateResource, {
      name: `${setting.namespace}-${name}`,
      namespace: setting.namespace,
    });
  const visit = async (name: string, who: 'admin' | 'member' | 'viewer', options = {}): Promise<Opened> => {
    await setting.harness.put(name, [deploy('a', undefined, { values: { secret: 'letmein' } })]);
    const opened = await openAs(setting, who, `/applications/${setting.namespace}/${name}`, options);
    await button(opened.page, SAVE).waitFor();
    return opened;
  };

  it('becomes one that follows it, without its values, and stays when that ends', async () => {
    const opened = await visit('proven', 'admin');
    const { page } = opened;
    await button(page, SAVE).click();
    const dialog = page.getByRole('dialog');
    const saved = `saved as HelmTemplate ${setting.namespace}/${setting.namespace}-proven`;
    await dialog.getByText(new RegExp(saved, 'i')).waitFor();
    await dialog.getByText(`fairlead template save proven --namespace ${setting.namespace}`, { exact: true }).waitFor();
    await expectSound(opened);
    expect((await live('proven'))?.metadata.labels ?? {}).not.toHaveProperty([LABEL]);
    await inDialog(page, SAVE).click();
    await dialog.waitFor({ state: 'detached' });
    const by = `${setting.namespace}/proven`;
    await eventually(async () => {
      expect(await templateOf('proven')).toMatchObject({
        metadata: { annotations: { [SAVED_BY_ANNOTATION]: by } },
        spec: { chart: (await live('proven'))?.spec.fluxApp?.spec.config.helmRelease?.chart },
      });
    });
    expect(JSON.stringify(await templateOf('proven'))).not.toContain('letmein');
    await page.getByRole('link', { name: 'Open the template' }).click();
    await page.getByRole('heading', { name: 'Namespaces that may use it' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(
      `/templates/${setting.namespace}/HelmTemplate/${setting.namespace}-proven`,
    );
    await expectSound(opened);
    await page.goBack();
    await button(page, STOP).click();
    await inDialog(page, 'Stop saving').click();
    await button(page, SAVE).waitFor();
    expect(await page.getByRole('link', { name: 'Open the template' }).count()).toBe(0);
    await eventually(async () => {
      const annotations = (await templateOf('proven'))?.metadata.annotations;
      expect(annotations).toBeDefined();
      expect(annotations).not.toHaveProperty([SAVED_BY_ANNOTATION]);
    });
    expect((await live('proven'))?.metadata.labels ?? {}).not.toHaveProperty([LABEL]);
  });

  it('is not written over the template of somebody else', async () => {
    const { page } = await visit('taken', 'admin');
    const { namespace } = setting;
    const metadata = { name: `${namespace}-taken`, namespace };
    const spec = { sourceRef: { kind: 'HelmRepository', name: 'other', namespace }, chart: { chart: 'other' } };
    const template = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate', metadata, spec };
    await setting.kube.create(helmTemplateResource, template as HelmTemplate);
    await button(page, SAVE).click();
    const refused = page.getByRole('dialog').getByRole('alert');
    await refused.filter({ hasText: 'exists and does not belong to it' }).waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: SAVE }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    expect((await templateOf('taken'))?.spec).toMatchObject(spec);
  });

  it('is refused to who may not read templates, and not offered to who may not write it', async () => {
    const opened = await visit('private', 'member');
    await button(opened.page, SAVE).click();
    await opened.page
      .getByRole('dialog')
      .getByRole('alert')
      .filter({ hasText: 'cannot get resource "helmtemplates"' })
      .waitFor();
    await expectSound(opened);
    const { page } = await visit('looked-at', 'viewer');
    expect(await button(page, SAVE).getAttribute('aria-disabled')).toBe('true');
    await button(page, SAVE).dispatchEvent('click');
    expect(await page.getByRole('dialog').count()).toBe(0);
    for (const name of ['private', 'looked-at']) {
      expect((await live(name))?.metadata.labels ?? {}).not.toHaveProperty([LABEL]);
      expect(await templateOf(name)).toBeUndefined();
    }
  });

  it('is saved by the keyboard alone, on a dark screen of 320 pixels', async () => {
    const opened = await visit('typed', 'admin', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    const { page } = opened;
    await button(page, SAVE).focus();
    await page.keyboard.press('Enter');
    await inDialog(page, SAVE).waitFor();
    await expectSound(opened);
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    for (let step = 0; step < 20; step += 1) {
      if ((await page.locator('dialog button.main:focus').count()) > 0) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await templateOf('typed')).toBeDefined());
  });
});
