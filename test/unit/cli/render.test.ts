import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import type { KubeObject } from '#api/meta.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { allSamples, filesOfSample, manifestsIn } from '../../support/samples.js';

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without a cluster, and without a kubeconfig that could name one. */
function render(args: readonly string[], input = ''): Promise<Ended> {
  const program = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
  const env = { ...process.env, KUBECONFIG: '/nowhere', NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, 'render', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

function flagsOf(files: readonly string[]): string[] {
  return files.flatMap((file) => ['-f', file]);
}

function byName(objects: readonly unknown[]): Map<string, unknown> {
  const known = objects as readonly KubeObject[]; // what the program prints
  return new Map(known.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}

/** The expected objects of the samples do not say which template they are from. */
function comparable(object: unknown): unknown {
  const { metadata, ...rest } = object as KubeObject; // what the program prints
  const { annotations = {}, labels = {}, ...others } = metadata;
  const isOurs = (name: string): boolean => !/\/template(-namespace|-revision)?$|applied-digest$/.test(name);
  const plain = (map: Record<string, string>) =>
    Object.fromEntries(Object.entries(map).filter(([name]) => isOurs(name)));
  return { ...rest, metadata: { ...others, annotations: plain(annotations), labels: plain(labels) } };
}

describe('fairlead render', () => {
  it.each(allSamples())('makes of sample %s the children in its folder expected', async (sample) => {
    const expected = manifestsIn(path.join('samples', sample, 'expected')).flatMap((file) =>
      parseYamlDocuments(readFileSync(file, 'utf8')),
    );
    const children = [...byName(expected)].filter(([name]) => /^(HelmRelease|Kustomization)\//.test(name));
    const { code, stdout, stderr } = await render(flagsOf(filesOfSample(sample)));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rendered = byName(parseYamlDocuments(stdout));
    expect(children.length).toBeGreaterThan(0);
    for (const [name, child] of children) expect(comparable(rendered.get(name))).toEqual(comparable(child));
  });

  const app = (spec: object): string =>
    JSON.stringify({ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name: 'a' }, spec });
  const chart = { chart: 'web', version: '1.0.0' };
  const sourceRef = { kind: 'HelmRepository', name: 'charts' };
  const of = (helmRelease: object): string =>
    app({ fluxApp: { spec: { source: { sourceRef }, config: { helmRelease } } } });

  it.each<[string, string, RegExp]>([
    ['no Application', '{apiVersion: v1, kind: Pod, metadata: {name: a}}', /there is no Application in -/],
    ['a wrong type', of({ chart, deploy: 'all' }), /Application default\/a: spec\.fluxApp.*helmRelease\.deploy/],
    [
      'no spec',
      '{apiVersion: gitops.kubesphere.io/v1alpha1, kind: Application, metadata: {name: a}}',
      /default\/a: spec /,
    ],
    ['a wrong version', of({ chart: { ...chart, version: '>>1' }, deploy: [{ destination: {} }] }), /">>1" is neither/],
    [
      'no such template',
      of({ template: 'none', deploy: [{ destination: {} }] }),
      /there is no HelmTemplate default\/none/,
    ],
  ])('refuses %s, and prints nothing', async (_, input, says) => {
    const { code, stdout, stderr } = await render(['-f', '-'], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
  });

  it('prints what is well, and says what is rejected', async () => {
    const deploy = [
      { destination: { targetNamespace: 'x' } },
      { destination: { targetNamespace: 'x' } },
      { destination: { targetNamespace: 'y' } },
    ];
    const { code, stdout, stderr } = await render(['-f', '-', '-n', 'shop'], of({ chart, deploy }));
    expect(code).toBe(1);
    expect(load(stdout)).toMatchObject({
      kind: 'HelmRelease',
      metadata: { namespace: 'shop' },
      spec: { targetNamespace: 'y' },
    });
    expect(stderr.match(/is rejected: /g)).toHaveLength(2);
  });

  it('says that no cluster matches, of a folder without clusters', async () => {
    const { code, stdout, stderr } = await render(['-f', path.join(PACKAGE_ROOT, 'samples', '12-rollout')]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/destination\.clusterSelector: no cluster matches$/m);
  });

  it('prints a List as JSON, with the null that deletes a value', async () => {
    const deploy = [{ destination: { targetNamespace: 'x' }, values: { a: null, b: 1 } }];
    const { stdout } = await render(['-f', '-', '-o', 'json'], of({ chart, deploy }));
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'List', items: [{ spec: { values: { a: null, b: 1 } } }] });
  });
});
