import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '#api/meta.js';
import type { Cluster, ClusterId } from '#controllers/cluster/model/cluster.js';
import {
  clustersOfSecret,
  isLabelEdit,
  isOutdating,
  isProbeNews,
  nextProbe,
  probedId,
  probeKey,
  type Finding,
  type Probed,
} from '#controllers/cluster/model/probe.js';

const ID: ClusterId = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name: 'eu' };
const REACHED: Probed = { reachability: 'Reachable', uid: 'one', failures: 0 };
const DOWN: Finding = { reachability: 'Unreachable', message: 'connection refused' };

function reached(uid: string | undefined): Finding {
  return { reachability: 'Reachable', server: 'https://eu:6443', version: 'v1.33.1', uid };
}

function cluster(more: Partial<Cluster> = {}): Cluster {
  return {
    ...{ id: ID, labels: {}, annotations: {}, facts: {}, kubernetesVersion: undefined, isPaused: false, isHost: false },
    readiness: { state: 'Ready', message: '' },
    credential: { type: 'kubeconfig-secret', namespace: 'fleet', name: 'eu-kubeconfig', key: 'value' },
    ...more,
  };
}

describe('the key of a probe', () => {
  const ids: readonly ClusterId[] = [
    ID,
    { apiGroup: 'cluster.kubesphere.io', kind: 'Cluster', namespace: undefined, name: 'eu' },
    { apiGroup: '', kind: 'Secret', namespace: 'fleet', name: 'eu' },
  ];

  test.each(ids)('leads back to the cluster: %j', (id) => expect(probedId(probeKey(id))).toEqual(id));

  test('begins with the namespace, between which the queue is fair', () => {
    expect(probeKey(ID)).toBe('fleet/cluster.x-k8s.io/Cluster/eu');
  });
});

describe('the clusters of a Secret', () => {
  test('are itself, and the Cluster of Cluster API whose kubeconfig has its name', () => {
    expect(clustersOfSecret('fleet', 'eu-kubeconfig')).toEqual([
      { apiGroup: '', kind: 'Secret', namespace: 'fleet', name: 'eu-kubeconfig' },
      ID,
    ]);
    expect(clustersOfSecret('fleet', 'eu')).toHaveLength(1);
  });
});

describe('others wait for the answer of a cluster', () => {
  const notReady = cluster({ readiness: { state: 'NotReady', message: '' } });
  const cases: readonly (readonly [string, Cluster | undefined, Cluster | undefined, boolean])[] = [
    ['that is new', undefined, cluster(), true],
    ['whose credential is elsewhere', cluster({ credential: { type: 'inline', version: '1' } }), cluster(), true],
    ['that can be asked from now on', notReady, cluster(), true],
    ['but not if it cannot be asked any more', cluster(), notReady, false],
    ['but not for a label', cluster(), cluster({ labels: { a: '1' } }), false],
  ];

  test.each(cases)('%s', (_title, before, after, expected) => expect(isOutdating(before, after)).toBe(expected));
});

describe('a kubeconfig is the same as before', () => {
  const secret = (metadata: object): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name: 'eu', namespace: 'fleet', labels: { env: 'prod' }, resourceVersion: '1', ...metadata },
  });
  const [before, labels] = [secret({}), { env: 'test' }];

  test.each<[string, KubeObject | undefined, KubeObject, boolean]>([
    ['if only labels of its Secret were written', before, secret({ labels, resourceVersion: '2' }), true],
    ['but not if nothing else than its data may have been', before, secret({ resourceVersion: '2' }), false],
    ['nor if an annotation changed', before, secret({ resourceVersion: '2', annotations: { hash: 'b' } }), false],
    ['nor if one changed as well', before, secret({ labels, annotations: { hash: 'b' } }), false],
    ['nor if the Secret is another one', before, secret({ labels, uid: '2' }), false],
    ['nor if the Secret is new', undefined, secret({}), false],
  ])('%s', (_title, was, is, expected) => expect(isLabelEdit(was, is)).toBe(expected));
});

describe('a cluster is probed at once', () => {
  const cases: readonly (readonly [string, Cluster | undefined, Cluster | undefined, boolean])[] = [
    ['if it is new', undefined, cluster(), true],
    ['if it is gone, so that it is forgotten', cluster(), undefined, true],
    ['if it becomes ready', cluster({ readiness: { state: 'NotReady', message: '' } }), cluster(), true],
    ['if its credential is elsewhere', cluster({ credential: { type: 'inline', version: '1' } }), cluster(), true],
    ['but not if a label flaps', cluster({ labels: { env: 'prod' } }), cluster({ labels: { env: 'test' } }), false],
  ];

  test.each(cases)('%s', (_title, before, after, expected) => expect(isProbeNews(before, after)).toBe(expected));
});

describe('what a probe means', () => {
  const cases: readonly (readonly [string, Probed | undefined, Finding, readonly string[], Partial<Probed>])[] = [
    ['nothing, the first time', undefined, reached('one'), [], REACHED],
    ['nothing if it fails the first time', undefined, DOWN, [], { reachability: 'Unreachable', failures: 1 }],
    ['a Warning if the cluster answered before', REACHED, DOWN, ['ClusterUnreachable'], { uid: 'one', failures: 1 }],
    ['nothing if it fails again', { ...REACHED, reachability: 'Unreachable', failures: 3 }, DOWN, [], { failures: 4 }],
    [
      'that it answers again',
      { ...REACHED, reachability: 'Unreachable', failures: 3 },
      reached('one'),
      ['ClusterReachable'],
      { failures: 0 },
    ],
    ['a Warning if it is another cluster', REACHED, reached('two'), ['ClusterReplaced'], { uid: 'two' }],
    [
      'a Warning if another cluster answers after a failure',
      { ...REACHED, reachability: 'Unreachable', failures: 1 },
      reached('two'),
      ['ClusterReachable', 'ClusterReplaced'],
      { uid: 'two' },
    ],
    ['nothing if it may not say who it is', REACHED, reached(undefined), [], { uid: 'one' }],
    [
      'nothing if there is no credential any more',
      REACHED,
      { reachability: 'NoCredential', message: '' },
      [],
      { failures: 1 },
    ],
  ];

  test.each(cases)('%s', (...[, before, finding, reasons, probed]) => {
    const next = nextProbe(before, finding, 0);
    expect(next.events.map(({ reason }) => reason)).toEqual(reasons);
    expect(next.probed).toMatchObject(probed);
  });

  test('is never a probe within five seconds, nor none within a quarter of an hour', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.boolean(),
        (failures, random, down) => {
          const finding: Finding = down ? DOWN : reached('one');
          const { afterMs } = nextProbe({ ...REACHED, failures }, finding, random);
          expect(afterMs).toBeGreaterThanOrEqual(5_000);
          expect(afterMs).toBeLessThanOrEqual(900_000);
        },
      ),
    );
  });
});
