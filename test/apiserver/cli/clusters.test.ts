import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { CLUSTER_API_RESOURCES } from '#api/cluster/kinds.js';
import { secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { ResourceType } from '#api/meta.js';
import { CLUSTER_ID_ANNOTATION, CLUSTER_LABEL, MANAGED_BY_LABEL } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { installClusterCrds, removeClusterCrds } from '../../support/cluster-crds.js';
import { prepareCluster } from '../../support/harness.js';
import { fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { useWorld } from '../../support/world.js';

const [CAPI] = CLUSTER_API_RESOURCES as [ResourceType, ResourceType];

let world: World;
let kube: Kube;
let namespace: string;

beforeAll(async () => {
  world = await useWorld();
  ({ kube, namespace } = await prepareCluster(world.host, 'clusters'));
  await installClusterCrds(kube, ['cluster-api-clusters']);
  const capi = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
  const spec = { topology: { version: 'v1.33.1' } };
  await kube.create(CAPI, { ...capi, metadata: { namespace, name: 'eu', labels: { env: 'prod' } }, ...{ spec } });
  const labels = { [CLUSTER_LABEL]: 'true' };
  await kube.create(secretResource, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'plain', labels },
  });
  const child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' };
  for (const name of ['eu', 'gone']) {
    const annotations = { [CLUSTER_ID_ANNOTATION]: `cluster.x-k8s.io/Cluster/${namespace}/${name}` };
    const metadata = { namespace, name, annotations, labels: { [MANAGED_BY_LABEL]: 'web' } };
    const chart = { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
    await kube.create(helmReleaseResource, {
      ...child,
      metadata,
      ...{ spec: { interval: '1h', suspend: true, chart } },
    });
  }
});

afterAll(async () => {
  await removeClusterCrds(kube, ['cluster-api-clusters']);
  for (const name of ['eu', 'gone']) await kube.delete(helmReleaseResource, { namespace, name });
  await kube.close();
});

async function run(args: readonly string[], columns = 200): Promise<{ code: unknown; lines: readonly string[] }> {
  const connection = ['--kubeconfig', world.host.kubeconfig];
  const terminal = fairleadAtTerminal(['clusters', ...args, ...connection], { columns });
  const code = await terminal.exitCode;
  return { code, lines: screenOf(terminal.output()).map((line) => line.replaceAll(namespace, 'fleet')) };
}

test('the clusters of a namespace, what uses them, and those that are lost', async () => {
  const { code, lines } = await run(['-n', namespace, '--show-labels', '-o', 'wide']);
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^KIND +NAME +STATE +VERSION +USED BY +LABELS +MESSAGE$/);
  const row = (name: string): string => lines.find((line) => line.includes(` ${name} `)) ?? '';
  expect(row('gone')).toMatch(
    /^Cluster\.cluster\.x-k8s\.io +gone +✗ Lost +- +fleet\/web +- +it was deleted, or lost its label$/,
  );
  expect(row('eu')).toMatch(/ eu +● Unknown +v1\.33\.1 +fleet\/web +env=prod +it reports no condition/);
  expect(row('plain')).toMatch(/^Secret +plain +● Unknown +- +- +gitops\.kubesphere\.io\/cluster=true +-$/);
});

test('with --probe, clusters that answer, that are the same one, and that have no credential', async () => {
  const kubeconfig = await readFile(world.members[0]!.kubeconfig);
  const data = { value: kubeconfig.toString('base64') };
  for (const name of ['one', 'two']) {
    const metadata = { namespace, name, labels: { [CLUSTER_LABEL]: 'true' } };
    await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data } });
  }
  const { code, lines } = await run(['-n', namespace, '--probe', '-o', 'wide'], 300);
  const row = (name: string): string => lines.find((line) => line.includes(` ${name} `)) ?? '';
  expect(code).toBe(0);
  expect(row('one')).toMatch(/ Reachable +v1\.\S+ +- +it is the same cluster as Secret fleet\/two/);
  expect(row('two')).toMatch(/ Reachable .* as Secret fleet\/one/);
  expect(row('plain')).toMatch(/ NoCredential .*the Secret does not have this key/);
  expect(row('gone')).toMatch(/ NotProbed /);
});

test('a Secret whose label is misspelled is no cluster, and named', async () => {
  const metadata = { namespace, name: 'wrong', labels: { [CLUSTER_LABEL]: 'True' } };
  await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
  const { code, lines } = await run(['-n', namespace], 300);
  expect([code, lines.filter((line) => line.includes('wrong'))]).toEqual([
    0,
    [
      `Secret fleet/wrong has the label ${CLUSTER_LABEL}=True, so it is no cluster: only ${CLUSTER_LABEL}=true makes it one.`,
    ],
  ]);
});

test('a namespace without clusters says so', async () => {
  const { code, lines } = await run(['-n', 'kube-public']);
  expect([code, lines.join(' ')]).toEqual([0, 'No clusters in namespace kube-public.']);
});
