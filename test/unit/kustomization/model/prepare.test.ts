import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { prepare, type BuildSpec } from '#controllers/kustomization/model/kustomization-file.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { treeOf } from './builders.js';

const OUTSIDE = { 'app/x.yaml': '', 'patch.yaml': 'p', 'github.com/o/r/kustomization.yaml': '', 'https:/h/x.yaml': '' };

function written(file: unknown, files: Record<string, string> = {}, spec: BuildSpec = { path: 'app' }): unknown {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  const prepared = prepare(treeOf({ ...OUTSIDE, ...files, 'app/kustomization.yaml': text }), spec);
  return parseYaml(prepared.files.get('app/kustomization.yaml') ?? '');
}

describe('is refused before kustomize runs', () => {
  const plugin = (config: object): string => JSON.stringify({ metadata: { name: 'p' }, ...config });
  test.each<[string, object | string, string]>([
    ['a resource above the source', { resources: ['../../x'] }, 'resources[0] "../../x" leads out of the source'],
    ['an absolute resource', { resources: ['/etc/passwd'] }, 'leads out of the source'],
    ['a base above', { bases: ['../..'] }, 'leads out of the source'],
    ['a component above', { components: ['../../c'] }, 'leads out of the source'],
    ['a CRD file above', { crds: ['../../c'] }, 'leads out of the source'],
    ['a configuration above', { configurations: ['../../c'] }, 'leads out of the source'],
    ['a schema above', { openapi: { path: '../../etc/hostname' } }, 'openapi.path "../../etc/hostname" leads out'],
    ['a patch above', { patches: [{ path: '../../p' }] }, 'patches[0].path "../../p" leads out'],
    ['a JSON patch above', { patchesJson6902: [{ path: '../../p' }] }, 'patchesJson6902[0].path'],
    ['a strategic patch above', { patchesStrategicMerge: ['../../p'] }, 'patchesStrategicMerge[0]'],
    ['a replacement above', { replacements: [{ path: '../../p' }] }, 'replacements[0].path'],
    ['a file of a generator', { configMapGenerator: [{ name: 'a', files: ['k=../../p'] }] }, 'leads out of the source'],
    ['an env file', { secretGenerator: [{ name: 'a', envs: ['/proc/self/environ'] }] }, 'secretGenerator[0].envs[0]'],
    ['the old env file', { secretGenerator: [{ name: 'a', env: '../../p' }] }, 'secretGenerator[0].env '],
    ['a field of Go in another case', { configMapGenerator: [{ name: 'a', FILES: ['x'] }] }, 'FILES is not supported'],
    ['a field in another case', { Resources: ['x.yaml'] }, 'Resources is not a field that is supported'],
    ['an unknown field', { surprises: [] }, 'surprises is not a field that is supported: remove it'],
    ['a remote base', { resources: ['https://github.com/o/r//base?ref=v1'] }, 'is remote, which is not supported'],
    ['a remote base over ssh', { resources: ['git@github.com:o/r.git'] }, 'is remote'],
    ['a file that is not there', { resources: ['y.yaml'] }, 'is no file or folder of the source'],
    ['a list that is none', { resources: 'x.yaml' }, 'resources is not a list'],
    ['a path that is none', { resources: [7] }, 'resources[0] is not a path'],
    ['charts', { helmCharts: [{ name: 'x' }] }, 'helmCharts is not supported: create a HelmRelease'],
    ['the old charts', { helmChartInflationGenerator: [{}] }, 'create a HelmRelease'],
    ['a program', { generators: [plugin({ apiVersion: 'x/v1', kind: 'Exec' })] }, 'generators[0] is "x/v1 Exec"'],
    [
      'a builtin that inflates charts',
      { generators: [plugin({ apiVersion: 'builtin', kind: 'HelmChartInflationGenerator' })] },
      'only these builtins are run',
    ],
    [
      'a builtin with a file above',
      { transformers: [plugin({ apiVersion: 'builtin', kind: 'PatchTransformer', path: '../../../p' })] },
      'transformers[0].path "../../../p" leads out',
    ],
    ['a folder of transformers', { transformers: ['../github.com/o/r'] }, 'is no file of the source'],
    ['what is no YAML', 'a: [', 'app/kustomization.yaml is not valid YAML'],
    ['what is no map', '- a', 'app/kustomization.yaml is not a map'],
  ])('%s', (_title, file, message) => {
    expect(() => written(file)).toThrow(message);
    expect(() => written(file)).toThrow('app/kustomization.yaml');
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'a loop of bases',
      { 'app/kustomization.yaml': '{resources: [../b]}', 'b/kustomization.yaml': '{resources: [../app]}' },
      'bases form a loop: app -> b -> app',
    ],
    [
      'a base without its file',
      { 'app/kustomization.yaml': '{bases: [../b]}', 'b/x.yaml': '' },
      'no kustomization file',
    ],
    ['two files in a folder', { 'app/kustomization.yaml': '', 'app/Kustomization': '' }, 'remove one of them'],
    ['a file of megabytes', { 'app/kustomization.yaml': `#${'x'.repeat(2 ** 20)}` }, 'has more than 1048576 bytes'],
  ])('%s', (_title, files, message) => {
    expect(() => prepare(treeOf(files), { path: 'app' })).toThrow(message);
  });

  test('bases that are read more often than anybody means', () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `b${index}/kustomization.yaml`,
        JSON.stringify(index === 19 ? {} : { resources: [`../b${index + 1}`, `../b${index + 1}`] }),
      ]),
    );
    expect(() => prepare(treeOf(files), { path: 'b0' })).toThrow('1000 folders at most');
  });

  test.each([
    ['../x', 'spec.path "../x" leads out of the source'],
    ['nowhere', 'kustomization path not found'],
  ])('spec.path %s', (path, message) => {
    expect(() => prepare(treeOf(OUTSIDE), { path })).toThrow(message);
  });
});

test('references are written so that they can only be files of the source', () => {
  const file = {
    resources: ['../github.com/o/r', '../https:/h/x.yaml', 'x.yaml'],
    patches: [{ path: '../patch.yaml', target: { kind: 'A' } }],
    patchesStrategicMerge: ['../patch.yaml', 'kind: A'],
    configMapGenerator: [{ name: 'c', files: ['../patch.yaml', 'k=x.yaml'], literals: ['a=b'] }],
    openapi: { path: 'x.yaml' },
  };
  expect(written(file)).toEqual({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['../github.com/o/r', '../https:/h/x.yaml', './x.yaml'],
    patches: [{ path: '../patch.yaml' }, { patch: 'kind: A' }, { path: '../patch.yaml', target: { kind: 'A' } }],
    configMapGenerator: [{ name: 'c', files: ['patch.yaml=../patch.yaml', 'k=./x.yaml'], literals: ['a=b'] }],
    openapi: { path: './x.yaml' },
  });
});

test('a configuration of a builtin becomes a file of its own', () => {
  const config = { apiVersion: 'builtin', kind: 'PatchTransformer', metadata: { name: 'p' }, path: '../patch.yaml' };
  const text = JSON.stringify({ transformers: [JSON.stringify(config)] });
  const { files } = prepare(treeOf({ ...OUTSIDE, 'app/kustomization.yaml': text }), { path: '/app/' });
  expect(parseYaml(files.get('app/.fairlead-transformers-0.yaml') ?? '')).toEqual(config);
});

test.each([
  ['{resources: []}', true],
  ['{resources: [], configMapGenerator: [{name: a}]}', false],
  ['{}', false],
])('%s says that there is nothing: %s', (text, expected) => {
  expect(prepare(treeOf({ 'kustomization.yaml': text }), {}).saysEmpty).toBe(expected);
});

test('whatever a kustomization file refers to, nothing outside of the source is left in it', () => {
  const ref = fc.constantFrom(
    'x.yaml',
    '../patch.yaml',
    '../../p',
    '/etc/passwd',
    'https://h/x',
    '..',
    '.',
    'a/../../../p',
  );
  const refs = fc.array(ref, { maxLength: 2 });
  const file = fc.record(
    { resources: refs, bases: refs, crds: refs, patches: fc.array(fc.record({ path: ref }), { maxLength: 2 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(file, (value) => {
      try {
        expect(JSON.stringify(written(value))).not.toMatch(/"\/|\.\.\/\.\.|:\/\//);
      } catch (error: unknown) {
        expect(String(error)).toMatch(/kustomization\.yaml|loop|folder/);
      }
    }),
  );
});

describe('a folder with the name of a kustomization file', () => {
  test('is a folder', () => {
    const { files } = prepare(treeOf({ 'Kustomization/a.yaml': '', 'sub/kustomization.yml/b.yaml': '' }), {});
    const resources = ['./Kustomization/a.yaml', './sub/kustomization.yml/b.yaml'];
    expect(parseYaml(files.get('kustomization.yaml') ?? '')).toMatchObject({ resources });
  });

  test('is refused where the file would be generated', () => {
    const source = treeOf({ 'kustomization.yaml/a.yaml': '' });
    expect(() => prepare(source, {})).toThrow('kustomization.yaml is a folder, and must be a file: rename it');
  });
});

test('a build that ends with the namespace leaves out what may depend on it', () => {
  const file = { resources: ['x.yaml'], replacements: [], vars: [], transformers: [], validators: [], images: [] };
  expect(written(file, {}, { path: 'app', untilNamespace: true })).toMatchObject({ images: [] });
  const left = Object.keys(written(file, {}, { path: 'app', untilNamespace: true }) as object); // as it was parsed
  expect(left.filter((name) => ['replacements', 'vars', 'transformers', 'validators'].includes(name))).toEqual([]);
  expect(written(file)).toHaveProperty('vars');
});
