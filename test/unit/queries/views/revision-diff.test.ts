import { describe, expect, it } from '@jest/globals';
import type { FluxApplicationSpec, RevisionContent } from '#api/v1alpha1/application.js';
import { revisionChanges, revisionDifferences } from '#queries/views/revision-diff.js';
import { deploy, SOURCE } from '../../application/model/builders.js';

type Values = Record<string, unknown>;

function content(version: string | undefined, values: Values, revision?: number): RevisionContent {
  const chart = { chart: 'podinfo', ...(version === undefined ? {} : { version }) };
  const spec: FluxApplicationSpec = {
    source: SOURCE,
    config: { helmRelease: { chart, deploy: [deploy('prod', 'eu', { values })] } },
  };
  const inUse = { kind: 'HelmTemplate' as const, namespace: 'shop', name: 'web', revision };
  return { spec, templates: revision === undefined ? {} : { 'a.b': { ...inUse, revision } } };
}

describe('two revisions', () => {
  it('differ by fields of the Application', () => {
    const [from, to] = [content('1.0.0', { a: 1, gone: 'x' }), content('1.1.0', { a: 2, new: { b: true } })];
    expect(revisionDifferences(from, to)).toEqual([
      { path: '/spec/fluxApp/spec/config/helmRelease/chart/version', old: '1.0.0', new: '1.1.0' },
      { path: '/spec/fluxApp/spec/config/helmRelease/deploy/0/values/a', old: 1, new: 2 },
      { path: '/spec/fluxApp/spec/config/helmRelease/deploy/0/values/gone', old: 'x', new: undefined },
      { path: '/spec/fluxApp/spec/config/helmRelease/deploy/0/values/new', old: undefined, new: { b: true } },
    ]);
  });

  it.each<[string, RevisionContent, RevisionContent, string[]]>([
    ['nothing', content('1.0.0', { a: 1 }), content('1.0.0', { a: 1 }), []],
    [
      'the version first',
      content('1.0.0', { a: 1 }),
      content('1.1.0', { a: 2 }),
      ['chart version 1.0.0 -> 1.1.0', 'config.helmRelease.deploy[0].values.a'],
    ],
    ['a version that was none', content(undefined, {}), content('1.1.0', {}), ['chart version * -> 1.1.0']],
    ['a template', content('1.0.0', {}, 1), content('1.0.0', {}, 2), ['templates["a.b"].revision']],
    [
      'a key with a slash',
      content('1.0.0', {}),
      content('1.0.0', { 'a/b~c': 's3cret' }),
      ['config.helmRelease.deploy[0].values["a/b~c"]'],
    ],
    [
      'a value that is called as a version is',
      content('1.0.0', { chart: { version: 's3cret' } }),
      content('1.0.0', { chart: { version: 'other' } }),
      ['config.helmRelease.deploy[0].values.chart.version'],
    ],
  ])('are described by %s, and never by values', (_, from, to, changes) => {
    expect(revisionChanges(from, to)).toEqual(changes);
  });
});
