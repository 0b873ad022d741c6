import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretResource } from '#api/core.js';
import { unpack } from '#engine/artifact/archive.js';
import { runCommand } from '#sandbox/command.js';
import { helmEnvironment } from '#sandbox/helm-repository.js';
import { startHttpServer, type HttpServer } from '#sandbox/world/ports.js';
import { chartFiles, conditionOf, useHarness } from './harness.js';

const LOGIN = { username: 'robot', password: 'secret' };
const EXPECTED = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`;

const harness = useHarness('src-deps');
let folder: string;
/** Gives what the Helm repository has, to those with a login. */
let closed: HttpServer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-deps-'));
  closed = await startHttpServer((request, response) => {
    if (request.headers.authorization !== EXPECTED) {
      response.writeHead(401).end();
      return;
    }
    const name = path.basename(request.url ?? '/');
    readFile(path.join(harness.helmRoot, name)).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  await harness.publish({ name: 'web', version: '1.2.0' }, { name: 'cache', version: '0.1.0' });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: harness.namespace } };
  await harness.host.create(secretResource, { ...secret, stringData: LOGIN } as typeof secret);
});

afterAll(async () => {
  await closed.close();
  await rm(folder, { recursive: true, force: true });
});

interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly [field: string]: unknown;
}

function umbrella(name: string, dependencies: readonly Dependency[]): Record<string, string> {
  const chart = { apiVersion: 'v2', name, version: '1.0.0', dependencies };
  const template = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  return {
    [`charts/${name}/Chart.yaml`]: JSON.stringify(chart),
    [`charts/${name}/templates/all.yaml`]: template,
  };
}

function chartIn(place: string, name: string, version: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(chartFiles(name, version)).map(([file, content]) => [`${place}/${file}`, content]),
  );
}

/** The files of a chart, by their paths. */
async function filesIn(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const read = async (file: string): Promise<[string, string]> => [
    path.relative(root, file),
    await readFile(file, 'utf8'),
  ];
  return Object.fromEntries(await Promise.all(files.sort().map(read)));
}

/** What `helm package` makes of a chart of these files after `helm dependency update`; adds its Chart.lock to them. */
async function packedByHelm(name: string, files: Record<string, string>): Promise<Record<string, string>> {
  const root = path.join(folder, name);
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), content);
  }
  const env = helmEnvironment(folder);
  const chart = path.join(root, 'charts', name);
  await runCommand(harness.world.tools.helm, ['dependency', 'update', chart], { env });
  files[`charts/${name}/Chart.lock`] = await readFile(path.join(chart, 'Chart.lock'), 'utf8');
  await runCommand(harness.world.tools.helm, ['package', chart, '--destination', root], { env });
  await unpack(path.join(root, `${name}-1.0.0.tgz`), path.join(root, 'unpacked'));
  return filesIn(path.join(root, 'unpacked'));
}

async function build(name: string, files: Record<string, string>): Promise<void> {
  await harness.commit(files);
  await harness.apply('GitRepository', name, { url: harness.gitUrl, ref: { branch: 'main' } });
  await harness.untilReady('GitRepository', name);
  await harness.apply('HelmChart', name, { chart: `charts/${name}`, sourceRef: { kind: 'GitRepository', name } });
}

async function built(name: string): Promise<Record<string, string>> {
  const { status } = await harness.untilReady('HelmChart', name);
  return filesIn(await harness.unpacked(status?.artifact));
}

test('a chart gets what it depends on, as from helm, in the versions of its lock', async () => {
  const files = {
    ...umbrella('locked', [
      { name: 'web', version: '1.x', repository: harness.helmUrl, condition: 'web.enabled' },
      { name: 'web', version: '1.x', repository: harness.helmUrl, alias: 'other' },
      { name: 'common', version: '>=0.1.0', repository: 'file://../common' },
      { name: 'vendored', version: '0.1.0', repository: '' },
    ]),
    ...chartIn('charts/common', 'common', '0.3.0'),
    ...chartIn('charts/locked/charts/vendored', 'vendored', '0.1.0'),
  };
  const expected = await packedByHelm('locked', files);
  await harness.publish({ name: 'web', version: '1.9.0' });
  await build('locked', files);
  expect(await built('locked')).toEqual(expected);
});

test('the login of a HelmRepository opens what a chart depends on', async () => {
  const repository = `${closed.origin}/charts`;
  await harness.apply('HelmRepository', 'closed', { url: `${repository}/`, secretRef: { name: 'login' } });
  await harness.untilReady('HelmRepository', 'closed');
  await build('opened', umbrella('opened', [{ name: 'cache', version: '0.1.0', repository }]));
  expect(Object.keys(await built('opened'))).toContain('opened/charts/cache/Chart.yaml');
});

test('a registry has what a chart depends on', async () => {
  const repository = `oci://${harness.world.registry}/charts`;
  await harness.apply('HelmRepository', 'registry', { type: 'oci', url: repository, insecure: true });
  await build('pulled', umbrella('pulled', [{ name: 'lighthouse', version: '1.x', repository }]));
  expect(Object.keys(await built('pulled'))).toContain('pulled/charts/lighthouse/Chart.yaml');
});

test.each<[string, Partial<Dependency>, 'Ready' | 'Stalled', RegExp]>([
  ['needs-login', { repository: '/other' }, 'Ready', /^cannot add the dependency "web" to chart 'needs-login': .*401/],
  ['absent', { version: '9.x' }, 'Ready', /matching '9\.x' found: .*; correct dependencies\[\]\.version$/],
  ['metadata', { repository: 'http://169.254.169.254/charts' }, 'Ready', /link-local address/],
  ['registry-metadata', { repository: 'oci://169.254.169.254/charts' }, 'Ready', /link-local address/],
  ['escape', { repository: 'file://../../../../etc' }, 'Stalled', /there is no chart at 'etc'$/],
  ['named', { repository: '@stable' }, 'Stalled', /its repository "@stable" is a name that only/],
])('%s: what cannot be added is reported', async (name, fields, type, message) => {
  const asked = { name: 'web', version: '1.x', repository: harness.helmUrl, ...fields };
  const repository = asked.repository.startsWith('/') ? `${closed.origin}${asked.repository}` : asked.repository;
  await build(name, umbrella(name, [{ ...asked, repository }]));
  await harness.until('HelmChart', name, (current) => {
    const reported = { reason: 'DependencyBuildError', message: expect.stringMatching(message) as unknown };
    expect(conditionOf(current, type)).toMatchObject(reported);
  });
});
