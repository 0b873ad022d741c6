import { describe, expect, test } from '@jest/globals';
import { readRendered } from '#controllers/helmrelease/model/manifest.js';
import {
  fromKustomize,
  kustomizationOf,
  kustomizers,
  planPostRender,
  toKustomize,
  withStrategyHint,
} from '#controllers/helmrelease/model/post-render.js';
import { parseYaml } from '#lib/yaml/yaml.js';

const OUTPUT = `---
# Source: web/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations:
    mine: stays
---
# Source: web/templates/hook.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  annotations:
    helm.sh/hook: pre-install
`;
const chart = readRendered(OUTPUT, []);

describe('post renderers see', () => {
  test.each([
    [undefined, [true, true], ''],
    ['combined', [true, true], ''],
    ['nohooks', [true, false], 'web/templates/hook.yaml'],
    ['separate', [true, false], ''],
  ] as const)('with strategy %s the right part in the first go', (strategy, [object, hook], passedBy) => {
    const { goes, passedBy: rest } = planPostRender(chart, strategy);
    expect([goes[0]?.includes('config.yaml'), goes[0]?.includes('hook.yaml')]).toEqual([object, hook]);
    expect(rest).toContain(passedBy);
    expect(rest === '').toBe(passedBy === '');
    expect(goes).toHaveLength(strategy === 'separate' ? 2 : 1);
  });
});

const TWICE = 'may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]';

test.each([
  ['that all see hooks', TWICE, undefined, true],
  ['that see hooks on their own', TWICE, 'separate', false],
  ['that see no hooks', TWICE, 'nohooks', false],
  ['that fail otherwise', 'no such file', undefined, false],
] as const)(
  'an object that is there twice for post renderers %s is told with the way out',
  (_title, text, strategy, hinted) => {
    const way = ': if one of them is a hook of the chart, set spec.postRenderStrategy: separate, or nohooks';
    expect(withStrategyHint(text, chart, strategy)).toBe(hinted ? `${text}${way}` : text);
    expect(withStrategyHint(text, { hooks: [] }, strategy)).toBe(text);
  },
);

test('unchanged objects are printed as before, each under its file', () => {
  const [go = ''] = planPostRender(chart, undefined).goes;
  expect(toKustomize(go)).toContain('postrenderer.helm.sh/postrender-filename: web/templates/config.yaml');
  const back = fromKustomize(toKustomize(go));
  expect(back).not.toContain('postrender-filename');
  const again = readRendered(back, []);
  expect(again.manifest).toBe(chart.manifest);
  expect(again.hooks).toEqual(chart.hooks);
});

test('a list is split, and an object that kustomize created has its own file', () => {
  const list =
    '---\n# Source: web/list.yaml\nkind: List\nitems:\n  - {apiVersion: v1, kind: Secret, metadata: {name: x}}\n';
  expect(toKustomize(list).match(/kind: Secret/g)).toHaveLength(1);
  expect(toKustomize(list)).not.toContain('kind: List');
  expect(fromKustomize('apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n')).toContain(
    '# Source: post-rendered.yaml',
  );
});

test('nothing gives nothing', () => {
  expect([toKustomize(''), fromKustomize('')]).toEqual(['', '']);
});

test('the kustomization holds patches and images as they are', () => {
  const patches = [{ target: { kind: 'ConfigMap' }, patch: '- {op: remove, path: /data}' }];
  const images = [{ name: 'nginx', newTag: '2' }];
  expect(parseYaml(kustomizationOf({ patches, images }, 'all.yaml'))).toEqual({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['all.yaml'],
    patches,
    images,
  });
});

test('post renderers without kustomize change nothing', () => {
  const spec = { interval: '10m', postRenderers: [{}, { kustomize: {} }] };
  expect(kustomizers(spec)).toEqual([{}]);
});
