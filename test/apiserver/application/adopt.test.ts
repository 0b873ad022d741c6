import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fairlead } from '#bench/scenarios/shell.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { eventResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { applicationController } from '#controllers/application/setup.js';
import { getCondition } from '#lib/kube/conditions.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { PLAIN } from '../helmrelease/charts.js';
import { useHarness as useReleases } from '../helmrelease/harness.js';
import { configMap, createHarness as createFiles, type Harness as Files } from '../kustomization/harness.js';
import { erase } from '../../support/erase.js';
import { fixture } from '../../support/fixture.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually } from '../../support/world.js';
import { repository } from './harness.js';

interface Engine {
  readonly host: Kube;
  readonly namespace: string;
  readonly world: World;
}

/** The controller of Applications, beside an engine. It must stop before the engine closes its client. */
class Applications {
  #stop: () => Promise<void> = () => Promise.resolve();

  async start({ host, namespace }: Engine): Promise<RunningControllers['passes']> {
    await host.create(helmRepositoryResource, repository('charts', namespace));
    const running = runControllers({ kube: host, namespace }, [
      (context) => applicationController(context, { controllerNamespace: 'fairlead-test', allowCrossNamespace: true }),
    ]);
    this.#stop = async () => {
      await erase(host, applicationResource, namespace);
      await running.stop();
    };
    return running.passes;
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

function adopt({ world, namespace }: Engine, ...args: string[]): Promise<string> {
  return fairlead(world.host, 'adopt', '-n', namespace, ...args);
}

function becomes({ host, namespace }: Engine, name: string, status: string, message: string): Promise<void> {
  return eventually(async () => {
    const found = await host.get<Application>(applicationResource, { name, namespace });
    const ready = getCondition(found?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status, message: expect.stringContaining(message) });
  });
}

async function read({ host, namespace }: Engine, type: ResourceType, name: string): Promise<Child> {
  const found = await host.get<Child>(type, { name, namespace });
  if (found === undefined) throw new Error(`no ${type.kind} ${name}`);
  return found;
}

/** The reasons of all events about an object. */
async function eventsOf({ host, namespace }: Engine, name: string): Promise<string[]> {
  type Recorded = KubeObject & { readonly involvedObject: { readonly name: string }; readonly reason: string };
  const { items } = await listAll<Recorded>(host, eventResource, { namespace });
  return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
}

function expectTaken(before: Child, after: Child, application: string): void {
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.ownerReferences).toMatchObject([{ kind: 'Application', name: application, controller: true }]);
  expect(after.metadata.annotations).not.toHaveProperty(['gitops.kubesphere.io/offered-to']);
  expect(after.spec).toMatchObject(before.spec);
}

describe('a plain HelmRelease', () => {
  const applications = new Applications();
  let passes: RunningControllers['passes'];
  afterAll(() => applications.stop());
  const harness = useReleases('adopt', { charts: { plain: PLAIN } });
  beforeAll(async () => {
    passes = await applications.start(harness);
  });

  const install = async (name: string, spec: object = {}): Promise<Child> => {
    await harness.apply(name, { targetNamespace: harness.namespace, values: { color: 'red' }, ...spec });
    await harness.untilReady(name);
    return read(harness, helmReleaseResource, name);
  };
  const revisions = async (name: string): Promise<number[]> => {
    const history = JSON.parse(await harness.helm('history', name, '-o', 'json')) as { revision: number }[];
    return history.map(({ revision }) => revision);
  };

  test('becomes part of an Application in place, in whatever step somebody stopped', async () => {
    const before = await install('web');
    const deployed = await harness.configMap('web');
    const printed = await adopt(harness, 'hr/web', '--application', 'shop');
    expect(await read(harness, helmReleaseResource, 'web')).toEqual(before);
    expect(await harness.host.get(applicationResource, { name: 'shop', namespace: harness.namespace })).toBeUndefined();

    // As if it had ended after its first write.
    await harness.host.create(applicationResource, parseYaml(printed) as Application);
    await becomes(
      harness,
      'shop',
      'False',
      `fairlead adopt helmrelease/web -n ${harness.namespace} --application shop`,
    );
    await passes.atRest({ name: 'shop', namespace: harness.namespace });
    expect(await read(harness, helmReleaseResource, 'web')).toEqual(before);

    await adopt(harness, 'helmrelease/web', '--application', 'shop', '--yes');
    await becomes(harness, 'shop', 'True', 'the destination is ready');
    await harness.untilReady('web');
    expectTaken(before, await read(harness, helmReleaseResource, 'web'), 'shop');
    expect(await revisions('web')).toEqual([1]);
    expect((await harness.configMap('web'))?.metadata).toEqual(deployed?.metadata);
    await harness.eventsWritten();
    expect((await eventsOf(harness, 'web')).sort()).toEqual(['HelmChartCreated', 'InstallSucceeded']);
    const { items } = await listAll<Child>(harness.host, helmReleaseResource, { namespace: harness.namespace });
    expect(items).toHaveLength(1);
  });

  test('is left as it is if the Application that exists says something else', async () => {
    const before = await install('other');
    const made = parseYaml(await adopt(harness, 'hr/other')) as Application;
    const [entry] = made.spec.fluxApp!.spec.config.helmRelease!.deploy;
    Object.assign(entry!, { values: { color: 'blue' } });
    await harness.host.create(applicationResource, made);
    await expect(adopt(harness, 'hr/other', '--yes')).rejects.toThrow(
      `Application ${harness.namespace}/other would change HelmRelease ${harness.namespace}/other (spec.values.color)`,
    );
    expect(await read(harness, helmReleaseResource, 'other')).toEqual(before);
    await harness.host.delete(applicationResource, made.metadata);
  });
});

describe('a plain Kustomization', () => {
  const applications = new Applications();
  afterAll(() => applications.stop());
  const harness = fixture<Files>(
    () => createFiles('adopt-files'),
    (files) => files.close(),
  );
  beforeAll(() => applications.start(harness));

  test('becomes part of an Application in place, and stays suspended', async () => {
    await harness.publish('files', { 'a.yaml': configMap('a', { color: 'red' }) });
    await harness.apply('files');
    await harness.untilReady('files');
    const deployed = await harness.configMap('a');
    const body = { spec: { suspend: true } };
    const ref = { name: 'files', namespace: harness.namespace };
    const before = await harness.host.patch<Child>(kustomizationResource, ref, { type: 'merge', body });
    await adopt(harness, 'kustomization/files', '--yes');
    await becomes(harness, 'files', 'True', 'suspended');
    expectTaken(before, await read(harness, kustomizationResource, 'files'), 'files');
    expect((await harness.configMap('a'))?.metadata).toEqual(deployed?.metadata);
  });
});
