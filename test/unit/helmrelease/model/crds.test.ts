import { describe, expect, test } from '@jest/globals';
import { chartTraits } from '#controllers/helmrelease/model/chart-traits.js';
import { crdsOf, ownCrdTexts, withoutTemplates } from '#controllers/helmrelease/model/crds.js';

function crd(name: string): string {
  return `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
}

function file(name: string, text: string): { name: string; data: string } {
  return { name, data: Buffer.from(text).toString('base64') };
}

describe('the CRDs of a chart', () => {
  test('every document of every manifest in crds/ counts, whatever its comments say', () => {
    const rendered = `---\n# Source: x/templates/crd.yaml\n${crd('b')}---\n# Source: x/templates/crd.yaml\n${crd('c')}`;
    const files = [
      file('crds/a.YAML', crd('a')),
      file('crds/deep/b.yml', rendered),
      file('crds/d.json', '{"kind":"CustomResourceDefinition","metadata":{"name":"d"}}'),
      file('crds/README.md', '# none'),
      file('CRDs/e.yaml', crd('e')),
      file('files/crds/f.yaml', crd('f')),
    ];
    expect(crdsOf(ownCrdTexts({ files })).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a chart without other files has none', () => {
    expect(crdsOf(ownCrdTexts({ files: null }))).toEqual([]);
  });

  test('a file that cannot be read is named', () => {
    expect(() => crdsOf(ownCrdTexts({ files: [file('crds/a.yaml', 'a: [')] }))).toThrow(
      /^crds\/a\.yaml is not valid YAML: /,
    );
  });
});

test('withoutTemplates keeps what decides which CRDs there are', () => {
  const texts = [
    ...[
      'Chart.yaml',
      'values.yaml',
      'values.schema.json',
      'README.md',
      'requirements.yaml',
      'crds/a.yaml',
      'crds/a.md',
    ],
    ...['templates/crds/b.yaml', 'charts/kid/Chart.yaml', 'charts/kid/crds/c.json', 'charts/kid/templates/d.yaml'],
    ...['charts/packed-1.0.0.tgz/Chart.yaml', 'charts/packed-1.0.0.tgz/charts/in/crds/e.yml', 'charts/_not/Chart.yaml'],
    ...['charts/.not/Chart.yaml', '../Chart.yaml', 'charts/../crds/f.yaml'],
  ].map((path) => ({ path, text: path }));
  const kept = withoutTemplates(texts);
  expect(kept.map(({ text }) => text)).toEqual([
    ...['Chart.yaml', 'values.yaml', 'requirements.yaml', 'crds/a.yaml', 'charts/kid/Chart.yaml'],
    ...['charts/kid/crds/c.json', 'charts/packed-1.0.0.tgz/Chart.yaml', 'charts/packed-1.0.0.tgz/charts/in/crds/e.yml'],
  ]);
  expect(kept.every(({ path }) => /^(charts\/n\d+\/)*(\w+\.yaml|crds\/n\d+\.yaml)$/.test(path))).toBe(true);
  expect(new Set(kept.map(({ path }) => path)).size).toBe(kept.length);
});

test.each([
  ['none', ['templates/crds/a.yaml', 'crds/README.md', 'files/crds/a.yaml']],
  ['own', ['crds/a.yaml', 'charts/kid/templates/crds/a.yaml']],
  ['subcharts', ['crds/a.yaml', 'charts/kid/crds/a.json']],
  ['subcharts', ['charts/kid-1.0.0.tgz/charts/in/crds/a.yml', 'crds/a.yaml']],
])('crds are of: %s', (expected, paths) => {
  expect(
    chartTraits(
      'web',
      paths.map((path) => ({ path, text: '' })),
    ).crds,
  ).toBe(expected);
});
