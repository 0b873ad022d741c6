import { beforeAll, describe, expect, it } from '@jest/globals';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { SAVED_BY_ANNOTATION } from '#api/v1alpha1/labels.js';
import { kustomizationTemplateResource, type KustomizationTemplate } from '#api/v1alpha1/kustomization-template.js';
import { listAll } from '#runtime/client/kube.js';
import { eventually } from '../../support/world.js';
import { deploy, files, filesApplication } from '../../unit/application/model/builders.js';
import { useTemplates } from './harness.js';

const LABEL = 'gitops.kubesphere.io/save-helmtemplate';
const FILES_LABEL = 'gitops.kubesphere.io/save-kustomizationtemplate';

describe('Applications that are saved as templates on a real API server', () => {
  const on = useTemplates();
  let namespace: string;
  beforeAll(() => void ({ namespace } = on.applications));

  /** An Application with a label that asks for it to be saved; none when `label` is null. */
  function saver(name: string, version: string, label: string | null = LABEL): Application {
    const { metadata, ...base } = on.applications.wanted(name, []);
    const helmRelease = {
      chart: { chart: 'podinfo', version },
      deploy: [deploy(name, undefined, { values: { a: 1 } })],
    };
    const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;
    const labels = label === null ? {} : { labels: { [label]: 'true' } };
    const spec = { kind: 'fluxcd', fluxApp: { spec: { interval: '7m', source, config: { helmRelease } } } } as const;
    return { ...base, metadata: { ...metadata, ...labels }, spec };
  }

  function savesFiles(name: string, paths: string[]): Application {
    const entries = paths.map((path, index) => files(`${name}-${index}`, undefined, { path }));
    const metadata = { name, namespace, labels: { [FILES_LABEL]: 'true' } };
    return { ...filesApplication(entries), metadata };
  }

  const nameOf = (name: string): string => `${namespace}-${name}`;

  async function saved(name: string, status: string, reason: string): Promise<void> {
    await eventually(async () => {
      expect(await on.condition(name, 'TemplateSaved')).toMatchObject({ status, reason });
    });
  }

  function savedVersion(name: string, version: string): Promise<void> {
    return eventually(async () => {
      expect((await on.find(nameOf(name)))?.spec.chart).toEqual({ chart: 'podinfo', version });
    });
  }

  it.concurrent.each([
    ['new', LABEL],
    ['shipped', 'gitops.kubesphere.io/save-helm-template'],
  ])('saves what all entries share, in the %s spelling, for others to use', async (name, label) => {
    await on.applications.apply(saver(name, '1.x', label));
    await saved(name, 'True', 'TemplateSaved');
    await on.hasRevision(nameOf(name), 1);
    const template = await on.find(nameOf(name));
    expect(template?.spec).toEqual({
      sourceRef: { kind: 'HelmRepository', name: 'charts', namespace },
      chart: { chart: 'podinfo', version: '1.x' },
      deploy: { interval: '7m' },
    });
    expect(template?.metadata.ownerReferences).toBeUndefined();
    await on.use(`${name}-user`, name);
    await on.inUse(`${name}-user`, new RegExp(`HelmTemplate ${namespace}/${nameOf(name)}@1`));
    await on.applications.eventuallyHas(`${name}-user`, 1);
  });

  it.concurrent('follows the edits of its saver, and so do its users; nothing changed is nothing written', async () => {
    await on.applications.apply(saver('followed', '1.0.0'));
    await on.hasRevision(nameOf('followed'), 1);
    await on.use('follower', 'followed');
    await on.applications.apply(saver('followed', '2.0.0'));
    await savedVersion('followed', '2.0.0');
    await on.inUse('follower', /@2$/);
    await eventually(async () => {
      expect(await on.chartOf('follower')).toMatchObject({ version: '2.0.0' });
      expect(await on.chartOf('followed')).toMatchObject({ version: '2.0.0' });
      expect((await on.find(nameOf('followed')))?.status).toMatchObject({ revision: 2, usedBy: 1 });
    });
    const before = await on.position('followed');
    const body = { metadata: { labels: { looked: 'at' } } };
    await on.applications.passAfter('followed', () =>
      on.applications.kube.patch(applicationResource, { name: 'followed', namespace }, { type: 'merge', body }),
    );
    expect(await on.writes(before, 'follow', ['helmtemplates', 'controllerrevisions', 'helmreleases'])).toEqual([]);
  });

  it.concurrent('is restored when others edit it', async () => {
    await on.applications.apply(saver('edited', '1.0.0'));
    await on.hasRevision(nameOf('edited'), 1);
    await on.template(nameOf('edited'), { chart: { chart: 'podinfo', version: '9.9.9' } });
    await savedVersion('edited', '1.0.0');
  });

  it.concurrent('outlives its saver, with its history', async () => {
    await on.applications.apply(saver('mortal', '1.0.0'));
    await on.hasRevision(nameOf('mortal'), 1);
    await on.applications.remove('mortal');
    await on.applications.eventuallyGone('mortal');
    expect((await on.find(nameOf('mortal')))?.metadata.deletionTimestamp).toBeUndefined();
    await on.use('heir', 'mortal@1');
    await on.applications.eventuallyHas('heir', 1);
  });

  it.concurrent('comes again with another chart: that is what it deploys, and saves', async () => {
    await on.applications.apply(saver('again', '1.0.0'));
    await on.hasRevision(nameOf('again'), 1);
    await on.applications.remove('again');
    await on.applications.eventuallyGone('again');
    await on.applications.apply(saver('again', '3.0.0'));
    await savedVersion('again', '3.0.0');
    await eventually(async () => expect(await on.chartOf('again')).toMatchObject({ version: '3.0.0' }));
  });

  it.concurrent('makes nothing that an engine would go on fetching', async () => {
    await on.applications.apply(saver('unfetched', '1.0.0'));
    await saved('unfetched', 'True', 'TemplateSaved');
    await on.applications.eventuallyHas('unfetched', 1);
    expect((await listAll(on.applications.kube, helmChartResource, { namespace })).items).toEqual([]);
  });

  it.concurrent('is released without the label: it stays, and is not updated any more', async () => {
    await on.applications.apply(saver('released', '1.0.0'));
    await on.hasRevision(nameOf('released'), 1);
    expect(await on.savedBy(nameOf('released'))).toBe(`${namespace}/released`);
    await on.applications.apply(saver('released', '2.0.0', null));
    await eventually(async () => {
      expect(await on.find(nameOf('released'))).toBeDefined();
      expect(await on.savedBy(nameOf('released'))).toBeUndefined();
    });
    await on.applications.apply(saver('released', '3.0.0', null));
    await eventually(async () => expect(await on.chartOf('released')).toMatchObject({ version: '3.0.0' }));
    expect((await on.find(nameOf('released')))?.spec.chart.version).not.toBe('3.0.0');
    // The status of the pass before may have met the edit.
    await eventually(async () => expect(await on.condition('released', 'TemplateSaved')).toBeUndefined());
  });

  it.concurrent(
    'overwrites nothing that somebody else made; the releases go on, and it heals when the way is free',
    async () => {
      await on.template(nameOf('taken'), { chart: { chart: 'theirs' } });
      await on.applications.apply(saver('taken', '1.0.0'));
      await saved('taken', 'False', 'TemplateConflict');
      await on.runs('taken');
      expect((await on.find(nameOf('taken')))?.spec.chart).toEqual({ chart: 'theirs' });
      expect((await on.condition('taken', 'TemplateSaved'))?.message).toContain(SAVED_BY_ANNOTATION);
      await on.remove(nameOf('taken'));
      await saved('taken', 'True', 'TemplateSaved');
      await savedVersion('taken', '1.0.0');
    },
  );

  it.concurrent('takes over a template that is handed to it', async () => {
    await on.template(nameOf('handed'), { chart: { chart: 'theirs' } });
    await on.applications.apply(saver('handed', '1.0.0'));
    await saved('handed', 'False', 'TemplateConflict');
    const body = { metadata: { annotations: { [SAVED_BY_ANNOTATION]: `${namespace}/handed` } } };
    const metadata = { name: nameOf('handed'), namespace };
    await on.applications.kube.patch(on.type, metadata, { type: 'merge', body });
    await saved('handed', 'True', 'TemplateSaved');
    await savedVersion('handed', '1.0.0');
  });

  it.concurrent('saves files that all entries take from one path, and says when they do not', async () => {
    const find = () =>
      on.applications.kube.get<KustomizationTemplate>(kustomizationTemplateResource, {
        name: nameOf('site'),
        namespace,
      });
    await on.applications.apply(savesFiles('site', ['./web', './web']));
    await saved('site', 'True', 'TemplateSaved');
    const sourceRef = { kind: 'GitRepository', name: 'fleet', namespace };
    await eventually(async () => expect((await find())?.spec).toEqual({ sourceRef, path: './web' }));

    await on.applications.apply(savesFiles('site', ['./web', './other']));
    await saved('site', 'False', 'TemplateNotSaved');
    expect((await on.condition('site', 'TemplateSaved'))?.message).toContain('differ in path');
    expect((await find())?.spec.path).toBe('./web');
    await on.applications.eventuallyHas('site', 2);
  });

  it.concurrent('says of an Application that uses a template itself that there is nothing to save', async () => {
    await on.template('base', {});
    const user = on.user('second-hand', 'base');
    await on.applications.apply({ ...user, metadata: { ...user.metadata, labels: { [LABEL]: 'true' } } });
    await saved('second-hand', 'False', 'TemplateNotSaved');
    await on.runs('second-hand');
    expect(await on.find(nameOf('second-hand'))).toBeUndefined();
  });
});
