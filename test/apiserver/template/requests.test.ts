import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { kustomizationTemplateResource } from '#api/v1alpha1/kustomization-template.js';
import type { Kube } from '#runtime/client/kube.js';
import { startFaultProxy, statusAnswer, type FaultProxy } from '../../support/proxy.js';
import { eventually, freshNamespace, useWorld } from '../../support/world.js';
import { deploy, files, filesApplication, SOURCE } from '../../unit/application/model/builders.js';
import { repository } from '../application/harness.js';
import { TemplateHarness, useTemplates } from './harness.js';

const NOW = 'reconcile.fluxcd.io/requestedAt';

describe('requests of an Application that uses templates', () => {
  let proxy: FaultProxy;
  let through: Kube;
  let on: TemplateHarness;

  const isAsked = async (type: ResourceType, name: string, namespace = on.applications.namespace): Promise<boolean> => {
    const source = await on.applications.kube.get<KubeObject>(type, { name, namespace });
    return source?.metadata.annotations?.[NOW] !== undefined;
  };
  const isPassedOn = (name: string, value: string): Promise<void> =>
    eventually(async () => expect((await on.applications.read(name)).status?.lastHandledReconcileAt).toBe(value));

  /** An Application whose source nobody reads. */
  function besides(user: Application, namespace: string): Application {
    const { config } = user.spec.fluxApp!.spec;
    const source = { sourceRef: { ...SOURCE.sourceRef, name: 'theirs', namespace } };
    return { ...user, spec: { ...user.spec, fluxApp: { spec: { source, config } } } };
  }

  beforeAll(async () => {
    proxy = await startFaultProxy((await useWorld()).host);
    through = proxy.kube();
    on = await TemplateHarness.start({ allowCrossNamespace: false, through });
  });

  afterAll(async () => {
    await on.stop();
    await through.close();
    await proxy.close();
  });

  it('reach the source of the template, and none that is only named', async () => {
    const { kube, namespace } = on.applications;
    const other = await freshNamespace(kube, 'tenant');
    await kube.create(helmRepositoryResource, repository('theirs', other));
    await kube.create(helmRepositoryResource, repository('theirs', namespace));
    await on.template('chart');
    await on.applications.apply(besides(on.user('asking', 'chart'), other));
    await on.inUse('asking', /./);
    await on.applications.annotate('asking', { [NOW]: '1' });
    await isPassedOn('asking', '1');
    expect(await isAsked(helmRepositoryResource, 'charts')).toBe(true);
    expect(await isAsked(helmRepositoryResource, 'theirs', other)).toBe(false);
    expect(await isAsked(helmRepositoryResource, 'theirs')).toBe(false);
  });

  it('reach the sources of templates of files, and a missing one is reported', async () => {
    const { kube, namespace } = on.applications;
    const sourceRef = { kind: 'GitRepository', name: 'later', namespace };
    const metadata = { name: 'site', namespace };
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'KustomizationTemplate', metadata };
    const template = { ...object, spec: { sourceRef, path: './site' } };
    await kube.apply(kustomizationTemplateResource, template, { fieldManager: 'user', force: true });
    const entries = [files('site', undefined, { template: 'site' })];
    await on.applications.apply({ ...filesApplication(entries), metadata: { name: 'files', namespace } });
    await on.applications.becomes('files', 'False', 'SourceNotFound');
    const message = (await on.condition('files', 'Ready'))?.message;
    expect(message).toContain(
      `spec.sourceRef of KustomizationTemplate ${namespace}/site: GitRepository ${namespace}/later`,
    );
    const spec = { url: 'https://git.invalid/later', interval: '10m' };
    const source = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'later', namespace },
    };
    await kube.create<KubeObject>(gitRepositoryResource, { ...source, spec } as KubeObject);
    await on.applications.becomes('files', 'Unknown', 'DestinationsNotReady');
    await on.applications.annotate('files', { [NOW]: '1' });
    await isPassedOn('files', '1');
    expect(await isAsked(gitRepositoryResource, 'later')).toBe(true);
    expect(await isAsked(gitRepositoryResource, 'fleet')).toBe(false);
  });

  it('that a source refuses keep no status back, and are made again', async () => {
    const { kube, namespace } = on.applications;
    await kube.create(helmRepositoryResource, repository('refusing', namespace));
    const restore = proxy.http.inject({
      match: ({ method, path }) => method === 'PATCH' && path.includes('/helmrepositories/refusing'),
      answer: statusAnswer(403, { reason: 'Forbidden' }),
    });
    const base = on.applications.wanted('refused', [deploy('refused', 'eu')]);
    const source = { sourceRef: { ...SOURCE.sourceRef, name: 'refusing' } };
    const { config } = base.spec.fluxApp!.spec;
    const metadata = { ...base.metadata, annotations: { [NOW]: '1' } };
    await on.applications.apply({ ...base, metadata, spec: { ...base.spec, fluxApp: { spec: { source, config } } } });
    await on.applications.becomes('refused', 'Unknown', 'DestinationsNotReady');
    expect((await on.applications.read('refused')).status?.lastHandledReconcileAt).toBeUndefined();
    await eventually(async () => {
      expect(await on.applications.eventsOf('refused')).toContainEqual(expect.stringMatching(/^RequestFailed: /));
    });
    restore();
    await isPassedOn('refused', '1');
    expect(await isAsked(helmRepositoryResource, 'refusing')).toBe(true);
  });
});

describe('a controller that watches one namespace', () => {
  let stop: () => Promise<void>;
  afterAll(() => stop());
  const on = useTemplates();

  beforeAll(async () => {
    await on.applications.pause();
    ({ stop } = on.applications.startControllers({ watchedNamespace: on.applications.namespace, withTemplates: true }));
  });

  it('warns that it does not watch the namespace of a source, and continues', async () => {
    const base = on.applications.wanted('far', [deploy('far', 'eu')]);
    const { config } = base.spec.fluxApp!.spec;
    const source = { sourceRef: { ...SOURCE.sourceRef, namespace: 'kube-system' } };
    await on.applications.apply({ ...base, spec: { ...base.spec, fluxApp: { spec: { source, config } } } });
    await on.runs('far');
    expect((await on.condition('far', 'Ready'))?.message).toContain(
      `HelmRepository kube-system/charts: outside of ${on.applications.namespace}, the only namespace that this controller watches`,
    );
  });

  it('warns for a template, too', async () => {
    await on.applications.apply(on.user('using', 'kube-system/base'));
    await on.applications.becomes('using', 'False', 'TemplateNotFound');
    expect((await on.condition('using', 'Ready'))?.message).toContain('(--namespace)');
  });
});
