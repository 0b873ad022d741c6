import { beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { crdResource } from '#api/core.js';
import { type HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { installCrds } from '#cli/install/crds.js';
import { withoutNulls as stored } from '#cli/render/model/completed.js';
import { pruned } from '#cli/render/model/pruned.js';
import { specProblem } from '#cli/render/model/spec-problem.js';
import { KINDS } from '#config/kinds.js';
import { parseJson } from '#lib/json/lossless-json.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace } from '../../support/world.js';
import { MINIMAL } from './minimal.js';
import { USE_CASES } from './seed.js';

const kube = useHost();
let namespace: string;

beforeAll(async () => {
  await installCrds(kube, { takeOver: false });
  namespace = await freshNamespace(kube, 'api');
});

function parse<T extends KubeObject>(yaml: string): T {
  const object = load(yaml) as T;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** What files say without a server has to be what the server says. */
async function tryCreate<T extends KubeObject>(type: ResourceType, object: T): Promise<T> {
  const tried = kube.create(type, { ...object, metadata: { ...object.metadata, name: 'tried' } }, { dryRun: true });
  if (type !== applicationResource) return tried;
  const created = await tried.catch(() => undefined);
  const { spec } = stored(pruned(object).object) as Application; // of this kind
  if (created !== undefined) expect(created).toMatchObject({ spec });
  expect(specProblem(spec) === undefined).toBe(created !== undefined);
  return tried;
}

/** `spec` without the fields that are null: what the server should make of it. */
function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => part ?? undefined)) as T;
}

describe('the CRDs', () => {
  test.each(KINDS.map(({ resource }) => [resource.kind, resource] as const))(
    '%s is structural and established under its names',
    async (_kind, { plural, group }) => {
      const crd = await kube.get<KubeObject & { status: { conditions: { type: string; status: string }[] } }>(
        crdResource,
        { name: `${plural}.${group}` },
      );
      const conditions = Object.fromEntries(crd!.status.conditions.map(({ type, status }) => [type, status]));
      expect(conditions).toEqual({ Established: 'True', NamesAccepted: 'True' });
    },
  );

  test.each(MINIMAL)('%s is accepted with what it must say', async (_kind, type, spec) => {
    const { group, version, kind } = type;
    const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: 'minimal', namespace }, spec };
    await expect(tryCreate(type, object)).resolves.toMatchObject({ spec });
  });
});

describe('an Application', () => {
  test.each(USE_CASES)('of the seed is kept as it was given, without nulls: %s', async (_name, yaml) => {
    const wanted = parse<Application>(yaml);
    const created = await tryCreate(applicationResource, wanted);
    expect(created.spec).toEqual(withoutNulls(wanted.spec));
  });

  const entry = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';

  test.each<[string, string, string, string]>([
    ['an unknown engine', 'spec.kind', 'kind: fluxcd', 'kind: fleet'],
    ['an unknown kind of source', 'spec.fluxApp.spec.source.sourceRef.kind', 'kind: GitRepository', 'kind: Subversion'],
    ['an interval that is no duration', `${entry}.interval`, 'interval: 1m0s', 'interval: soon'],
    ['an unknown CRD policy', `${entry}.install.crds`, 'createNamespace: true', 'crds: Sometimes'],
    ['a release name in capitals', `${entry}.releaseName`, 'interval: 1m0s', 'releaseName: Web'],
    ['a storage namespace with a blank', `${entry}.storageNamespace`, 'interval: 1m0s', 'storageNamespace: "web "'],
    ['a service account with a slash', `${entry}.serviceAccountName`, 'interval: 1m0s', 'serviceAccountName: a/b'],
    ['a release name over 53 characters', `${entry}.releaseName`, 'interval: 1m0s', `releaseName: ${'x'.repeat(54)}`],
    [
      'a kubeConfig that does not name a Secret',
      `${entry}.destination.kubeConfig.secretRef`,
      'kubeConfig:',
      'kubeConfig: {}',
    ],
    ['a namespace in capitals', `${entry}.destination.targetNamespace`, 'targetNamespace: app', 'targetNamespace: App'],
    [
      'a namespace over 63 characters',
      `${entry}.destination.targetNamespace`,
      'targetNamespace: app',
      `targetNamespace: ${'x'.repeat(64)}`,
    ],
    [
      'a kustomization that is no list',
      'spec.fluxApp.spec.config.kustomization',
      'helmRelease:',
      'kustomization: {path: ./deploy}\n        helmRelease:',
    ],
    [
      'two ways to name a cluster',
      `${entry}.destination`,
      'kubeConfig:',
      'clusterRef: {kind: Cluster, name: a}\n                kubeConfig: {secretRef: {name: a}}',
    ],
    [
      'overrides for no cluster',
      `${entry}.overrides[0].clusters`,
      'interval: 1m0s',
      'overrides: [{clusters: {}, interval: 1m0s}]',
    ],
    ['a Helm release without deploy', 'spec.fluxApp.spec.config.helmRelease.deploy', 'deploy:', 'deployed:'],
    ['no config', 'spec.fluxApp.spec.config', 'config:', 'configuration:'],
  ])('with %s is refused, naming the field', async (_name, field, from, to) => {
    const application = parse<Application>(USE_CASES[0]![1].replace(from, to));
    await expect(tryCreate(applicationResource, application)).rejects.toThrow(`${field}: `);
  });

  test.each<[string, object, boolean, InlineSource | undefined]>([
    ['a chart', { chart: { chart: 'web' } }, true, undefined],
    ['a template', { template: 'web' }, true, undefined],
    ['a chart and no name for a template', { chart: { chart: 'web' }, template: '' }, true, undefined],
    ['both', { chart: { chart: 'web' }, template: 'web' }, false, undefined],
    ['neither', {}, false, undefined],
    ['an inline source', {}, true, { repo: 'oci://ghcr.io/org/web' }],
    ['a chart and an inline source', { chart: { chart: 'web' } }, false, { repo: 'oci://ghcr.io/org/web' }],
    ['a template and an inline source', { template: 'web' }, false, { repo: 'oci://ghcr.io/org/web' }],
  ])('takes exactly one of chart, template and inline source: %s', async (_name, choice, accepted, inline) => {
    const application = parse<Application>(USE_CASES[0]![1]);
    const { spec } = application.spec.fluxApp!;
    const { config } = spec;
    if (inline !== undefined) spec.source = { inline };
    config.helmRelease = { ...choice, deploy: config.helmRelease!.deploy };
    const created = tryCreate(applicationResource, application);
    if (accepted) await expect(created).resolves.toBeDefined();
    else
      await expect(created).rejects.toThrow(
        'spec.fluxApp.spec: Invalid value: set exactly one of config.helmRelease.chart, config.helmRelease.template',
      );
  });

  test('takes only one of sourceRef and inline source', async () => {
    const application = parse<Application>(USE_CASES[0]![1]);
    application.spec.fluxApp!.spec.source!.inline = { repo: 'oci://ghcr.io/org/web' };
    const message = 'spec.fluxApp.spec.source: Invalid value: set only one of sourceRef and inline';
    await expect(tryCreate(applicationResource, application)).rejects.toThrow(message);
  });

  test('loses fields that there are not', async () => {
    const application = parse<Application>(USE_CASES[0]![1].replace('interval: 1m0s', 'interwal: 1m0s'));
    await expect(tryCreate(applicationResource, application)).resolves.toMatchObject({ kind: 'Application' });
    expect(pruned(application).dropped).toEqual([`${entry}.interwal`]);
  });

  test('may say nothing by an empty text, as Go clients do', async () => {
    const application = parse<Application>(USE_CASES[0]![1]);
    const { config, source } = application.spec.fluxApp!.spec;
    const nothing = { releaseName: '', storageNamespace: '', serviceAccountName: '', name: '' };
    source!.sourceRef!.namespace = '';
    config.serviceAccountName = '';
    config.helmRelease = { chart: { chart: 'web' }, template: '', deploy: [{ destination: {}, ...nothing }] };
    await expect(tryCreate(applicationResource, application)).resolves.toMatchObject({ spec: application.spec });
  });

  test('keeps its engine', async () => {
    const application = parse<Application>(USE_CASES[4]![1]);
    await kube.create(applicationResource, application);
    const change = (spec: object): Promise<KubeObject> =>
      kube.patch(applicationResource, application.metadata, { type: 'merge', body: { spec } });
    await expect(change({ kind: 'argocd' })).rejects.toThrow('kind cannot be changed');
    const { kind, ...others } = application.spec;
    expect(kind).toBe('fluxcd');
    for (const next of [{ ...others, kind: 'argocd' as const }, others]) {
      expect(specProblem(next, application.spec)).toMatch('spec.kind: kind cannot be changed');
    }
    await expect(change({ kind: null })).rejects.toThrow('kind cannot be changed');
    await expect(change({ argoApp: { spec: { project: 'default' } } })).resolves.toBeDefined();
  });

  test('has each condition once, so that several writers may have their own', async () => {
    const application = parse<Application>(USE_CASES[0]![1]);
    application.metadata.name = 'conditions';
    await kube.create(applicationResource, application);
    const times = { lastTransitionTime: '2024-01-01T00:00:00Z', reason: 'Why', message: '', status: 'True' };
    const write = (...types: string[]): Promise<Application> => {
      const conditions = types.map((type) => ({ ...times, type }));
      const body = { status: { conditions } };
      return kube.patch(applicationResource, application.metadata, { type: 'merge', body }, { subresource: 'status' });
    };
    await expect(write('Ready', 'Ready')).rejects.toThrow('status.conditions[1]: Duplicate value');
    await expect(write('Ready', 'Stalled')).resolves.toBeDefined();
  });

  test('keeps every field of argoApp', async () => {
    const argoApp = { spec: { project: 'default', sources: [{ repoURL: 'x', unknown: { deep: [1, null] } }] } };
    const application = { ...parse<Application>(USE_CASES[0]![1]), spec: { kind: 'argocd', argoApp } as const };
    expect((await tryCreate(applicationResource, application)).spec.argoApp).toEqual(argoApp);
  });
});

describe('values', () => {
  const values = {
    removed: null,
    nested: { removed: null, list: [null, { removed: null }, 1.5, 'text'], empty: {}, none: [] },
    '': 'an empty key',
  };

  test('keep their nulls, in an entry and in a HelmRelease', async () => {
    const application = parse<Application>(USE_CASES[0]![1]);
    application.spec.fluxApp!.spec.config.helmRelease!.deploy[0]!.values = values;
    const created = await tryCreate(applicationResource, application);
    expect(created.spec.fluxApp?.spec.config.helmRelease?.deploy[0]?.values).toEqual(values);
    const release = releaseWith({ values });
    expect((await tryCreate(helmReleaseResource, release)).spec.values).toEqual(values);
  });

  test('keep their nulls when they are applied, at first and again', async () => {
    const release = releaseWith({ values });
    const apply = (): Promise<HelmRelease> => kube.apply(helmReleaseResource, release, { fieldManager: 'test' });
    expect((await apply()).spec.values).toEqual(values);
    // The second one stores the default of status, nulls or not; from then on nothing changes.
    const second = await apply();
    expect(second.spec.values).toEqual(values);
    expect((await apply()).metadata.resourceVersion).toBe(second.metadata.resourceVersion);
  });

  test('keep numbers that a double cannot hold', async () => {
    const text = '{"id":9007199254740993,"most":9223372036854775807}';
    const release = releaseWith({ values: parseJson(text) as Record<string, unknown> });
    const created = await tryCreate(helmReleaseResource, release);
    expect(created.spec.values).toEqual(parseJson(text));
  });

  test('that are null as a whole mean none', async () => {
    const release = releaseWith(load('values:') as object);
    expect((await tryCreate(helmReleaseResource, release)).spec).not.toHaveProperty('values');
  });
});

function releaseWith(spec: object): HelmRelease {
  const { group, version, kind } = helmReleaseResource;
  const chartRef = { kind: 'OCIRepository', name: 'web' } as const;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'web', namespace },
    spec: { interval: '1m', chartRef, ...spec },
  };
}

describe('a HelmRelease', () => {
  test('is not taken for ready before a controller has looked at it', async () => {
    const created = await tryCreate(helmReleaseResource, releaseWith({}));
    expect(created.status).toEqual({ observedGeneration: -1 });
  });

  test.each<[string, object, string]>([
    ['both chart and chartRef', { chart: chartOf('web') }, 'exactly one of chart and chartRef'],
    ['neither chart nor chartRef', { chartRef: undefined }, 'exactly one of chart and chartRef'],
    ['two kinds of kubeconfig', { kubeConfig: bothReferences() }, 'exactly one of secretRef and configMapRef'],
    ['a retry interval without its strategy', { upgrade: { strategy: { retryInterval: '1m' } } }, 'RetryOnFailure'],
    ['a negative history', { maxHistory: -1 }, 'spec.maxHistory'],
  ])('with %s is refused', async (_name, spec, message) => {
    await expect(tryCreate(helmReleaseResource, releaseWith(spec))).rejects.toThrow(message);
  });

  test('with a retry interval and its strategy is accepted', async () => {
    const strategy = { name: 'RetryOnFailure', retryInterval: '1m' };
    const release = releaseWith({ install: { strategy }, upgrade: { strategy } });
    await expect(tryCreate(helmReleaseResource, release)).resolves.toBeDefined();
  });
});

function chartOf(chart: string): object {
  return { spec: { chart, sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
}

function bothReferences(): object {
  return { secretRef: { name: 'a' }, configMapRef: { name: 'b' } };
}
