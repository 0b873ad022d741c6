import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { applicationController } from '#controllers/application/setup.js';
import { getCondition } from '#lib/kube/conditions.js';
import { PLAIN } from '../helmrelease/charts.js';
import { useHarness } from '../helmrelease/harness.js';
import { erase } from '../../support/erase.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually, makeNamespace } from '../../support/world.js';
import { application, deploy, type Deploy } from '../../unit/application/model/builders.js';
import { createFixtures } from './harness.js';

let running: RunningControllers;

// Must run before the harness closes the client.
afterAll(async () => {
  await erase(harness.host, applicationResource, harness.namespace);
  await running.stop();
});

/** The embedded engine, with a plain HelmRelease and Applications that use the same kubeconfig of a member. */
const harness = useHarness('handover', { charts: { plain: PLAIN } });

beforeAll(async () => {
  const { host, namespace } = harness;
  await createFixtures(host, namespace);
  running = runControllers({ kube: host, namespace }, [
    (context) => applicationController(context, { controllerNamespace: 'fairlead-test', allowCrossNamespace: true }),
  ]);
});

/** Installs a release like a user of Flux: its record is in the namespace of its HelmRelease. */
async function installPlain(name: string): Promise<string> {
  const target = `${harness.namespace}-${name}`;
  await makeNamespace(harness.member, target);
  await harness.apply(name, { targetNamespace: target, values: { color: 'red' } });
  await harness.untilReady(name);
  return target;
}

async function put(name: string, target: string, more: Partial<Deploy> = {}): Promise<void> {
  const { host, namespace } = harness;
  const entry = deploy(target, 'member', { releaseName: name, values: { color: 'blue' }, ...more });
  const { spec, ...rest } = application([entry]);
  const helmRelease = { chart: { chart: 'plain', version: '1.0.0' }, deploy: [entry] };
  const source = spec.fluxApp!.spec.source!;
  const wanted = { ...rest, spec: { ...spec, fluxApp: { spec: { source, config: { helmRelease } } } } };
  const object: Application = { ...wanted, metadata: { name: `app-${name}`, namespace } };
  await host.apply(applicationResource, object, { fieldManager: 'user', force: true });
}

function becomes(name: string, status: string, message: string): Promise<void> {
  return eventually(async () => {
    const ref = { name: `app-${name}`, namespace: harness.namespace };
    const found = await harness.host.get<Application>(applicationResource, ref);
    const ready = getCondition(found?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status, message: expect.stringContaining(message) });
  });
}

/** The ConfigMap that the release has deployed. */
const deployed = (name: string, namespace: string) =>
  harness.member.get<{ metadata: { uid: string; name: string }; data: object } & Application>(configMapResource, {
    name,
    namespace,
  });

async function suspendAndDelete(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { spec: { suspend: true } } });
  await harness.host.delete(helmReleaseResource, ref);
}

test('a release is taken over under a new record, and what it deployed stays', async () => {
  const target = await installPlain('fresh');
  const before = await deployed('fresh', target);
  await put('fresh', target);
  await becomes('fresh', 'False', `set storageNamespace: ${harness.namespace} here, then set spec.suspend: true`);
  expect((await deployed('fresh', target))?.data).toMatchObject({ color: 'red' });
  await suspendAndDelete('fresh');
  await becomes('fresh', 'True', 'the destination is ready');
  const after = await deployed('fresh', target);
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after?.data).toMatchObject({ color: 'blue' });
});

test('a release goes on with its next revision where its record was, as the message says', async () => {
  const target = await installPlain('kept');
  const before = await deployed('kept', target);
  await put('kept', target, { storageNamespace: harness.namespace });
  await becomes('kept', 'False', 'to take it over, set spec.suspend: true');
  await suspendAndDelete('kept');
  await becomes('kept', 'True', 'the destination is ready');
  const after = await deployed('kept', target);
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after?.data).toMatchObject({ color: 'blue', upgrade: 'true' });
  const history = JSON.parse(await harness.helm('history', 'kept', '-o', 'json')) as { revision: number }[];
  expect(history.map(({ revision }) => revision)).toEqual([1, 2]);
});
