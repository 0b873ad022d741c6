import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { kubectl } from '#bench/scenarios/shell.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { kustomizationTemplateResource } from '#api/v1alpha1/kustomization-template.js';
import type { TemplateDetail } from '#queries/views/template-view.js';
import type { TemplateView } from '#queries/answers/templates.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { limitedUser } from '../../support/limited-user.js';
import { eventually, freshNamespace, useWorld } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { useTemplates } from '../template/harness.js';

interface Ended {
  readonly code: number;
  /** All that was printed. */
  readonly text: string;
}

const LABEL = 'gitops.kubesphere.io/save-helmtemplate';

function says(text: string): unknown {
  return expect.stringContaining(text);
}

/** The built `fairlead`, next to the controllers. */
describe('fairlead template', () => {
  const on = useTemplates();
  let namespace: string;
  beforeAll(() => void ({ namespace } = on.applications));

  const runAs = async (kubeconfig: string, ...args: string[]): Promise<Ended> => {
    const all = [`${PACKAGE_ROOT}/dist/cli/main.js`, 'template', ...args, '--kubeconfig', kubeconfig];
    const env = { ...process.env, NO_COLOR: '1' };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, all, { env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
      );
    });
  };
  const run = (...args: string[]): Promise<Ended> =>
    runAs(on.applications.host.kubeconfig, ...args, ...(args.includes('-n') ? [] : ['-n', namespace]));
  const detailOf = async (name: string): Promise<TemplateDetail> =>
    JSON.parse((await run('show', name, '-o', 'json')).text) as TemplateDetail;

  it('lists, shows and compares what the controller keeps', async () => {
    await on.template('web');
    await on.hasRevision('web', 1);
    await on.use('pinned', 'web@1');
    await on.template('web', { values: { replicas: 2 } });
    await on.hasRevision('web', 2);
    await on.use('shop', 'web');
    await eventually(async () => expect((await on.find('web'))?.status?.usedBy).toBe(2));
    const { templates } = JSON.parse((await run('list', '-o', 'json')).text) as { templates: TemplateView[] };
    expect(templates.find(({ name }) => name === 'web')).toMatchObject({
      ...{ kind: 'HelmTemplate', namespace, chart: 'podinfo', version: '1.x', state: 'Ready', revision: 2, usedBy: 2 },
    });
    expect((await run('list')).text).toMatch(/^HelmTemplate +web +Ready +2 +podinfo 1\.x +2 +\d+[sm] +-$/m);
    const users = ['pinned', 'shop'].map((name) => `${namespace}/${name}`);
    expect(await detailOf('web')).toMatchObject({
      users,
      revisions: [
        { revision: 2, changes: ['values'], usedBy: users.slice(1) },
        { revision: 1, changes: [], usedBy: users.slice(0, 1) },
      ],
    });
    expect((await detailOf('web@1')).spec).not.toHaveProperty('values');
    expect(await run('diff', 'web@1', `${namespace}/web`)).toEqual({
      code: 1,
      text: 'spec.values: (none) -> {"replicas":2}\n',
    });
    expect(await run('diff', 'web', 'web@2')).toEqual({ code: 0, text: '' });
  });

  it('says what is not there, and which of two is not meant', async () => {
    await on.template('both');
    const sourceRef = { kind: 'GitRepository', name: 'fleet', namespace } as const;
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'KustomizationTemplate' };
    const metadata = { name: 'both', namespace };
    await on.applications.kube.create(kustomizationTemplateResource, { ...object, metadata, spec: { sourceRef } });
    await on.hasRevision('both', 1);
    for (const [args, says] of [
      [['show', 'both'], /there are HelmTemplate \S+ and KustomizationTemplate \S+: say which with --kind/],
      [
        ['show', 'gone'],
        /there is no HelmTemplate or KustomizationTemplate \S+\/gone nor \S+: `fairlead template list/,
      ],
      [['show', 'a/b/c'], /"a\/b\/c" is not a template reference; use NAME or NAMESPACE\/NAME/],
      [['show', 'both@7', '--kind', 'HelmTemplate'], /HelmTemplate \S+\/both has no revision 7: kept are 1/],
    ] as const) {
      expect(await run(...args)).toMatchObject({ code: 1, text: expect.stringMatching(says) as unknown });
    }
    const diff = await run('diff', 'both', 'gone', '--kind', 'HelmTemplate');
    expect(diff).toMatchObject({ code: 2, text: expect.stringContaining('there is no HelmTemplate') as unknown });
    expect(await run('list', '-n', 'kube-public')).toMatchObject({ text: 'No templates in namespace kube-public.\n' });
  });

  it('shows to a user with few rights what he may see, and says the rest', async () => {
    const world = await useWorld();
    const { kube } = on.applications;
    const own = await freshNamespace(kube, 'few');
    await on.template('seen', {}, own);
    const rights = ['helmtemplates.gitops.kubesphere.io', 'controllerrevisions.apps'];
    const kubeconfig = await limitedUser(world, own, { name: 'few', list: rights, get: rights });
    const list = await runAs(kubeconfig, 'list', '-n', own);
    expect(list.text).toMatch(/^HelmTemplate +seen /m);
    expect(list.text).toContain('You may not list KustomizationTemplate: they are not shown.');
    const show = await runAs(kubeconfig, 'show', 'seen', '-n', own);
    expect(show).toMatchObject({ code: 0, text: expect.stringContaining('You may not list Applications') as unknown });
    const other = await runAs(kubeconfig, 'show', `${namespace}/web`, '-n', own);
    expect(other).toMatchObject({ code: 1, text: expect.stringContaining('forbidden') as unknown });
    await kubectl(world, world.host, '-n', own, 'delete', 'helmtemplate', 'seen');
  });

  it('saves by the label, stops, and copies once; a dry run writes nothing', async () => {
    const { metadata, ...base } = on.applications.wanted('origin', []);
    const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;
    const helmRelease = { chart: { chart: 'podinfo', version: '1.x' }, deploy: [deploy('origin')] };
    await on.applications.apply({
      ...base,
      metadata,
      spec: { fluxApp: { spec: { source, config: { helmRelease } } } },
    });
    const name = `${namespace}-origin`;
    expect(await run('save', 'origin', '--dry-run')).toMatchObject({ code: 0, text: says('dry run') });
    expect((await on.applications.read('origin')).metadata.labels).not.toHaveProperty([LABEL]);
    expect(await run('save', 'origin')).toMatchObject({
      code: 0,
      text: says(`saved as HelmTemplate ${namespace}/${name}`),
    });
    await eventually(async () => expect(await on.savedBy(name)).toBe(`${namespace}/origin`));
    expect(await run('save', 'origin')).toMatchObject({ code: 1, text: says('it is saved already') });
    expect(await run('save', 'origin', '--release')).toMatchObject({ code: 0, text: says('released') });
    await eventually(async () => expect(await on.savedBy(name)).toBeUndefined());
    expect(await run('save', 'origin', '--as', 'copy', '--dry-run')).toMatchObject({ code: 0 });
    expect(await on.find('copy')).toBeUndefined();
    expect(await run('save', 'origin', '--as', 'copy')).toMatchObject({ code: 0, text: says('copy created') });
    expect((await on.find('copy'))?.spec.chart).toEqual({ chart: 'podinfo', version: '1.x' });
    expect(await on.savedBy('copy')).toBeUndefined();
    const again = await run('save', 'origin', '--as', 'copy');
    expect(again).toMatchObject({ code: 1, text: says('exists already: choose another name with --as') });
  });

  it('shares by name, and is used where it is shared only', async () => {
    const tenant = await freshNamespace(on.applications.kube, 'tenant');
    await on.template('common');
    await on.hasRevision('common', 1);
    const use = ['use', `${namespace}/common`, '--as', 'mine', '-n', tenant];
    expect(await run(...use)).toMatchObject({ code: 1, text: says(`is not shared with ${tenant}`) });
    expect(await run('share', 'common', '--with', 'not-there')).toMatchObject({ code: 1, text: says('no namespace') });
    expect(await run('share', 'common', '--with', tenant, '--dry-run')).toMatchObject({ code: 0 });
    expect((await on.find('common'))?.spec.sharedWith).toBeUndefined();
    expect(await run('share', 'common', '--with', tenant)).toMatchObject({ code: 0, text: says(`with ${tenant}`) });
    expect((await run(...use, '--dry-run')).text).toContain(`template: ${namespace}/common`);
    const read = () => on.applications.kube.get(applicationResource, { name: 'mine', namespace: tenant });
    expect(await read()).toBeUndefined();
    expect(await run(...use)).toMatchObject({ code: 0, text: says(`Application ${tenant}/mine created`) });
    expect(await run(...use)).toMatchObject({ code: 1, text: says('exists already: choose another name with --as') });
    expect(await run(...use, '--as', 'other', '--cluster', 'Secret/eu', '--dry-run')).toMatchObject({ code: 0 });
    expect(await run('share', 'common', '--without', tenant)).toMatchObject({ code: 0 });
    expect((await on.find('common'))?.spec.sharedWith).toEqual({ namespaces: [] });
    await on.applications.kube.delete(applicationResource, { name: 'mine', namespace: tenant });
  });

  it('is used unseen by whom it is shared with, who has to say the kind', async () => {
    const world = await useWorld();
    const tenant = await freshNamespace(on.applications.kube, 'blind');
    const kubeconfig = await limitedUser(world, tenant, {
      name: 'blind',
      create: ['applications.gitops.kubesphere.io'],
    });
    const use = ['use', `${namespace}/common`, '--as', 'mine', '-n', tenant, '--dry-run'];
    expect(await runAs(kubeconfig, ...use)).toMatchObject({
      code: 1,
      text: says('say of which kind it is with --kind'),
    });
    const seen = await runAs(kubeconfig, ...use, '--kind', 'HelmTemplate');
    expect(seen).toMatchObject({ code: 0, text: says('helmRelease') });
  });
});
