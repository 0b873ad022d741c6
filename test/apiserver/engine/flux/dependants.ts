import { expect } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType, Unstructured } from '#api/meta.js';
import { createMembers } from '#engine/member/members.js';
import { run } from '#engine/process/run.js';
import { helmReleaseControllers } from '#controllers/helmrelease/setup.js';
import { kustomizationControllers } from '#controllers/kustomization/setup.js';
import { externalArtifactFetcher } from '#controllers/source/externalartifact/fetch.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Harness } from '../../source/harness.js';
import { erase } from '../../../support/erase.js';
import { fixture } from '../../../support/fixture.js';
import { runControllers } from '../../../support/harness.js';
import { eventually, freshNamespace, kubeFor } from '../../../support/world.js';

/** What uses the sources of a harness, from a namespace of its own. Nothing comes by itself: the interval is an hour. */
export interface Dependants {
  readonly host: Kube;
  readonly namespace: string;
  apply(type: ResourceType, name: string, spec: object): Promise<void>;
  /** A Kustomization of a source and of the folder in it that has the same name. */
  useSource(kind: string, name: string): Promise<void>;
  /** Waits until the ConfigMap has this color. */
  untilColor(name: string, color: string): Promise<void>;
}

/** A ConfigMap in a folder of its own name. */
export function manifest(name: string, color: string): Record<string, string> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { color } };
  return { [`${name}/config.yaml`]: JSON.stringify(object) };
}

async function start(sources: Harness): Promise<Dependants & { close(): Promise<void> }> {
  const { world, store } = sources;
  const host = await kubeFor(world.host);
  const namespace = await freshNamespace(host, 'dependants');
  const members = createMembers({ host });
  const options = {
    ...{ members, store, run, helmPath: world.tools.helm, kustomizePath: world.tools.kustomize },
    ...{ allowCrossNamespace: true, dependencyRequeueMs: 500 },
    fetchExternal: externalArtifactFetcher({ store, proxies: {} }),
    fetchChart: () => Promise.reject(new Error('nothing is a dry run')),
  };
  const controllers = runControllers({ kube: host }, [
    (context) => kustomizationControllers(context, options),
    (context) => helmReleaseControllers(context, options),
  ]);

  const dependants: Dependants = {
    host,
    namespace,
    async apply({ group, version, kind, ...type }, name, spec) {
      const object: KubeObject & { spec: object } = {
        ...{ apiVersion: `${group}/${version}`, kind, metadata: { name, namespace } },
        spec: { interval: '1h', ...spec },
      };
      await host.apply({ group, version, kind, ...type }, object, { fieldManager: 'test', force: true });
    },
    useSource(kind, name) {
      const sourceRef = { kind, name, namespace: sources.namespace };
      const spec = { prune: true, targetNamespace: namespace, sourceRef, path: `./${name}` };
      return dependants.apply(kustomizationResource, name, spec);
    },
    async untilColor(name, color) {
      await eventually(async () => {
        const found = await host.get<Unstructured>(configMapResource, { name, namespace });
        expect(found?.['data']).toEqual({ color });
      });
    },
  };
  return {
    ...dependants,
    async close() {
      await controllers.stop();
      for (const type of [kustomizationResource, helmReleaseResource]) await erase(host, type, namespace);
      await erase(host, helmChartResource, sources.namespace);
      await members.close();
      await host.close();
    },
  };
}

/** The controllers of Kustomizations and HelmReleases for real, for the tests of a file. */
export function useDependants(sources: Harness): Dependants {
  return fixture(
    () => start(sources),
    (made) => made.close(),
  );
}
