import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { kubectl } from '#bench/scenarios/shell.js';
import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { generatedPart } from '../../meta/generated-docs.js';
import { erase } from '../../support/erase.js';
import { prepareCluster } from '../../support/harness.js';
import { applyManifest } from '../../support/kubectl.js';
import { limitedUser } from '../../support/limited-user.js';
import { fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { freshNamespace, useWorld } from '../../support/world.js';

const GOLDEN = 'test/apiserver/cli/source.golden';
/** What `docs/cli.md` shows. */
const IN_THE_DOCS = 80;
const COLUMNS = [40, IN_THE_DOCS, 160] as const;
/** Between 3 and 4 hours ago, as long as the tests last. */
const STORED_AT = new Date(Date.now() - 3.5 * 3_600_000).toISOString();

const FAILURE = "unable to clone 'https://git.example.com/shop/config.git': authentication required: Unauthorized";

let world: World;
let kube: Kube;
let namespace: string;
let elsewhere: string;

function ready(status: string, reason: string, message: string): object {
  return { type: 'Ready', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

function artifact(revision: string): object {
  const [path, digest] = ['a/b/c.tar.gz', `sha256:${'0'.repeat(64)}`];
  return { path, url: `http://localhost/${path}`, revision, digest, lastUpdateTime: STORED_AT };
}

interface Written {
  readonly type: ResourceType;
  readonly name: string;
  readonly spec: object;
  readonly status?: object;
  readonly in?: string;
}

async function write({ type, name, spec, status, in: where = namespace }: Written): Promise<void> {
  const apiVersion = `${type.group}/${type.version}`;
  const object = {
    apiVersion,
    kind: type.kind,
    metadata: { name, namespace: where },
    spec: { interval: '1h', ...spec },
  };
  await applyManifest(world, world.host, object);
  if (status === undefined) return;
  const flags = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
  await kubectl(world, world.host, '-n', where, 'patch', type.plural, name, ...flags);
}

const GIT = { kind: 'GitRepository', name: 'app' };
const CHARTS = { kind: 'HelmRepository', name: 'charts' };

beforeAll(async () => {
  world = await useWorld();
  ({ kube, namespace } = await prepareCluster(world.host, 'source'));
  elsewhere = await freshNamespace(kube, 'elsewhere');
  const failed = { conditions: [ready('False', 'GitOperationFailed', FAILURE)] };
  const stored = (revision: string): object => ({
    conditions: [ready('True', 'Succeeded', 'stored artifact')],
    artifact: artifact(revision),
  });
  const url = 'https://git.example.com/shop/app.git';
  const chart = { spec: { chart: 'web', sourceRef: CHARTS } };
  const objects: Written[] = [
    { type: gitRepositoryResource, name: 'app', spec: { url }, status: stored(`main@sha1:${'0123456789'.repeat(4)}`) },
    { type: gitRepositoryResource, name: 'config', spec: { url }, status: failed },
    {
      type: helmRepositoryResource,
      name: 'charts',
      spec: { url: 'https://charts.example.com' },
      status: stored('sha256:1'),
    },
    { type: bucketResource, name: 'new', spec: { bucketName: 'new', endpoint: 'example.com' } },
    { type: kustomizationResource, name: 'app', spec: { prune: true, sourceRef: GIT } },
    {
      ...{ type: kustomizationResource, name: 'app', in: elsewhere },
      spec: { prune: true, sourceRef: { ...GIT, namespace } },
    },
    { type: helmReleaseResource, name: 'web', spec: { chart } },
  ];
  for (const object of objects) await write(object);
});

afterAll(async () => {
  for (const type of [kustomizationResource, helmReleaseResource]) {
    await erase(kube, type, namespace);
    await erase(kube, type, elsewhere);
  }
  await kube.close();
});

async function run(
  args: readonly string[],
  columns = 200,
  kubeconfig = world.host.kubeconfig,
): Promise<{ code: unknown; lines: readonly string[] }> {
  const connection = ['--kubeconfig', kubeconfig];
  const terminal = fairleadAtTerminal(['source', ...args, ...connection], { columns });
  const code = await terminal.exitCode;
  const plain = screenOf(terminal.output()).map((line) =>
    line.replaceAll(namespace, 'my-project').replaceAll(elsewhere, 'elsewhere'),
  );
  return { code, lines: plain };
}

/** UPDATE_GOLDEN=1 rewrites it, and the page of the docs. */
test('a terminal of 40, 80 and 160 columns shows what source.golden has', async () => {
  const screens = new Map<number, string>();
  for (const columns of COLUMNS) {
    const { code, lines } = await run(['-n', namespace], columns);
    expect({ code, lines }).toMatchObject({ code: 0 });
    screens.set(columns, lines.join('\n'));
  }
  const all = [...screens].map(([columns, screen]) => `== ${columns} columns\n\n${screen}\n`).join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, all);
  expect(all).toBe(readFileSync(GOLDEN, 'utf8'));
  const picture = `\`\`\`\n${screens.get(IN_THE_DOCS) ?? ''}\n\`\`\``;
  expect(generatedPart('docs/cli.md', 'source', picture)).toBe(picture);
});

describe('one source', () => {
  test('is named by its kind, with the names of what uses it', async () => {
    const { code, lines } = await run(['gitrepo/app', '-n', namespace, '-o', 'wide']);
    expect(code).toBe(0);
    expect(lines.join(' ')).toContain('Kustomization elsewhere/app, Kustomization my-project/app');
    expect(lines.join(' ')).not.toContain('config');
  });

  test('that does not exist is an error with the way out', async () => {
    const { code, lines } = await run(['Bucket/gone', '-n', namespace]);
    expect({ code, said: lines.join(' ') }).toMatchObject({
      code: 1,
      said: expect.stringContaining(
        'there is no Bucket gone in namespace my-project; look in others with -A or -n',
      ) as unknown,
    });
  });
});

test('an empty namespace says so', async () => {
  const { code, lines } = await run(['-n', 'kube-public']);
  expect([code, lines.join(' ')]).toEqual([0, 'No sources in namespace kube-public.']);
});

describe('a user with few rights', () => {
  const GIT_TYPE = 'gitrepositories.source.toolkit.fluxcd.io';

  test('sees what he may, and what he may not is said', async () => {
    const kubeconfig = await limitedUser(world, namespace, {
      name: 'few',
      list: [GIT_TYPE, 'kustomizations.kustomize.toolkit.fluxcd.io'],
    });
    const { code, lines } = await run(['-n', namespace], 200, kubeconfig);
    const said = lines.join('\n');
    expect({ code, said }).toMatchObject({ code: 0 });
    expect(said).toMatch(/GitRepository +app .* 1 +-$/m);
    expect(said).not.toContain('charts');
    expect(said).toContain(
      'You may not list HelmRepository, OCIRepository, Bucket, HelmChart, ExternalArtifact: they are not shown.',
    );
    expect(said).toContain(
      'You may not list Application, Kustomization, HelmRelease, HelmChart of all namespaces: some that use a source are not shown.',
    );
  });

  test('who may list no source is told so', async () => {
    const kubeconfig = await limitedUser(world, namespace, { name: 'none', list: ['pods'] });
    const { code, lines } = await run(['-n', namespace], 200, kubeconfig);
    expect({ code, said: lines.join(' ') }).toMatchObject({
      code: 1,
      said: expect.stringContaining('cannot list') as unknown,
    });
  });
});
