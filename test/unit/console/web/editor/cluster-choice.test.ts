import { describe, expect, test } from '@jest/globals';
import {
  clusterHint,
  clusterSuggestions,
  matchWords,
  namedClusterEdit,
  selectorEdits,
  selectorOfValue,
  type KnownCluster,
} from '#console/web/editor/model/cluster-choice.js';
import { formOf } from '#console/web/editor/model/application-form.js';

function cluster(kind: string, name: string, more: Partial<KnownCluster> = {}): KnownCluster {
  const of = { apiGroup: '', namespace: 'shop', state: 'Ready' as const, version: '', labels: {} };
  return { kind, name, ...of, ...more };
}

const KUBESPHERE = cluster('Cluster', 'ks', { apiGroup: 'cluster.kubesphere.io', namespace: '' });
const ITEMS = [
  cluster('Secret', 'eu', { labels: { env: 'prod', tier: 'edge' }, version: '1.34' }),
  cluster('Secret', 'us', { labels: { env: 'test' } }),
  cluster('Secret', 'far', { namespace: 'other' }),
  cluster('Cluster', 'capi', { apiGroup: 'cluster.x-k8s.io', labels: { env: 'prod' } }),
  cluster('Secret', 'capi'),
  cluster('ClusterProfile', 'shown', { labels: { env: 'prod' } }),
  cluster('', 'named'),
  KUBESPHERE,
];
const all = (items: readonly KnownCluster[]) => ({ items, total: items.length });
const CLUSTERS = all(ITEMS);
/** One page of many. */
const SOME = { items: ITEMS, total: 812 };

function destination(target: object) {
  const spec = { fluxApp: { spec: { config: { helmRelease: { deploy: [{ destination: target }] } } } } };
  const [found] = formOf({ spec }).destinations;
  if (found === undefined) throw new Error('no destination');
  return found;
}
const ref = (name = '') => destination({ clusterRef: { kind: 'Cluster', name } });
const secret = destination({ kubeConfig: { secretRef: { name: '' } } });

describe('what is offered', () => {
  test('are the clusters that an object describes and that can be deployed to', () => {
    expect(clusterSuggestions(CLUSTERS, ref(), 'shop')).toEqual(['capi', 'eu', 'far', 'ks', 'us']);
  });

  test('are Secrets of the own namespace, for a kubeconfig', () => {
    expect(clusterSuggestions(CLUSTERS, secret, 'shop')).toEqual(['capi', 'eu', 'us']);
  });
});

describe('a cluster that is named', () => {
  const valueOf = (name: string, items: readonly KnownCluster[] = ITEMS) =>
    namedClusterEdit(ref(), name, { clusters: all(items), namespace: 'shop' });

  test.each<[string, string, object]>([
    ['of the own namespace', 'eu', { kind: 'Secret', name: 'eu' }],
    ['of another one', 'far', { kind: 'Secret', name: 'far', namespace: 'other' }],
    ['of KubeSphere', 'ks', { kind: 'Cluster', name: 'ks' }],
  ])('%s is named whole', (_, name, value) => {
    expect(valueOf(name)).toMatchObject({ value });
  });

  test('of Cluster API says so', () => {
    const only = ITEMS.filter(({ kind }) => kind !== 'Secret');
    expect(valueOf('capi', only)).toMatchObject({
      value: { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', name: 'capi' },
    });
  });

  test.each(['capi', 'unknown'])('%s, of which nobody knows which it is, keeps what was there besides', (name) => {
    const edit = valueOf(name);
    expect([edit.path.at(-1), 'value' in edit && edit.value]).toEqual(['name', name]);
  });
});

test.each([
  ['', ''],
  ['eu', 'Secret, Ready, Kubernetes 1.34; env=prod, tier=edge'],
  ['us', 'Secret, Ready; env=test'],
  ['capi', 'There are 2 of this name: kind, apiGroup and namespace in the YAML say which one.'],
  ['named', 'You may read no cluster of this name.'],
])('the hint for %j', (name, hint) => {
  expect(clusterHint(CLUSTERS, ref(name))).toBe(hint);
});

describe('labels', () => {
  test.each<[string, object]>([
    ['env=prod', { matchLabels: { env: 'prod' } }],
    [
      'env=prod,tier in (edge,core),!old',
      {
        matchLabels: { env: 'prod' },
        matchExpressions: [
          { key: 'tier', operator: 'In', values: ['edge', 'core'] },
          { key: 'old', operator: 'DoesNotExist', values: undefined },
        ],
      },
    ],
  ])('%s are edited as text', (text, wanted) => {
    const edits = selectorEdits(['s'], text);
    if ('problem' in edits) throw new Error(edits.problem);
    const value: unknown = Object.fromEntries(
      edits.map((edit) => [edit.path[1], 'value' in edit ? edit.value : undefined]),
    );
    expect(value).toEqual(wanted);
    expect(selectorOfValue(wanted)?.text).toBe(text);
  });

  test('of two values for one key, none is lost', () => {
    expect(selectorEdits(['s'], 'a=1,a=2')).toMatchObject([
      { value: undefined },
      { value: [{ values: ['1'] }, { values: ['2'] }] },
    ]);
  });

  test.each(['a b', '-=x', 'a in (-)'])('%j is refused', (text) => {
    expect(selectorEdits(['s'], text)).toMatchObject({ problem: expect.stringMatching(/./) });
  });

  test.each([[null], [{ matchExpressions: [{ key: 'a', operator: 'Odd' }] }], [{ matchExpressions: 1 }]])(
    '%j is left to the YAML',
    (value) => {
      expect(selectorOfValue(value)).toBeUndefined();
      expect(matchWords(CLUSTERS, value)).toBe('Its labels are edited in the YAML.');
    },
  );
});

test.each<[string, object, string]>([
  ['one', { matchLabels: { env: 'test' } }, '1 that you may read has them now: us.'],
  ['several', { matchLabels: { env: 'prod' } }, '2 that you may read have them now: capi, eu.'],
  ['all but one', { matchLabels: { env: 'prod' }, exclude: ['eu'] }, '1 that you may read has them now: capi.'],
  ['none', { matchLabels: { env: 'x' } }, 'No cluster that you may read has these labels now.'],
  ['all', { matchLabels: {} }, 'Without labels it is refused: it could only mean all clusters.'],
])('labels that %s has', (_, selector, words) => {
  expect(matchWords(CLUSTERS, selector)).toBe(words);
});

describe('clusters that are not all known', () => {
  test('are not said to be missing until they are read', () => {
    expect(clusterHint(undefined, ref('eu'))).toBe('');
    expect(matchWords(undefined, { matchLabels: { env: 'x' } })).toBe('Which clusters have them now is not known.');
    expect(clusterSuggestions(undefined, ref(), 'shop')).toEqual([]);
  });

  test('are counted as those that they are', () => {
    const part = 'of the first 8 of 812 clusters that you may read';
    expect(clusterHint(SOME, ref('far-off'))).toBe(`None ${part} has this name.`);
    expect(clusterHint(SOME, ref('us'))).toBe('Secret, Ready; env=test');
    expect(matchWords(SOME, { matchLabels: { env: 'x' } })).toBe(`None ${part} has these labels now.`);
    expect(matchWords(SOME, { matchLabels: { env: 'test' } })).toBe(`1 ${part} has them now: us.`);
  });
});
