import { describe, expect, test } from '@jest/globals';
import { explanationGroups } from '#queries/plans/explanation-groups.js';
import type { ExplainedValue } from '#controllers/application/model/destinations/personal-values.js';
import { destinations, many, PATH, value } from './explained.js';

describe('destinations of one entry', () => {
  test('are one group if their values are from the same layers, also if expressions and templates make them differ', () => {
    const groups = explanationGroups(
      destinations(many, (name) => [
        value('host', `${name}.example.com`, { written: '${{ cluster.name }}.example.com' }),
        value('zone', name, { from: `${PATH}.valuesTemplate` }),
        value('replicas', 3),
      ]),
      undefined,
    );
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      ...{ entry: PATH, kind: 'HelmRelease', state: 'Explained', clusters: many },
      notRead: ['values.yaml of chart web'],
    });
    const [host, zone, replicas] = groups[0]?.values ?? [];
    expect(host).toMatchObject({ path: ['host'], from: PATH, expression: '${{ cluster.name }}.example.com' });
    expect(host?.perCluster?.slice(0, 2)).toEqual([
      { cluster: 'edge-0', value: 'edge-0.example.com' },
      { cluster: 'edge-1', value: 'edge-1.example.com' },
    ]);
    expect(zone?.perCluster).toHaveLength(1_000);
    expect(replicas).toEqual({ path: ['replicas'], value: 3, from: PATH });
  });

  test.each<[title: string, one: ExplainedValue, other: ExplainedValue]>([
    ['another layer', value('a', 1), value('a', 1, { from: `${PATH}.overrides[0]` })],
    ['another path', value('a', 1), value('b', 1)],
    ['another value of the layer, as of another entry', value('a', false), value('a', null)],
    ['something replaced', value('a', 1), value('a', 1, { overrode: { value: 0, from: 'default' } })],
  ])('are two groups with %s', (_, one, other) => {
    const groups = explanationGroups(
      destinations(['eu', 'us'], (name) => [name === 'eu' ? one : other]),
      undefined,
    );
    expect(groups.map(({ clusters }) => clusters)).toEqual([['eu'], ['us']]);
  });

  test('that are rejected for the same reason are one group, in their place', () => {
    const rejected = explanationGroups(
      destinations(
        ['eu', 'us', 'xx'],
        () => [value('a', 1)],
        (name) =>
          name === 'xx'
            ? {}
            : { violation: { reason: 'ValuesInvalid', message: `${PATH} (cluster ${name}).valuesTemplate: no` } },
      ),
      undefined,
    );
    expect(rejected).toMatchObject([
      { state: 'Rejected', reason: 'ValuesInvalid', message: `${PATH}.valuesTemplate: no`, clusters: ['eu', 'us'] },
      { state: 'Explained', clusters: ['xx'] },
    ]);
    expect(rejected[0]?.values).toEqual([]);
  });

  test('are incomplete without helm', () => {
    const [group] = explanationGroups(
      destinations(['eu'], () => [value('a', 1)]),
      'no helm',
    );
    expect(group).toMatchObject({ state: 'Incomplete', reason: 'NotRendered', message: 'no helm' });
  });

  test('say which layer they replaced, but no value if that differs', () => {
    const of = (name: string) => [
      value('a', 1, { from: `${PATH}.overrides[0]`, overrode: { value: name, from: `${PATH}.valuesTemplate` } }),
    ];
    const [group] = explanationGroups(destinations(['eu', 'us'], of), undefined);
    expect(group?.values[0]).toMatchObject({ value: 1, overrode: { from: `${PATH}.valuesTemplate` } });
    expect(group?.values[0]?.overrode).not.toHaveProperty('value');
  });
});
