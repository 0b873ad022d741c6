import { beforeEach, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { helmTemplateResource, type HelmTemplate } from '#api/v1alpha1/helm-template.js';
import type { Template } from '#api/v1alpha1/template.js';
import { grant } from '../apiserver/console/harness.js';
import { SPEC } from '../apiserver/console/people.js';
import { withTemplate } from '../apiserver/console/template-people.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { describeInBrowser, type Opened } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const LONG = `l${'o'.repeat(200)}ng`;

/** An Application whose status says that it uses revision 1 of the template. */
async function use({ kube, namespace, plain }: Visitors, { metadata }: Template): Promise<void> {
  const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', spec: SPEC };
  const made = await kube.create(applicationResource, { ...object, metadata: { name: 'shop', namespace } });
  const used = { kind: 'HelmTemplate', namespace: metadata.namespace, name: metadata.name, revision: 1 };
  const status = { templates: [used] };
  await kube.update(applicationResource, { ...made, status } as unknown as Application, { subresource: 'status' });
  await eventually(() =>
    expect(plain.applications.get({ name: 'shop', namespace })?.status?.templates).toHaveLength(1),
  );
}

describeInBrowser('the templates', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('templates');
    await use(visitors, await withTemplate(visitors));
    await withTemplate(visitors, { kind: 'KustomizationTemplate', name: LONG });
    return visitors;
  }, dismissVisitors);
  let opened: Opened;

  beforeEach(() => {
    opened = { page: undefined as never, complaints: [], asked: [] };
  });

  async function visit(
    path: string,
    options: BrowserContextOptions = {},
    who: keyof Visitors['tokens'] = 'member',
  ): Promise<Page> {
    opened = await openAs(setting, who, path, options);
    return opened.page;
  }

  it('leads from the list to what a revision changed, and to who uses it', async () => {
    const page = await visit('/');
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByText('2 templates', { exact: true }).waitFor();
    await expectSound(opened);
    await page.getByLabel('Search').fill('podinfo');
    await page.getByText('1 template', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?search=podinfo');
    await page.getByRole('link', { name: /\/web$/ }).click();
    await page.getByText('Revision 2, the current one').waitFor();
    await page.getByRole('button', { name: 'What changed in revision 2' }).click();
    const changed = page.locator('.differences');
    await changed.getByText('/spec/values/replicas').waitFor();
    expect((await changed.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/− before: 1 \+ now: 2/);
    await page.getByRole('region', { name: 'Default values as YAML' }).getByText('<script>alert(1)</script>').waitFor();
    expect(await page.locator('.schema').innerText()).toMatch(/replicas\s+integer/);
    await page.getByText('fairlead template diff').waitFor();
    await expectSound(opened);
    await page.getByRole('link', { name: 'shop', exact: false }).first().click();
    await page.getByRole('heading', { name: `${setting.namespace}/shop` }).waitFor();
    const from = page.getByRole('region', { name: 'Templates' });
    expect(await from.innerText()).toBe('From the template HelmTemplate web revision 1');
    await expectSound(opened);
    await from.getByRole('link').click();
    await page.getByText('Revision 2, the current one').waitFor();
  });

  it('says what one may not see, and what is not there', async () => {
    const page = await visit('/templates', {}, 'stranger');
    await page.getByRole('heading', { name: 'There are no templates that you may see' }).waitFor();
    await expectSound(opened);
    await page.goto(new URL(`/templates/${setting.namespace}/HelmTemplate/web`, page.url()).href);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('podinfo');
    await page.goto(new URL('/templates?search=nothing', page.url()).href);
    await page.getByRole('button', { name: 'Show all templates' }).click();
    await page.getByRole('heading', { name: 'There are no templates that you may see' }).waitFor();
  });

  it('shows the revisions only to who may read them', async () => {
    const page = await visit(`/templates/${setting.namespace}/HelmTemplate/web`, {}, 'viewer');
    const revisions = page.locator('section[aria-labelledby=revisions]');
    await revisions.getByRole('heading', { name: 'You may not see this' }).waitFor();
    await page.getByRole('region', { name: 'Default values as YAML' }).waitFor();
    await expectSound(opened);
  });

  it('shares a template with a namespace, as it says before, and ends that', async () => {
    const page = await visit(`/templates/${setting.namespace}/HelmTemplate/web`);
    const { kube, namespace } = setting;
    const sharedWith = async (): Promise<unknown> =>
      (await kube.get<HelmTemplate>(helmTemplateResource, { name: 'web', namespace }))?.spec.sharedWith?.namespaces;
    const sharing = page.locator('section[aria-labelledby=sharing]');
    await sharing.getByRole('button', { name: 'Share', exact: true }).press('Enter');
    await page.getByRole('status').getByText('Type the name of a namespace first').waitFor();
    await sharing.getByLabel('Namespace').fill('default');
    await sharing.getByRole('button', { name: 'Share', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Share web with default' });
    await dialog.getByText('Shared with default.').waitFor();
    await expectSound(opened);
    expect(await sharedWith()).toBeUndefined();
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await eventually(async () => expect(await sharedWith()).toEqual(['default']));
    await sharing.getByRole('button', { name: 'Stop sharing with default' }).click();
    const end = page.getByRole('dialog', { name: 'Stop sharing web with default' });
    await end.getByText('Shared with no namespace by its name.').waitFor();
    await end.getByRole('button', { name: 'Stop sharing' }).click();
    await eventually(async () => expect(await sharedWith()).toEqual([]));
  });

  it('says what a revision would do to who uses the template, as far as one may know', async () => {
    const page = await visit(`/templates/${setting.namespace}/HelmTemplate/web`);
    await page.getByRole('button', { name: 'What it would do to its users in revision 1' }).click();
    // Nobody here may read what is deployed.
    await page.getByText('It could not be computed: You may not read').waitFor();
    await expectSound(opened);
  });

  it('says by release what a revision would do, to who may read what is deployed', async () => {
    const { kube, namespace } = setting;
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }];
    await grant(kube, 'reads', { namespace, user: { kind: 'ServiceAccount', name: 'admin', namespace }, rules });
    const config = { helmRelease: { chart: null, template: 'web' } };
    const body = { spec: { fluxApp: { spec: { source: null, config } } } };
    await kube.patch(applicationResource, { name: 'shop', namespace }, { type: 'merge', body });
    const template = `/templates/${namespace}/HelmTemplate/web`;
    const page = await visit(template, { viewport: { width: 320, height: 700 } }, 'admin');
    await page.getByRole('button', { name: 'What it would do to its users in revision 1' }).click();
    await page.getByText(/: web\/shop would be created/).waitFor();
    await page.getByRole('button', { name: 'What it would do to its users in revision 2' }).click();
    // It is what the template says now.
    await page.getByText('Nothing would change.').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });

  it('says why one may not share it, before anything is typed', async () => {
    const page = await visit(`/templates/${setting.namespace}/HelmTemplate/web`, {}, 'viewer');
    const sharing = page.locator('section[aria-labelledby=sharing]');
    const share = sharing.getByRole('button', { name: 'Share', exact: true });
    expect(await share.getAttribute('aria-disabled')).toBe('true');
    await share.press('Enter');
    await page.getByRole('status').getByText('it needs `patch` of helmtemplates').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expectSound(opened);
  });

  it.each(['light', 'dark'] as const)('have room on a screen of 320 pixels, %s', async (colorScheme) => {
    const page = await visit('/templates', { viewport: { width: 320, height: 640 }, colorScheme });
    await page.getByText('2 templates', { exact: true }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
    await page.getByRole('link', { name: /\/web$/ }).click();
    await page.getByRole('region', { name: 'Default values as YAML' }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
  });
});
