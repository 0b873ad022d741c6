import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commitFiles, seedRepository } from '#sandbox/servers/git-repository.js';
import { helmEnvironment, packageCharts } from '#sandbox/helm-repository.js';
import { pushCharts } from '#sandbox/registry.js';
import type { World } from '#sandbox/world.js';
import { helm } from '#bench/scenarios/shell.js';
import { runCommand } from '#sandbox/command.js';
import { freshNamespace, kubeFor, useWorld } from '../../support/world.js';

let world: World;
let scratch: string;

beforeAll(async () => {
  world = await useWorld();
  scratch = await mkdtemp(path.join(tmpdir(), 'fairlead-servers-'));
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@fairlead.invalid'];

function git(folder: string, ...args: string[]): Promise<string> {
  return runCommand('git', ['-C', folder, ...IDENTITY, ...args]);
}

describe('the git server', () => {
  const url = (name: string): string => new URL(`/${name}.git`, world.gitUrl).href;

  async function newRepository(name: string): Promise<string> {
    const folder = path.join(scratch, `${name}-files`);
    await mkdir(path.join(folder, 'nested'), { recursive: true });
    await writeFile(path.join(folder, 'nested', 'values.yaml'), 'replicas: 1\n');
    await writeFile(path.join(folder, '.gitignore'), 'nested\n');
    return seedRepository(path.join(world.dir, 'git'), name, folder);
  }

  test('the same files give the same commit everywhere', async () => {
    const [one, two] = [await newRepository('same-1'), await newRepository('same-2')];
    expect(one).toMatch(/^[0-9a-f]{40}$/);
    expect(two).toBe(one);
  });

  test('a clone has the files of branch main, ignored ones too', async () => {
    const sha = await newRepository('cloned');
    const clone = path.join(scratch, 'cloned');
    await runCommand('git', ['clone', '--quiet', '--depth=1', url('cloned'), clone]);
    expect((await git(clone, 'rev-parse', 'origin/main')).trim()).toBe(sha);
    expect(await readFile(path.join(clone, 'nested', 'values.yaml'), 'utf8')).toBe('replicas: 1\n');
  });

  test('a push over HTTP is seen by the next clone', async () => {
    await newRepository('pushed');
    const clone = path.join(scratch, 'pushed');
    await runCommand('git', ['clone', '--quiet', url('pushed'), clone]);
    // More than git's post buffer of 1 MiB after compression: it comes in chunks, of a length that nobody knows.
    await writeFile(path.join(clone, 'large.bin'), randomBytes(3_000_000));
    await git(clone, 'add', '--all');
    await git(clone, 'commit', '--quiet', '--message=Second');
    await git(clone, 'push', '--quiet', 'origin', 'main');
    const head = (await git(clone, 'rev-parse', 'HEAD')).trim();
    expect(await runCommand('git', ['ls-remote', url('pushed'), 'refs/heads/main'])).toContain(head);
  });

  test('a commit made on the spot changes and removes files', async () => {
    await newRepository('committed');
    const files = { 'nested/values.yaml': 'replicas: 2\n', 'new/file.txt': 'new\n', '.gitignore': null };
    const sha = await commitFiles(path.join(world.dir, 'git'), 'committed', { files, message: 'Second' });
    const clone = path.join(scratch, 'committed');
    await runCommand('git', ['clone', '--quiet', url('committed'), clone]);
    expect((await git(clone, 'rev-parse', 'HEAD')).trim()).toBe(sha);
    expect((await git(clone, 'ls-files')).trim().split('\n')).toEqual(['nested/values.yaml', 'new/file.txt']);
    expect(await readFile(path.join(clone, 'nested', 'values.yaml'), 'utf8')).toBe('replicas: 2\n');
  });

  test('an unknown repository and a path outside are not found', async () => {
    expect((await fetch(`${url('unknown')}/info/refs?service=git-upload-pack`)).status).toBe(404);
    expect((await fetch(new URL('/%2e%2e/host.kubeconfig', world.gitUrl))).status).toBe(404);
  });
});

const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: scratch\nversion: 1.2.3\n',
  'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: '{{ .Release.Name }}'}
spec:
  selector: {matchLabels: {app: scratch}}
  template:
    metadata: {labels: {app: scratch}}
    spec: {containers: [{name: web, image: example.com/web}]}
`,
  'templates/test.yaml': `apiVersion: v1
kind: Pod
metadata:
  name: '{{ .Release.Name }}-test'
  annotations:
    helm.sh/hook: test
    sandbox.fairlead.dev/outcome: '{{ .Values.outcome }}'
spec: {restartPolicy: Never, containers: [{name: test, image: example.com/test}]}
`,
  'values.yaml': 'outcome: ok\n',
};

describe('charts', () => {
  let archives: string[];

  beforeAll(async () => {
    const folder = path.join(scratch, 'charts', 'scratch');
    await mkdir(path.join(folder, 'templates'), { recursive: true });
    for (const [file, text] of Object.entries(CHART)) await writeFile(path.join(folder, file), text);
    const [charts, root] = [path.join(scratch, 'charts'), path.join(scratch, 'packaged')];
    archives = await packageCharts({ helm: world.tools.helm, charts, root, home: scratch });
  });

  test('the Helm repository serves to the real helm every chart that it indexes', async () => {
    const run = (...args: string[]): Promise<string> =>
      runCommand(world.tools.helm, args, { env: helmEnvironment(scratch) });
    await run('repo', 'add', 'sandbox', world.helmRepositoryUrl);
    const list = await run('search', 'repo', 'sandbox/', '--output', 'json');
    const charts = (JSON.parse(list) as { name: string }[]).map(({ name }) => name);
    expect(charts).toContain('sandbox/lighthouse');
    for (const chart of charts) await run('pull', chart, '--destination', scratch);
  });

  test('the Helm repository serves nothing else', async () => {
    const get = async (file: string): Promise<number> => (await fetch(`${world.helmRepositoryUrl}/${file}`)).status;
    expect(await get('index.yaml')).toBe(200);
    expect([await get('..%2Fhost.kubeconfig'), await get('none.tgz'), await get('')]).toEqual([404, 404, 404]);
  });

  test('the registry keeps what the real helm pushes', async () => {
    await pushCharts({ helm: world.tools.helm, registry: world.registry, archives, home: scratch });
    const pulled = path.join(scratch, 'pulled');
    await mkdir(pulled);
    const reference = `oci://${world.registry}/charts/scratch`;
    await runCommand(
      world.tools.helm,
      ['pull', reference, '--version', '1.2.3', '--plain-http', '--destination', pulled],
      { env: helmEnvironment(scratch) },
    );
    expect(await readFile(path.join(pulled, 'scratch-1.2.3.tgz'))).toEqual(await readFile(archives[0]!));
  });

  test('the real helm installs, waits and runs tests that pass and fail', async () => {
    const host = await kubeFor(world.host);
    const namespace = await freshNamespace(host, 'charts');
    await host.close();
    const run = (...args: string[]): Promise<string> => helm(world, world.host, '--namespace', namespace, ...args);
    await run('install', 'web', archives[0]!, '--wait', '--timeout=90s');
    expect(await run('test', 'web', '--timeout=90s')).toContain('Succeeded');
    await run('upgrade', 'web', archives[0]!, '--set=outcome=fail', '--wait', '--timeout=90s');
    await expect(run('test', 'web', '--timeout=90s')).rejects.toThrow(/web-test/);
  });
});
