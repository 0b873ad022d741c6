import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crdResource, deploymentResource, leaseResource, namespaceResource } from '#api/core.js';
import { helmRepositoryResource, type HelmRepository } from '#api/flux/helm-repository.js';
import type { KubeObject } from '#api/meta.js';
import { installCrds, liveCrds } from '#cli/install/crds.js';
import type { Kube } from '#runtime/client/kube.js';
import { startController, type ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { startLoneCluster, type LoneCluster } from '../../support/lone-cluster.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { eventually, kubeFor, useWorld } from '../../support/world.js';

const SOON = { timeoutMs: 300_000 };
const HELM_RELEASE_CRD = 'helmreleases.helm.toolkit.fluxcd.io';
const NAMESPACE = 'default';

/** The HelmRelease CRD as Flux has it, as far as it matters: another schema, made by controller-gen, without labels. */
function fluxCrd(live: KubeObject): KubeObject {
  const { spec } = live as KubeObject & { spec: { versions: { schema: { openAPIV3Schema: object } }[] } };
  const versions = spec.versions.map((version) => ({
    ...version,
    schema: {
      openAPIV3Schema: {
        ...version.schema.openAPIV3Schema,
        description: 'HelmRelease is the Schema for the helmreleases API',
      },
    },
  }));
  const annotations = { 'controller-gen.kubebuilder.io/version': 'v0.19.0' };
  const { apiVersion, kind } = live;
  return {
    apiVersion,
    kind,
    metadata: { name: HELM_RELEASE_CRD, annotations },
    spec: { ...spec, versions },
  } as KubeObject;
}

describe('the embedded engine without --leader-elect, next to Flux', () => {
  let world: World;
  let cluster: LoneCluster;
  let kube: Kube;
  let dir: string;
  let controller: ControllerProcess | undefined;

  beforeAll(async () => {
    world = await useWorld();
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-beside-'));
    cluster = await startLoneCluster(path.join(dir, 'cluster'), selfSignedCertificate('nobody', 'nobodies').cert);
    kube = await kubeFor(cluster);
    await installCrds(kube, { takeOver: false });
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'flux-system' } });
  });

  afterEach(async () => {
    await controller?.kill();
    controller = undefined;
  });

  afterAll(async () => {
    await kube.close();
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function start(...flags: string[]): Promise<ControllerProcess> {
    const own = await mkdtemp(path.join(dir, 'controller-'));
    const { helm } = world.tools;
    controller = await startController({ kubeconfig: cluster.kubeconfig, helm, dir: own, flags });
    return controller;
  }

  async function readyz(): Promise<string> {
    const log = (await controller?.log()) ?? '';
    const port = /"health":\{[^}]*"port":(\d+)/.exec(log)?.[1];
    if (port === undefined) throw new Error(`no health address in\n${log}`);
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
  }

  async function createRepository(name: string): Promise<() => Promise<HelmRepository | undefined>> {
    const metadata = { name, namespace: NAMESPACE };
    const spec = { interval: '1h', url: world.helmRepositoryUrl };
    const apiVersion = 'source.toolkit.fluxcd.io/v1';
    await kube.create(helmRepositoryResource, { apiVersion, kind: 'HelmRepository', metadata, spec });
    return () => kube.get<HelmRepository>(helmRepositoryResource, metadata);
  }

  it('leaves everything alone while Flux holds a Lease, and works when it has ended', async () => {
    const spec = { holderIdentity: 'flux', leaseDurationSeconds: 3_600, renewTime: '2026-01-01T00:00:00.000000Z' };
    const lease = { name: 'helm-controller-leader-election', namespace: 'flux-system' };
    const made = await kube.create(leaseResource, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease,
      spec,
    } as KubeObject);
    const repository = await createRepository('behind-a-lease');
    await start('--engine=embedded');
    await eventually(
      async () => expect(await readyz()).toContain('helm-controller-leader-election is held by flux'),
      SOON,
    );
    expect((await repository())?.status?.artifact).toBeUndefined();
    await kube.update(leaseResource, { ...made, spec: { ...spec, holderIdentity: '' } } as KubeObject);
    await eventually(async () => expect((await repository())?.status?.artifact?.url).toBeDefined(), SOON);
  });

  /** What looks like a controller of Flux that does not stand for a Lease. */
  async function createFlux(name: string, namespace: string): Promise<{ name: string; namespace: string }> {
    const labels = { 'app.kubernetes.io/part-of': 'flux', app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image: 'example.com/x' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const metadata = { name, namespace, labels };
    await kube.create(deploymentResource, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec } as KubeObject);
    return { name, namespace };
  }

  async function scale(ref: { name: string; namespace: string }, replicas: number): Promise<void> {
    await kube.patch(deploymentResource, ref, { type: 'merge', body: { spec: { replicas } } });
  }

  it('leaves everything unchanged while a Flux runs that does not use that Lease', async () => {
    const flux = await createFlux('helm-controller', 'flux-system');
    const repository = await createRepository('beside-a-deployment');
    await start('--engine=embedded');
    await eventually(
      async () => expect(await readyz()).toContain('Deployment flux-system/helm-controller of Flux runs'),
      SOON,
    );
    expect((await repository())?.status?.artifact).toBeUndefined();
    await scale(flux, 0);
    await eventually(async () => expect((await repository())?.status?.artifact?.url).toBeDefined(), SOON);
    await scale(flux, 1);
    await expect(controller?.failure).rejects.toThrow(
      'Deployment flux-system/helm-controller of Flux runs; this process exits',
    );
    // It ended in order: nothing of ours keeps Flux from going on.
    expect((await repository())?.status?.artifact).toBeUndefined();
    await kube.delete(deploymentResource, flux);
  });

  it('is not stopped by what looks like Flux in the namespace of a tenant, and warns', async () => {
    const tenant = await createFlux('helm-controller-x', NAMESPACE);
    const repository = await createRepository('beside-a-tenant');
    const process = await start('--engine=embedded');
    await eventually(async () => expect((await repository())?.status?.artifact?.url).toBeDefined(), SOON);
    await eventually(async () => expect(await process.log()).toContain('default/helm-controller-x'), SOON);
    expect(await process.log()).toContain('set --flux-namespace to its namespace');
    await eventually(async () => expect(await readyz()).toBe('ok\n'), SOON);
    await kube.delete(deploymentResource, tenant);
  });

  it.each(['source-controller', 'helm-controller', 'kustomize-controller'])(
    'install --replace-flux changes nothing while %s runs',
    async (name) => {
      const flux = await createFlux(name, NAMESPACE);
      const rules = { takeOver: false, replaceFlux: true };
      const refusal = `Deployment default/${name} of Flux runs: scale it to 0 replicas first`;
      await expect(installCrds(kube, rules)).rejects.toThrow(refusal);
      await expect(installCrds(kube, { ...rules, fluxNamespace: NAMESPACE })).rejects.toThrow(refusal);
      await installCrds(kube, { ...rules, fluxNamespace: 'flux-system' });
      await kube.delete(deploymentResource, flux);
    },
  );

  it("hands over in order when the CRDs become Flux's, also by force and without their labels, and comes back", async () => {
    const repository = await createRepository('handed-over');
    await start('--engine=auto');
    await eventually(async () => expect((await repository())?.status?.artifact?.url).toBeDefined(), SOON);
    const [live] = await liveCrds(kube, [HELM_RELEASE_CRD]);
    await kube.apply(crdResource, fluxCrd(live!), { fieldManager: 'kubectl', force: true });
    expect((await liveCrds(kube, [HELM_RELEASE_CRD]))[0]?.metadata.labels).toEqual(live!.metadata.labels);
    await expect(controller?.failure).rejects.toThrow("the Flux CRDs are Flux's now");
    expect((await repository())?.status?.artifact).toBeUndefined();

    const replaced = await liveCrds(kube, [HELM_RELEASE_CRD]);
    await installCrds(kube, { takeOver: true });
    expect(await liveCrds(kube, [HELM_RELEASE_CRD])).toEqual(replaced);
    const next = await start('--engine=auto');
    await eventually(async () => expect(await next.log()).toContain('"engine":"external"'), SOON);

    await installCrds(kube, { takeOver: false, replaceFlux: true });
    await expect(next.failure).rejects.toThrow("the Flux CRDs are Fairlead's now");
    const last = await start('--engine=auto');
    await eventually(async () => expect(await last.log()).toContain('"engine":"embedded"'), SOON);
    await eventually(async () => expect((await repository())?.status?.artifact?.url).toBeDefined(), SOON);
  });
});
