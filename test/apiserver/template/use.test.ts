import { beforeAll, describe, expect, it } from '@jest/globals';
import { helmChartResource, type HelmChart } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { LEGACY_TEMPLATE_MANAGER, MANAGED_BY_LABEL } from '#api/v1alpha1/labels.js';
import { eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { repository } from '../application/harness.js';
import { useTemplates } from './harness.js';

describe('templates in use on a real API server', () => {
  const on = useTemplates();
  let namespace: string;
  beforeAll(() => void ({ namespace } = on.applications));

  it.concurrent('gives source, chart and defaults to every entry, which may say otherwise', async () => {
    await on.template('layers', {
      values: { a: 1, b: { c: 2, d: 3 } },
      deploy: { interval: '5m', install: { createNamespace: true } },
    });
    await on.use('layers', 'layers', [
      deploy('x', 'eu', { values: { b: { d: null } } }),
      deploy('x', 'us', { interval: '1m' }),
    ]);
    const [eu, us] = await on.applications.eventuallyHas('layers', 2);
    expect(eu?.spec).toMatchObject({
      interval: '5m',
      install: { createNamespace: true },
      values: { a: 1, b: { c: 2, d: null } },
      chart: { spec: { chart: 'podinfo', sourceRef: { kind: 'HelmRepository', name: 'charts', namespace } } },
    });
    expect(us?.spec).toMatchObject({ interval: '1m', values: { a: 1, b: { c: 2, d: 3 } } });
    expect((await on.applications.read('layers')).status?.template).toBe(`HelmTemplate ${namespace}/layers@1`);
  });

  it.concurrent('takes NAME before <namespace>-NAME', async () => {
    await on.template(`${namespace}-order`, { chart: { chart: 'second' } });
    await on.use('order', 'order');
    await on.inUse('order', new RegExp(`HelmTemplate ${namespace}/${namespace}-order@1`));
    await on.applications.eventuallyHas('order', 1);
    await on.template('order', { chart: { chart: 'first' } });
    await on.inUse('order', new RegExp(`HelmTemplate ${namespace}/order@1`));
    await eventually(async () => expect(await on.chartOf('order')).toMatchObject({ chart: 'first' }));
  });

  it.concurrent(
    'brings an edit to those that follow, in one write each, and leaves those that pinned a revision',
    async () => {
      await on.template('moving', { chart: { chart: 'podinfo', version: '1.0.0' } });
      await on.hasRevision('moving', 1);
      await on.use('follows', 'moving');
      await on.use('pinned', 'moving@1');
      for (const name of ['follows', 'pinned']) await on.runs(name);
      const before = await on.position('follows');
      await on.template('moving', { chart: { chart: 'podinfo', version: '2.0.0' } });
      await on.inUse('follows', /moving@2$/);
      await eventually(async () => expect(await on.chartOf('follows')).toMatchObject({ version: '2.0.0' }));
      const [follower] = await on.applications.childrenOf('follows');
      expect(await on.writes(before, 'follows')).toEqual([`patch helmreleases ${follower?.metadata.name}`]);
      expect(await on.writes(before, 'pinned')).toEqual([]);
      expect(await on.chartOf('pinned')).toMatchObject({ version: '1.0.0' });
      expect((await on.applications.read('pinned')).status?.template).toBe(`HelmTemplate ${namespace}/moving@1`);
    },
  );

  it.concurrent('says of a revision that does not exist which is the newest', async () => {
    await on.template('short', {});
    await on.hasRevision('short', 1);
    await on.applications.apply(on.user('ahead', 'short@7'));
    await on.applications.becomes('ahead', 'False', 'TemplateNotFound');
    expect((await on.condition('ahead', 'Ready'))?.message).toContain('has no revision 7; the latest is 1');
    expect(await on.applications.childrenOf('ahead')).toEqual([]);
  });

  /** A HelmChart as ks-devops saves it, from a HelmRepository. */
  async function putLegacy(name: string, source: string): Promise<void> {
    const metadata = { name, namespace, labels: { [MANAGED_BY_LABEL]: LEGACY_TEMPLATE_MANAGER } };
    const sourceRef = { kind: 'HelmRepository', name: source } as const;
    const spec = { interval: '3m', chart: 'podinfo', version: '4.x', sourceRef };
    const chart: HelmChart = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart', metadata, spec };
    await on.applications.kube.create(helmChartResource, chart);
  }

  it.concurrent('reads a HelmChart that ks-devops saved', async () => {
    await putLegacy('legacy', 'charts');
    await on.use('legacy', 'legacy');
    expect((await on.applications.read('legacy')).status?.template).toBe(`HelmChart ${namespace}/legacy`);
    await on.applications.eventuallyHas('legacy', 1);
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace };
    expect(await on.chartOf('legacy')).toMatchObject({ chart: 'podinfo', version: '4.x', interval: '3m', sourceRef });
  });

  it.concurrent('notices that the source of a HelmChart that ks-devops saved comes and goes', async () => {
    await putLegacy('late', 'late');
    await on.use('late', 'late');
    await on.applications.becomes('late', 'False', 'SourceNotFound');
    await on.applications.kube.create(helmRepositoryResource, repository('late', namespace));
    await on.applications.becomes('late', 'Unknown', 'DestinationsNotReady');
    await on.applications.kube.delete(helmRepositoryResource, { name: 'late', namespace });
    await on.applications.becomes('late', 'False', 'SourceNotFound');
  });

  it.concurrent('leaves only that entry alone whose values do not fit the schema, until they do', async () => {
    const valuesSchema = { properties: { replicas: { type: 'integer', minimum: 1 } }, required: ['replicas'] };
    await on.template('strict', { valuesSchema });
    const entries = (replicas: unknown) => [
      deploy('x', 'eu', { values: { replicas } }),
      deploy('x', 'us', { values: { replicas: 2 } }),
    ];
    await on.use('strict', 'strict', entries('many'));
    await on.applications.eventuallyHas('strict', 1);
    await on.applications.becomes('strict', 'False', 'ValuesInvalid');
    const ready = await on.condition('strict', 'Ready');
    expect(ready?.message).toContain('spec.fluxApp.spec.config.helmRelease.deploy[0].values.replicas');
    await on.applications.apply(on.user('strict', 'strict', entries(1)));
    await on.applications.eventuallyHas('strict', 2);
    await on.applications.becomes('strict', 'Unknown', 'DestinationsNotReady');
  });

  describe('whatever happens to the template, releases keep running', () => {
    /** Runs the story: harm it, see the condition, mend it without a touch on the Application. */
    async function survives(
      name: string,
      {
        harm,
        reason,
        says,
        mend,
      }: { harm: () => Promise<unknown>; reason: string; says: string; mend: () => Promise<unknown> },
    ): Promise<void> {
      const before = await on.position(name);
      const children = async (): Promise<unknown[]> =>
        (await on.applications.childrenOf(name)).map(({ metadata: { uid, generation } }) => ({ uid, generation }));
      const ran = await children();
      await harm();
      await on.applications.becomes(name, 'False', reason);
      expect((await on.condition(name, 'Ready'))?.message).toContain(says);
      const { status, metadata } = await on.applications.read(name);
      expect(status?.summary).toMatchObject({ desired: 1, ready: '1/1' });
      await mend();
      await on.applications.becomes(name, 'True', 'AllReady');
      expect(await children()).toEqual(ran);
      // A template that was made anew has another revision, which a label of the child tells.
      expect((await on.writes(before, name)).length).toBeLessThanOrEqual(1);
      expect((await on.applications.read(name)).metadata.generation).toBe(metadata.generation);
    }

    async function running(name: string): Promise<void> {
      await on.template(name, {});
      await on.use(name, name);
      await on.runs(name);
    }

    it.concurrent('deleted', async () => {
      await running('deleted');
      await survives('deleted', {
        harm: () => on.remove('deleted'),
        reason: 'TemplateNotFound',
        says: `there is no HelmTemplate ${namespace}/deleted nor ${namespace}/${namespace}-deleted`,
        mend: () => on.template('deleted', {}),
      });
    });

    it.concurrent('renamed', async () => {
      await running('renamed');
      await survives('renamed', {
        harm: async () => {
          await on.template('renamed-anew', {});
          await on.remove('renamed');
        },
        reason: 'TemplateNotFound',
        says: `there is no HelmTemplate ${namespace}/renamed`,
        mend: async () => {
          await on.template('renamed', {});
          await on.remove('renamed-anew');
        },
      });
    });

    it.concurrent('broken', async () => {
      await running('broken');
      await survives('broken', {
        harm: () => on.template('broken', { chart: { chart: 'podinfo', version: 'the newest' } }),
        reason: 'TemplateInvalid',
        says: 'spec.chart.version: "the newest" is neither a valid version nor a valid range',
        mend: () => on.template('broken', {}),
      });
    });

    it.concurrent('its source renamed', async () => {
      await on.applications.kube.create(helmRepositoryResource, repository('moves', namespace));
      const sourceRef = { kind: 'HelmRepository', name: 'moves', namespace } as const;
      await on.template('sourced', { sourceRef });
      await on.use('sourced', 'sourced');
      await on.runs('sourced');
      await survives('sourced', {
        harm: async () => {
          await on.applications.kube.create(helmRepositoryResource, repository('moved', namespace));
          await on.applications.kube.delete(helmRepositoryResource, { name: 'moves', namespace });
        },
        reason: 'SourceNotFound',
        says: `HelmRepository ${namespace}/moves does not exist`,
        mend: () => on.applications.kube.create(helmRepositoryResource, repository('moves', namespace)),
      });
    });

    it.concurrent('shows the states of its destinations meanwhile', async () => {
      await running('told');
      await on.remove('told');
      await on.applications.becomes('told', 'False', 'TemplateNotFound');
      const [child] = await on.applications.childrenOf('told');
      await on.applications.report(child!, 'False', 'UpgradeFailed');
      await eventually(async () => {
        const { status } = await on.applications.read('told');
        expect(status?.destinations?.[0]).toMatchObject({ state: 'Failed' });
        expect(status?.summary).toMatchObject({ desired: 1, ready: '0/1', states: { failed: 1 } });
      });
      expect((await on.condition('told', 'Ready'))?.reason).toBe('TemplateNotFound');
    });
  });

  it.concurrent(
    'keeps the last ten revisions and those in use, and counts its users',
    async () => {
      for (let edit = 1; edit <= 13; edit += 1) {
        await on.template('history', { chart: { chart: 'podinfo', version: `1.0.${edit}` } });
        await on.hasRevision('history', edit);
        if (edit === 2) await on.use('keeps', 'history@2');
      }
      await eventually(async () =>
        expect(await on.revisions('history')).toEqual([2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
      );
      await on.use('newest', 'history');
      await eventually(async () => expect((await on.find('history'))?.status?.usedBy).toBe(2));
      expect(await on.chartOf('keeps')).toMatchObject({ version: '1.0.2' });
      await on.applications.remove('keeps');
      await on.applications.eventuallyGone('keeps');
      await eventually(async () => {
        expect((await on.find('history'))?.status?.usedBy).toBe(1);
        expect(await on.revisions('history')).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
      });
    },
    600_000,
  );

  it.concurrent('writes nothing while nothing changes', async () => {
    await on.template('quiet', {});
    await on.use('quiet', 'quiet');
    await on.runs('quiet');
    await eventually(async () => expect((await on.find('quiet'))?.status?.usedBy).toBe(1));
    const before = await on.position('quiet');
    const body = { metadata: { labels: { looked: 'at' } } };
    await on.applications.kube.patch(helmTemplateResource, { name: 'quiet', namespace }, { type: 'merge', body });
    await on.applications.passAfter('quiet', () => on.applications.annotate('quiet', { looked: 'at' }));
    const all = ['helmreleases', 'applications', 'helmtemplates', 'controllerrevisions'];
    expect(await on.writes(before, 'quiet', all)).toEqual(['patch helmtemplates quiet', 'patch applications quiet']);
  });
});
