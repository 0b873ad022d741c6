import { expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fairlead } from '#bench/scenarios/shell.js';
import type { KubeObject } from '#api/meta.js';
import type { Child } from '#controllers/application/model/types.js';
import { parseYamlDocuments, printYaml } from '#controllers/runtime/pure/yaml.js';
import { eventually, useWorld } from '#test/support/world.js';
import { deploy } from '#test/unit/application/model/builders.js';
import { putCluster, useHarness } from '../application/harness.js';

const SERVER_FIELDS = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'finalizers'];

/** A child as text, without what only a server gives to it. */
function textOf(child: Child): string {
  const { apiVersion, kind, metadata, spec } = child;
  const own = Object.entries(metadata).filter(([name]) => !SERVER_FIELDS.includes(name));
  const sorted = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    );
  return printYaml(sorted({ apiVersion, kind, metadata: Object.fromEntries(own), spec }));
}

const harness = useHarness();

it('fairlead render prints, byte for byte, what the controller applies', async () => {
  const { host, dir } = await useWorld();
  const { namespace } = harness;
  await putCluster(harness, 'paris', { tier: 'edge', env: 'prod' });
  await putCluster(harness, 'rome', { tier: 'edge', env: 'test' });
  const selected = {
    destination: { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'edge' },
    values: { env: '${{ cluster.labels.env }}', debug: null },
    overrides: [{ clusters: { names: ['rome'] }, timeout: '10m', values: { replicas: 3 } }],
  };
  const entries = [deploy('prod', 'eu', { values: { image: 'a', big: 1 }, interval: '5m' }), deploy('prod'), selected];
  const application = await harness.apply(harness.wanted('shop', entries));
  const children = await eventually(async () => {
    const found = await harness.childrenOf('shop');
    expect(found).toHaveLength(4);
    return found;
  });
  const labels = (env: string) => ({ 'gitops.kubesphere.io/cluster': 'true', tier: 'edge', env });
  const secret = (name: string, env: string): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name, namespace, labels: labels(env) },
  });
  const files = [application, secret('paris', 'prod'), secret('rome', 'test')];
  const file = path.join(dir, `${namespace}-render.yaml`);
  await writeFile(file, files.map((object) => JSON.stringify(object)).join('\n---\n'));
  const rendered = parseYamlDocuments(await fairlead(host, 'render', '-f', file)) as Child[]; // what it prints
  const sorted = (all: readonly Child[]): string[] => all.map(textOf).sort();
  expect(sorted(rendered)).toEqual(sorted(children));
}, 120_000);
