import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectObjects } from '#sandbox/project.js';
import type { Cluster } from '#sandbox/world.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-project-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function member(name: string): Promise<Cluster> {
  const kubeconfig = path.join(folder, `${name}.kubeconfig`);
  await writeFile(kubeconfig, `kubeconfig of ${name}`);
  return { name, server: 'https://127.0.0.1:1', kubeconfig, auditLog: '' };
}

const urls = { gitUrl: 'http://127.0.0.1:2/apps.git', helmRepositoryUrl: 'http://127.0.0.1:3/charts' };

test('the project has a namespace, its sources and one kubeconfig Secret per member', async () => {
  const members = [await member('member-1'), await member('member-2'), await member('member-3')];
  const objects = await projectObjects({ ...urls, members });
  const namespace = 'my-devops-projecthmhx2';
  const source = { apiVersion: 'source.toolkit.fluxcd.io/v1' };
  const secret = (name: string, text: string): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    data: { value: Buffer.from(text).toString('base64') },
  });
  expect(objects.map(({ object }) => object)).toEqual([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      ...source,
      kind: 'GitRepository',
      metadata: { name: 'fluxcd-github-repo', namespace },
      spec: { url: urls.gitUrl, ref: { branch: 'main' }, interval: '1m' },
    },
    {
      ...source,
      kind: 'HelmRepository',
      metadata: { name: 'fairlead-charts', namespace },
      spec: { url: urls.helmRepositoryUrl, interval: '1m' },
    },
    secret('stage-kubeconfig', 'kubeconfig of member-1'),
    secret('prod-kubeconfig', 'kubeconfig of member-2'),
    secret('member-3-kubeconfig', 'kubeconfig of member-3'),
  ]);
});

test('a stage without a member gets no Secret', async () => {
  const objects = await projectObjects({ ...urls, members: [await member('member-1')] });
  expect(objects.map(({ object }) => object.metadata.name)).not.toContain('prod-kubeconfig');
});

test('a namespace that is given is not recreated, if somebody deletes it meanwhile', async () => {
  const objects = await projectObjects({ ...urls, namespace: 'fairlead-demo', members: [] });
  expect(objects.map(({ object }) => object.kind)).toEqual(['GitRepository', 'HelmRepository']);
});
