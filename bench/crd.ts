import { type HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import { configMapResource, crdResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { installCrds } from '#cli/install/crds.js';
import type { Kube } from '#runtime/client/kube.js';
import { median, ratio } from './figures.js';
import { type Bench, forEachOf, secondsOf, withHost, WRITERS } from './harness.js';
import { eventually } from './scenarios/eventually.js';

const NAMESPACE = 'default';
/** Rounds change between the kinds, so that a slow moment of the machine hits both. */
const ROUNDS = 5;
const SERVED_LIMIT_MS = 30_000;

const VALUES = {
  replicaCount: 2,
  image: { repository: 'example.org/shop/web', tag: '1.4.2', pullPolicy: 'IfNotPresent' },
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  ingress: { enabled: true, className: 'nginx', hosts: [{ host: 'shop.example.org', paths: ['/', '/api'] }] },
};

function configMap(name: string): KubeObject & { data: Record<string, string> } {
  const metadata = { name, namespace: NAMESPACE };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { values: JSON.stringify(VALUES) } };
}

/** What an Application with remediation and values of its own makes for one destination. */
function helmRelease(name: string): HelmRelease {
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name, namespace: NAMESPACE, labels: { 'app.kubernetes.io/managed-by': 'web' } },
    spec: {
      interval: '10m',
      chart: {
        spec: { chart: 'web', version: '1.x', sourceRef: { kind: 'HelmRepository', name: 'charts' }, interval: '10m' },
      },
      kubeConfig: { secretRef: { name: 'member-1', key: 'value' } },
      releaseName: 'web',
      targetNamespace: 'shop',
      storageNamespace: 'shop',
      install: { createNamespace: true, remediation: { retries: 3 } },
      upgrade: { remediation: { retries: 3, remediateLastFailure: true } },
      valuesFrom: [{ kind: 'ConfigMap', name: 'settings' }],
      values: VALUES,
    },
  };
}

/** A kind without a schema: what the machinery of custom resources costs by itself. */
const openResource: ResourceType = { ...helmReleaseResource, group: 'open.bench.fairlead.dev' };

function openCrd(): KubeObject & { spec: object } {
  const { group, version, kind, plural } = openResource;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

function openObject(name: string): HelmRelease {
  return { ...helmRelease(name), apiVersion: `${openResource.group}/${openResource.version}` };
}

/** Creates per second. */
async function rateOf<T extends KubeObject>(kube: Kube, type: ResourceType, objects: readonly T[]): Promise<number> {
  return objects.length / (await secondsOf(() => forEachOf(objects, (object) => kube.create(type, object))));
}

type Rates = Record<'configMaps' | 'helmReleases' | 'schemaless', number>;

async function round(kube: Kube, names: readonly string[]): Promise<Rates> {
  return {
    configMaps: await rateOf(kube, configMapResource, names.map(configMap)),
    helmReleases: await rateOf(kube, helmReleaseResource, names.map(helmRelease)),
    schemaless: await rateOf(kube, openResource, names.map(openObject)),
  };
}

async function measure(kube: Kube, objects: number): Promise<Rates> {
  const rounds: Rates[] = [];
  // The first round warms everything up and is not counted.
  for (let index = 0; index <= ROUNDS; index += 1) {
    const names = Array.from({ length: objects }, (_, object) => `bench-${index}-${object}`);
    rounds.push(await round(kube, names));
  }
  const counted = rounds.slice(1);
  return {
    configMaps: median(counted.map(({ configMaps }) => configMaps)),
    helmReleases: median(counted.map(({ helmReleases }) => helmReleases)),
    schemaless: median(counted.map(({ schemaless }) => schemaless)),
  };
}

async function untilServed(kube: Kube): Promise<void> {
  const list = (): Promise<unknown> => kube.list(openResource, { namespace: NAMESPACE, limit: 1 });
  await eventually(list, { timeoutMs: SERVED_LIMIT_MS });
}

async function prepare(kube: Kube): Promise<void> {
  await installCrds(kube, { takeOver: false });
  await kube.create(crdResource, openCrd());
  await untilServed(kube);
}

/**
 * How much of the rate of ConfigMaps is left for HelmReleases; 1 is all. Every custom resource pays for its machinery:
 * `ratioToSchemaless` is what our schema leaves of that.
 */
export const crdBench: Bench = ({ full }) =>
  withHost(async ({ kube }) => {
    const objects = full ? 2_000 : 400;
    await prepare(kube);
    const { configMaps, helmReleases, schemaless } = await measure(kube, objects);
    return {
      objectsPerRound: objects,
      rounds: ROUNDS,
      concurrency: WRITERS,
      configMapsPerSecond: Math.round(configMaps),
      helmReleasesPerSecond: Math.round(helmReleases),
      schemalessPerSecond: Math.round(schemaless),
      ratioToConfigMap: ratio(helmReleases, configMaps),
      ratioToSchemaless: ratio(helmReleases, schemaless),
    };
  });
