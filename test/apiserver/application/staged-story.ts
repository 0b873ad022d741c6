import { expect } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { SourceReference } from '#api/v1alpha1/application-spec.js';
import { applicationResource, type Application, type FluxApplicationSpec } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { listAll } from '#runtime/client/kube.js';
import type { Harness } from '../source/harness.js';
import { eventually } from '../../support/world.js';

const CANARY = { stages: [{ name: 'canary', clusters: { names: ['eu'] } }] };

function clusterOf({ spec }: Child): string {
  return spec.kubeConfig?.secretRef?.name ?? '';
}

/** A story of Applications in stages on the clusters eu and us, with sources that are fetched and an engine that is not. */
export class StagedStory {
  readonly #harness: Harness;

  constructor(harness: Harness) {
    this.#harness = harness;
  }

  /** The kubeconfig Secrets of both clusters, which nobody reads. */
  async createClusters(): Promise<void> {
    const { host, namespace } = this.#harness;
    for (const name of ['eu', 'us']) {
      await host.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
    }
  }

  async put(name: string, sourceRef: SourceReference, config: FluxApplicationSpec['config']): Promise<void> {
    const application: Application = {
      ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' },
      metadata: { name, namespace: this.#harness.namespace },
      spec: { kind: 'fluxcd', rollout: CANARY, fluxApp: { spec: { source: { sourceRef }, config } } },
    };
    await this.#harness.host.apply(applicationResource, application, { fieldManager: 'user', force: true });
  }

  read(name: string): Promise<Application | undefined> {
    return this.#harness.host.get<Application>(applicationResource, { name, namespace: this.#harness.namespace });
  }

  async childrenOf(name: string): Promise<Child[]> {
    const { host, namespace } = this.#harness;
    const lists = [helmReleaseResource, kustomizationResource].map((type) => listAll<Child>(host, type, { namespace }));
    const all = (await Promise.all(lists)).flatMap(({ items }) => items);
    return all.filter(({ spec }) => spec.targetNamespace === name);
  }

  async childOf(name: string, cluster: string): Promise<Child> {
    const found = (await this.childrenOf(name)).find((child) => clusterOf(child) === cluster);
    if (found === undefined) throw new Error(`nothing of ${name} is on ${cluster}`);
    return found;
  }

  /** What `textOf` says of the child on each cluster is this, sooner or later. */
  eventuallyRuns(name: string, expected: Record<string, string>, textOf: (child: Child) => string): Promise<void> {
    return eventually(async () => expect(await this.#running(name, textOf)).toEqual(expected));
  }

  /** The engine of a cluster is done with what its child says now. */
  async finish(name: string, ...clusters: string[]): Promise<void> {
    const children = (await this.childrenOf(name)).filter((each) => clusters.includes(clusterOf(each)));
    for (const { kind, metadata } of children) {
      const { generation: observedGeneration = 1 } = metadata;
      const ready = { type: 'Ready', status: 'True', reason: 'UpgradeSucceeded', message: 'done', observedGeneration };
      const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }];
      const patch = { type: 'merge', body: { status: { observedGeneration, conditions } } } as const;
      const type = kind === kustomizationResource.kind ? kustomizationResource : helmReleaseResource;
      await this.#harness.host.patch(type, metadata, patch, { subresource: 'status' });
    }
  }

  /** What RolledOut says, sooner or later. */
  becomes(name: string, status: string, reason: string, message = ''): Promise<void> {
    return eventually(async () => {
      const condition = getCondition((await this.read(name))?.status?.conditions, 'RolledOut');
      expect(condition).toMatchObject({ status, reason });
      expect(condition?.message).toContain(message);
    });
  }

  /** The rollout of what the Application says now ends on both clusters. */
  rollOut(name: string, expected: Record<string, string>, textOf: (child: Child) => string): Promise<void> {
    return eventually(async () => {
      await this.finish(name, 'eu', 'us');
      const found = await this.read(name);
      expect(found?.status?.observedGeneration).toBe(found?.metadata.generation);
      const condition = getCondition(found?.status?.conditions, 'RolledOut');
      expect(condition).toMatchObject({ status: 'True', reason: 'RolledOut' });
      expect(await this.#running(name, textOf)).toEqual(expected);
    });
  }

  async #running(name: string, textOf: (child: Child) => string): Promise<Record<string, string>> {
    return Object.fromEntries((await this.childrenOf(name)).map((child) => [clusterOf(child), textOf(child)]));
  }
}
