import { describe, expect, test } from '@jest/globals';
import { isKept, objectsOf, readRendered, type Hook } from '#controllers/helmrelease/model/manifest.js';
import { hooksFor } from '#controllers/helmrelease/actions/hooks.js';
import { parseYaml } from '#lib/yaml/yaml.js';

const OUTPUT = `---
# Source: web/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
data:
  text: |
    --- not a separator
  mode: "0644"
---
# Source: web/templates/empty.yaml
# only a comment
---
# Source: web/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
---
# Source: web/templates/tests/web.yaml
apiVersion: v1
kind: Pod
metadata:
  name: web-test
  annotations:
    "helm.sh/hook": test-success, Pre-Install
    "helm.sh/hook-weight": "-5"
    "helm.sh/hook-delete-policy": hook-succeeded,before-hook-creation
`;

describe('readRendered', () => {
  const rendered = readRendered(OUTPUT, [{ labels: { app: 'common', team: 'a' } }, { labels: { team: 'b' } }]);

  test('the manifest has the objects in order, each with its source', () => {
    expect(rendered.manifest.match(/^# Source: .*$/gm)).toEqual([
      '# Source: web/templates/config.yaml',
      '# Source: web/templates/deployment.yaml',
    ]);
  });

  test('every object gets the labels, the last layer wins', () => {
    const labels = objectsOf(rendered.manifest).map(({ metadata }) => metadata.labels);
    expect(labels).toEqual([
      { app: 'common', team: 'b' },
      { app: 'common', team: 'b' },
    ]);
  });

  test('content survives', () => {
    expect(objectsOf(rendered.manifest)[0]).toMatchObject({ data: { text: '--- not a separator\n', mode: '0644' } });
  });

  test('hooks are separated from objects, with Helm’s fields', () => {
    expect(rendered.hooks).toEqual([
      {
        name: 'web-test',
        kind: 'Pod',
        path: 'web/templates/tests/web.yaml',
        manifest: expect.stringContaining('name: web-test'),
        events: ['test', 'pre-install'],
        last_run: { phase: '' },
        weight: -5,
        delete_policies: ['hook-succeeded', 'before-hook-creation'],
      },
    ]);
    expect(parseYaml(rendered.hooks[0]?.manifest ?? '')).toMatchObject({ metadata: { labels: { team: 'b' } } });
  });

  test('nothing rendered is an empty manifest', () => {
    expect(readRendered('\n', [])).toEqual({ manifest: '', hooks: [], notes: '' });
  });

  test.each<[string, string]>([
    ['names a file of crds/ as its source', '# Source: web/crds/a.yaml\nkind: ConfigMap\nmetadata: {name: a}\n'],
    [
      'has a separator after what is no line break for Go',
      'kind: ConfigMap\nmetadata: {name: a}\ndata:\n  text: |\n    x\u2028---\n    # Source: web/crds/b.yaml\n',
    ],
  ])('a template that %s is one object of the release', (_name, text) => {
    const { manifest } = readRendered(`---\n# Source: web/templates/a.yaml\n${text}`, []);
    expect(manifest.match(/^# Source: .*$/gm)).toEqual(['# Source: web/templates/a.yaml']);
    expect(objectsOf(manifest)).toHaveLength(1);
  });
});

test('lists are taken apart, also when they are decorated', () => {
  const output = `---
# Source: web/templates/list.yaml
apiVersion: v1
kind: ConfigMapList
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
`;
  const objects = objectsOf(readRendered(output, [{ labels: { team: 'a' } }]).manifest);
  expect(objects.map(({ metadata }) => metadata)).toEqual([
    { name: 'a', labels: { team: 'a' } },
    { name: 'b', labels: { team: 'a' } },
  ]);
});

test.each(['', 'null', '""', '~'])(
  'an object with namespace: %s names none, but is stored as it was printed',
  (text) => {
    const output = `---\n# Source: web/templates/a.yaml\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ${text}\n`;
    const { manifest } = readRendered(output, [{ labels: { team: 'a' } }]);
    expect(manifest).toMatch(/namespace: (null|""|'')\n/);
    expect(objectsOf(manifest)).toEqual([{ kind: 'ConfigMap', metadata: { name: 'a', labels: { team: 'a' } } }]);
  },
);

test('an object without metadata is left for the server to reject', () => {
  expect(
    objectsOf('kind: ConfigMap\nmetadata:\n---\nkind: AList\nitems: [{kind: A}, {kind: B, metadata: null}]\n'),
  ).toEqual([
    { kind: 'ConfigMap', metadata: {} },
    { kind: 'A', metadata: {} },
    { kind: 'B', metadata: {} },
  ]);
});

test.each([
  ['keep', true],
  [' Keep ', true],
  ['delete', false],
])('resource-policy %s: kept is %s', (policy, expected) => {
  const metadata = { name: 'a', annotations: { 'helm.sh/resource-policy': policy } };
  expect(isKept({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).toBe(expected);
});

test('hooks of an event run by weight, then name', () => {
  const hook = (name: string, weight: number, event: 'test' | 'pre-install' = 'test'): Hook => ({
    name,
    weight,
    events: [event],
    last_run: { phase: '' },
  });
  const hooks = [hook('b', 1), hook('z', -1), hook('a', 1), hook('x', 0, 'pre-install')];
  expect(hooksFor(hooks, 'test').map(({ name }) => name)).toEqual(['z', 'a', 'b']);
});

test('notes come out of their document, and are no object', () => {
  const output = '---\n# Source: web/templates/00-fairlead-notes.yaml\nnotes: "Hi \\u003cyou\\u003e\\n---\\nbye"\n';
  expect(readRendered(output, [{ labels: { team: 'a' } }])).toEqual({
    ...{ manifest: '', hooks: [] },
    notes: 'Hi <you>\n---\nbye',
  });
});
