import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import sortBy from 'lodash/sortBy.js';
import { crdResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { chosenDeployment } from '#cli/install/choices.js';
import { installCrds, liveCrds } from '#cli/install/crds.js';
import { isFluxCrd, isOurs } from '#cli/install/crd-rules.js';
import { isForEngine, readController, readCrds } from '#cli/install/package.js';
import { ResourceTypes } from '#cli/command/objects.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import { useWorld } from '../../support/world.js';

/** What the profiles differ in. */
interface Built extends KubeObject {
  roleRef?: { name: string };
}

describe('installing on a real API server', () => {
  let kube: Kube;

  const versions = async (): Promise<(string | undefined)[]> => {
    const names = (await readCrds()).map(({ metadata }) => metadata.name);
    return (await liveCrds(kube, names)).map(({ metadata }) => metadata.resourceVersion);
  };

  beforeAll(async () => {
    kube = await kubeFromFile({ path: (await useWorld()).host.kubeconfig });
    await installCrds(kube, { takeOver: false });
  });

  afterAll(() => kube.close());

  test('every CRD is established, ours by its label, and served', async () => {
    const wanted = await readCrds();
    const live = await liveCrds(
      kube,
      wanted.map(({ metadata }) => metadata.name),
    );
    expect(live.length).toBe(wanted.length);
    expect(live.every(isOurs)).toBe(true);
  });

  test('a second installation changes nothing', async () => {
    const before = await versions();
    await installCrds(kube, { takeOver: false });
    expect(await versions()).toEqual(before);
  });

  test('the CRD of somebody else is refused before anything is written', async () => {
    const [crd] = await liveCrds(kube, ['applications.gitops.kubesphere.io']);
    const labels = { 'app.kubernetes.io/part-of': 'somebody-else' };
    const taken = { type: 'merge', body: { metadata: { labels } } } as const;
    await kube.patch(crdResource, crd!.metadata, taken);
    const before = await versions();
    await expect(installCrds(kube, { takeOver: false })).rejects.toThrow(/applications.*--take-over/);
    expect(await versions()).toEqual(before);
    await installCrds(kube, { takeOver: true });
    expect((await liveCrds(kube, [crd!.metadata.name])).every(isOurs)).toBe(true);
  });

  test('half a Flux over the embedded engine is refused, and nothing is written', async () => {
    const name = 'buckets.source.toolkit.fluxcd.io';
    const labelled = (value: string) =>
      kube.patch(
        crdResource,
        { name },
        { type: 'merge', body: { metadata: { labels: { 'app.kubernetes.io/part-of': value } } } },
      );
    await labelled('flux');
    const before = await versions();
    for (const takeOver of [false, true]) {
      await expect(installCrds(kube, { takeOver })).rejects.toThrow(
        /nothing was installed; CRD buckets.*--replace-flux/,
      );
    }
    expect(await versions()).toEqual(before);
    await installCrds(kube, { takeOver: false, replaceFlux: true });
    expect((await liveCrds(kube, [name])).every(isOurs)).toBe(true);
  });

  test('namespace, RBAC and Deployment would be accepted', async () => {
    const types = new ResourceTypes(kube);
    const objects = await readController();
    expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ServiceAccount', 'ClusterRoleBinding']));
    // A dry run has no namespace to put anything into: only what needs none can be tried.
    const global = objects.filter(({ metadata }) => metadata.namespace === undefined);
    for (const object of global) {
      await kube.apply(await types.of(object), object, { dryRun: true, fieldManager: 'test' });
    }
  });

  test('kustomize makes the same objects of config/default', async () => {
    const { tools } = await useWorld();
    const built = loadAll(await runCommand(tools.kustomize, ['build', 'config/default']));
    const installed = [...(await readCrds()), ...(await readController())];
    const byName = (objects: readonly unknown[]): KubeObject[] =>
      sortBy(objects as KubeObject[], ['kind', 'metadata.name']);
    expect(byName(built)).toEqual(byName(installed));
  });

  test('the tenant profile has no rights of its own on what releases hold', async () => {
    const { tools } = await useWorld();
    const built = loadAll(await runCommand(tools.kustomize, ['build', 'config/tenant'])) as Built[];
    const roles = built
      .filter(({ kind }) => ['ClusterRole', 'Role'].includes(kind))
      .map(({ metadata }) => metadata.name);
    const bound = built.flatMap(({ roleRef }) => roleRef?.name ?? []);
    expect(sortBy(bound)).toEqual(sortBy(roles));
    const packaged = (await readController()).find(({ kind }) => kind === 'Deployment')!;
    const installed = chosenDeployment(packaged, undefined, { profile: 'tenant' });
    expect(built.find(({ kind }) => kind === 'Deployment')).toEqual(installed);
  });

  test('the profile beside Flux has no rights of the embedded engine, and none of its CRDs', async () => {
    const { tools } = await useWorld();
    const built = loadAll(await runCommand(tools.kustomize, ['build', 'config/external'])) as KubeObject[];
    const crds = (await readCrds()).filter(({ metadata }) => !isFluxCrd(metadata.name));
    const controller = (await readController()).filter((object) => !isForEngine(object));
    expect(sortBy(built, ['kind', 'metadata.name'])).toEqual(
      sortBy([...crds, ...controller], ['kind', 'metadata.name']),
    );
    // Descriptions of fields speak of impersonation.
    const text = JSON.stringify(built.filter(({ kind }) => kind !== 'CustomResourceDefinition'));
    expect(text).not.toMatch(/cluster-admin|impersonate/);
  });
});
