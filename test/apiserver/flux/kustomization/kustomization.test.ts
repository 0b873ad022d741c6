import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { applicationController } from '#controllers/application/setup.js';
import { kustomizationControllers } from '#controllers/flux/kustomization/setup.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { erase } from '#test/support/erase.js';
import { conditionOf, prepareCluster, runControllers, type RunningControllers } from '#test/support/harness.js';
import { auditEntries, auditPosition, eventually, useWorld } from '#test/support/world.js';
import { files, filesApplication } from '#test/unit/application/model/builders.js';
import { createFixtures } from '#test/apiserver/application/harness.js';

const NOT_SUPPORTED =
  'Kustomizations are not supported by the embedded engine: run Flux with its kustomize-controller (--engine=external)';

let kube: Kube;
let namespace: string;
let controllers: RunningControllers;

beforeAll(async () => {
  const { host } = await useWorld();
  ({ kube, namespace } = await prepareCluster(host, 'kustomization'));
  await createFixtures(kube, namespace);
  const settings = { allowCrossNamespace: false, dependencyRequeueMs: 1_000 };
  controllers = runControllers({ kube, namespace }, [
    (context) => kustomizationControllers(context, settings),
    (context) => applicationController(context, settings),
  ]);
}, 180_000);

afterAll(async () => {
  await controllers.stop();
  for (const type of [applicationResource, kustomizationResource]) await erase(kube, type, namespace);
  await kube.close();
});

async function apply(name: string, spec: Partial<Kustomization['spec']> = {}): Promise<void> {
  const object = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace },
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository' as const, name: 'fleet' }, ...spec },
  };
  await kube.apply<Kustomization>(kustomizationResource, object, { fieldManager: 'test', force: true });
}

async function read(name: string): Promise<Kustomization | undefined> {
  return kube.get<Kustomization>(kustomizationResource, { name, namespace });
}

/** Waits until it is rejected in its present generation. */
function untilRejected(name: string, reason: string, message: unknown): Promise<Kustomization> {
  return eventually(async () => {
    const object = await read(name);
    const facts = { reason, message, observedGeneration: object?.metadata.generation };
    expect(object?.status?.observedGeneration).toBe(object?.metadata.generation);
    expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'False', ...facts });
    expect(conditionOf(object, 'Stalled')).toMatchObject({ status: 'True', ...facts });
    expect(conditionOf(object, 'Reconciling')).toBeUndefined();
    return object!;
  });
}

test('a Kustomization says that nothing comes of it, and a mistake in it first', async () => {
  await apply('site');
  const site = await untilRejected('site', 'FeatureNotSupported', NOT_SUPPORTED);
  expect(site.metadata.finalizers).toBeUndefined();
  await apply('site', { dependsOn: [{ name: 'dns', readyExpr: 'dep.status ==' }] });
  await untilRejected('site', 'InvalidCELExpression', expect.stringContaining('spec.dependsOn[0].readyExpr'));
  await apply('site', { dependsOn: [{ name: 'dns', namespace: 'infra', readyExpr: 'true' }] });
  await untilRejected('site', 'AccessDenied', expect.stringContaining('Kustomization infra/dns'));
  await apply('site');
  await untilRejected('site', 'FeatureNotSupported', NOT_SUPPORTED);
});

test('a request is answered once, and nothing else is written when nothing changed', async () => {
  const { host } = await useWorld();
  await apply('idle');
  await untilRejected('idle', 'FeatureNotSupported', NOT_SUPPORTED);
  const since = await auditPosition(host);
  const annotate = (values: Record<string, string>) => async (): Promise<unknown> =>
    kube.patch(
      kustomizationResource,
      { name: 'idle', namespace },
      { type: 'merge', body: { metadata: { annotations: values } } },
    );
  await controllers.passes.after({ name: 'idle', namespace }, annotate({ 'reconcile.fluxcd.io/requestedAt': 'now' }));
  expect((await read('idle'))?.status?.lastHandledReconcileAt).toBe('now');
  await controllers.passes.after({ name: 'idle', namespace }, annotate({ 'example.com/note': 'x' }));
  const writes = (await auditEntries(host, since)).filter(({ objectRef }) => objectRef?.name === 'idle');
  expect(writes.map(({ verb, objectRef }) => `${verb} ${objectRef?.subresource ?? ''}`.trim())).toEqual([
    'patch',
    'patch status',
    'patch',
  ]);
});

test('one that is suspended is left unchanged, and one that is deleted goes', async () => {
  await apply('asleep', { suspend: true });
  await apply('awake');
  await untilRejected('awake', 'FeatureNotSupported', NOT_SUPPORTED);
  expect((await read('asleep'))?.status?.conditions).toBeUndefined();
  await kube.delete(kustomizationResource, { name: 'awake', namespace });
  await eventually(async () => expect(await read('awake')).toBeUndefined());
});

test('the destination of an Application is stalled, in the words of its Kustomization', async () => {
  const application = { ...filesApplication([files('prod', 'eu')]), metadata: { name: 'web', namespace } };
  await kube.apply<Application>(applicationResource, application, { fieldManager: 'test', force: true });
  await eventually(async () => {
    const web = await kube.get<Application>(applicationResource, { name: 'web', namespace });
    const [row] = web?.status?.destinations ?? [];
    expect(row).toMatchObject({ state: 'Stalled', message: expect.stringContaining(NOT_SUPPORTED) });
    expect(conditionOf(web, 'Ready')).toMatchObject({ status: 'False' });
  });
});
