import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { application, deploy, type Deploy } from '../../application/model/builders.js';
import { allSamples, filesOfSample } from '../../../support/samples.js';

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'file-diff-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Without a cluster, and without a kubeconfig that could name one. */
function run(args: readonly string[], input = ''): Promise<Ended> {
  const program = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
  const env = { ...process.env, KUBECONFIG: '/nowhere', NO_COLOR: '1' };
  return new Promise((resolve) => {
    const options = { env, cwd: folder };
    const child = execFile(process.execPath, [program, 'diff', ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

function text(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

async function diff(old: readonly object[], next: readonly object[]): Promise<Ended> {
  await writeFile(path.join(folder, 'old.yaml'), text(old));
  return run(['-f', '-', '--from-file', 'old.yaml'], text(next));
}

/** As somebody has it in a file. */
function app(name: string, entries: Deploy[], spec: object = {}): KubeObject & { spec: object } {
  const { spec: own, ...object } = application(entries);
  return { ...object, metadata: { name, namespace: 'shop' }, spec: { ...own, ...spec } };
}

const eu = deploy('prod', 'eu', { values: { image: 'a' } });

describe('fairlead diff of files', () => {
  it('shows what is created, changed and deleted on which cluster, by Application', async () => {
    const before = [app('same', [deploy('x')]), app('web', [eu, deploy('prod', 'us')])];
    const after = [
      app('new', [deploy('y')]),
      app('same', [deploy('x')]),
      app('web', [{ ...eu, values: { image: 'b' } }, deploy('late', 'ap')]),
    ];
    const { code, stdout, stderr } = await diff(before, after);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.replaceAll(/-[a-z2-7]{10}\b/g, '-HASH').split('\n')).toEqual([
      'Application shop/web',
      'deleted HelmRelease/shop/web-us-prod-HASH (on us: no entry specifies it any more)',
      'changed HelmRelease/shop/web-eu-prod-HASH (on eu: changed values.image)',
      '  spec.values.image: "a" -> "b"',
      'created HelmRelease/shop/web-ap-late-HASH (on ap: new destination)',
      'Application shop/new',
      'created Application/shop/new',
      'created HelmRelease/shop/new-y-HASH (on host: new destination)',
      '1 deleted, 1 changed, 3 created, 1 unchanged',
      '',
    ]);
  });

  it.each([
    ['Delete', 'does', ['deleted HelmRelease', '2 deleted, 1 unchanged']],
    ['Orphan', 'does; releases that stay, by its deletionPolicy: 1', ['1 deleted, 2 unchanged']],
  ])('says what a deletion with the policy %s does', async (deletionPolicy, does, then) => {
    const { code, stdout } = await diff([app('gone', [eu], { deletionPolicy }), app('web', [eu])], [app('web', [eu])]);
    const [header, itself, ...rest] = stdout.trimEnd().split('\n');
    expect([code, header]).toEqual([1, 'Application shop/gone']);
    const why = `the new files do not have it, and this is what its deletion ${does}`;
    expect(itself).toBe(`deleted Application/shop/gone (${why})`);
    expect(rest.map((line) => line.split('/')[0])).toEqual(then);
  });

  it('compares what is well, and ends with 2 for what is rejected', async () => {
    const twice = [deploy('x'), deploy('x')];
    const { code, stdout, stderr } = await diff([app('web', twice)], [app('web', [eu, ...twice])]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^created HelmRelease.*\(on eu: new destination\)$/m);
    expect(stderr.match(/is rejected in the old files: /g)).toHaveLength(2);
    expect(stderr.match(/is rejected: /g)).toHaveLength(2);
  });

  it.each([
    ['the old files', 'in the old files, it is rejected: ', 0],
    ['the new files', 'it is rejected: ', 1],
  ])('says of an Application that is rejected in %s that nothing is known of it', async (_, says, index) => {
    const sides = [[app('web', [eu])], [app('web', [eu])]];
    sides[index] = [app('web', [])];
    const { code, stdout } = await diff(sides[0] ?? [], [...(sides[1] ?? []), app('new', [eu])]);
    expect(code).toBe(2);
    expect(stdout).toContain(`failed Application/shop/web (${says}`);
    expect(stdout).toContain('created Application/shop/new');
  });

  it('never shows the content of Secrets', async () => {
    const secret = (value: string): KubeObject & { stringData: object } => ({
      ...{ apiVersion: 'v1', kind: 'Secret', stringData: { value } },
      metadata: { name: 'eu', namespace: 'shop', labels: { 'gitops.kubesphere.io/cluster': 'true', tier: value } },
    });
    const destination = { clusterSelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' as const }] } };
    const web = app('web', [{ destination: { ...destination, targetNamespace: 'x' }, values: { a: 'b' } }]);
    const { code, stdout, stderr } = await diff([secret('hunter1'), web], [secret('hunter2'), web]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '1 unchanged\n', stderr: '' });
  });

  test.each(allSamples())('sample %s does not differ from itself', async (sample) => {
    const files = filesOfSample(sample).map((file) => path.resolve(file));
    const { code, stdout, stderr } = await run(files.flatMap((file) => ['-f', file, '--from-file', file]));
    expect(stdout).toMatch(/^\d+ unchanged\n$/);
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('fairlead diff of files refuses', () => {
  beforeAll(async () => {
    await mkdir(path.join(folder, 'empty'));
    await mkdir(path.join(folder, 'tree', 'below'), { recursive: true });
    const put = (name: string, content: string) => writeFile(path.join(folder, name), content);
    await put('web.yaml', text([app('web', [eu])]));
    await put('bad.yaml', text([app('web', [], { fluxApp: 1 })]));
    await put('pod.yaml', '{apiVersion: v1, kind: Pod, metadata: {name: a}}');
    await put('tree/web.yaml', text([app('web', [eu])]));
    await put('tree/pod.yaml', '{apiVersion: v1, kind: Pod, metadata: {name: a}}');
  });

  test.each<[string, RegExp]>([
    ['-f web.yaml', /cannot read kubeconfig \/nowhere: .*; choose another file with --kubeconfig/],
    [
      '-f web.yaml --no-cross-namespace-refs',
      /--no-cross-namespace-refs has no effect with -f and without --from-file/,
    ],
    ['--from-file web.yaml', /--from-file has no effect without -f/],
    ['', /name what to show/],
    ['web -f web.yaml --from-file web.yaml', /web: with -f, there is no name/],
    ['web --no-cross-namespace-refs', /--no-cross-namespace-refs has no effect without -f/],
    ['-f web.yaml --from-file web.yaml --from 1', /--from has no effect with -f/],
    ['-f web.yaml --from-file web.yaml --context a', /--context has no effect with -f/],
    ['-f - --from-file -', /only one side can be the standard input/],
    ['-f web.yaml --from-file none', /cannot read none: .*; choose another file with --from-file/],
    ['-f none --from-file web.yaml', /cannot read none: .*; choose another file with -f/],
    ['-f web.yaml --from-file empty', /there is no object in empty/],
    ['-f web.yaml -f web.yaml --from-file web.yaml', /web is in web.yaml and again in web.yaml/],
    ['-f pod.yaml --from-file pod.yaml', /there is no Application in pod.yaml, pod.yaml/],
    ['-f web.yaml --from-file bad.yaml', /the old files: Application shop\/web: spec\.fluxApp /],
    ['-f bad.yaml --from-file web.yaml', /the new files: Application shop\/web: spec\.fluxApp /],
  ])('%s', async (line, says) => {
    const { code, stdout, stderr } = await run(line === '' ? [] : line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
  });

  test('nothing that other objects are in between', async () => {
    const { code, stdout } = await run(['-f', 'tree', '--from-file', 'web.yaml']);
    expect([code, stdout]).toEqual([0, '1 unchanged\n']);
  });
});
