import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  expand,
  type Expansion,
  MAX_REQUIREMENTS,
  MAX_SELECTORS,
} from '#controllers/application/model/destinations/expand.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';
import { application, deploy, entriesOf, files, filesApplication, type Deploy } from '../builders.js';
import { central, inventory, own, selecting, toClusters } from './builders.js';

const PROD = { env: 'prod' };
const CLUSTERS = [
  own('eu', PROD),
  own('us', PROD, { readiness: { state: 'NotReady', message: 'no route' }, isPaused: true }),
  own('stage', { env: 'stage' }),
  central('granted', { ...PROD, granted: 'yes' }),
  central('secret', PROD),
  central('host', { granted: 'yes', env: 'host' }, { isHost: true }),
];

function expanded(entries: Deploy[], clusters: readonly Cluster[] = CLUSTERS) {
  const expansion: Expansion = expand(draftsOf(application(entries)), 'shop', inventory(clusters));
  if ('violation' in expansion) throw new Error(expansion.violation.message);
  return expansion;
}

function clusterNames(entries: Deploy[], clusters?: readonly Cluster[]): (string | undefined)[] {
  return expanded(entries, clusters).drafts.map(({ clusterName }) => clusterName);
}

describe('the clusters of an entry', () => {
  const eu = { kind: 'Secret', name: 'eu' } as const;
  const cases: Record<string, [Deploy, string[]]> = {
    'are all that match a selector, ready or not, paused or not, and may be used': [
      selecting(PROD),
      ['eu', 'us', 'granted'],
    ],
    'are not those that are excluded': [selecting(PROD, ['us']), ['eu', 'granted']],
    'are none if nobody matches': [selecting({ env: 'none' }), []],
    'match by expressions': [
      toClusters({ clusterSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: ['stage'] }] } }),
      ['stage'],
    ],
    'may be named in the own namespace': [toClusters({ clusterRef: eu }), ['eu']],
    'may be named if they are granted': [toClusters({ clusterRef: { kind: 'Cluster', name: 'granted' } }), ['granted']],
  };
  it.each(Object.entries(cases))('%s', (_, [entry, names]) => {
    expect(clusterNames([entry])).toEqual(names);
    expect(expanded([entry]).violations).toEqual(new Map());
  });

  it('give each entry a path, a credential and a name of its own', () => {
    const entries = entriesOf(application([selecting(PROD)]), inventory(CLUSTERS));
    const path = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
    expect(entries.map((entry) => entry.path)).toEqual([
      `${path} (cluster eu)`,
      `${path} (cluster us)`,
      `${path} (cluster granted)`,
    ]);
    expect(entries.map(({ specPath }) => specPath)).toEqual([path, path, path]);
    expect(entries.map(({ kubeConfig }) => kubeConfig?.secretRef?.name)).toEqual([
      'eu',
      'us',
      expect.stringMatching(/^cluster-granted-/),
    ]);
    expect(entries.map(({ key, clusterName }) => [key, clusterName])).toEqual([
      ['eu-web', 'eu'],
      ['us-web', 'us'],
      ['granted-web', 'granted'],
    ]);
    expect(new Set(entries.map(({ childName }) => childName)).size).toBe(3);
  });

  it('may be the host, which needs no credential', () => {
    const [entry] = entriesOf(application([selecting({ env: 'host' })]), inventory(CLUSTERS));
    expect(entry).toMatchObject({ kubeConfig: undefined, clusterName: 'host', release: { cluster: '' } });
  });

  it('are those of the Application unless the entry names its own, in whichever way', () => {
    const base = application([
      toClusters({ clusterRef: eu }),
      deploy('web', 'raw'),
      { destination: { targetNamespace: 'web' } },
    ]);
    const { spec } = base.spec.fluxApp!;
    const shared = { ...spec, destination: { clusterSelector: { matchLabels: { env: 'stage' } } } };
    const app = { ...base, spec: { ...base.spec, fluxApp: { spec: shared } } };
    expect(entriesOf(app, inventory(CLUSTERS)).map(({ clusterName }) => clusterName)).toEqual(['eu', 'raw', 'stage']);
  });

  it('are found for files as for charts', () => {
    const app = filesApplication([
      files('web', undefined, { destination: { clusterSelector: { matchLabels: PROD } } }),
    ]);
    const entries = entriesOf(app, inventory(CLUSTERS));
    expect(entries.map(({ clusterName, release }) => [clusterName, release.kind])).toEqual([
      ['eu', 'Kustomization'],
      ['us', 'Kustomization'],
      ['granted', 'Kustomization'],
    ]);
  });

  it('are as they were excluded, with the names that exclude nothing', () => {
    const [selection] = expanded([selecting(PROD, ['us', 'stage', 'secret', 'nobody'])]).selections;
    expect(selection?.excluded.map(({ id }) => id.name)).toEqual(['us']);
    expect(selection?.unknown).toEqual(['stage', 'secret', 'nobody']);
  });
});

describe('a destination that cannot be used', () => {
  const cases: Record<string, [Deploy, string, string]> = {
    'names a cluster that does not exist': [
      toClusters({ clusterRef: { kind: 'Cluster', name: 'eu' } }),
      'ClusterNotFound',
      'clusterRef: Cluster eu does not exist, or is not granted to shop: correct the reference, or ask for a ClusterGrant',
    ],
    'names a cluster that is not granted, in the same words': [
      toClusters({ clusterRef: { kind: 'Cluster', name: 'secret' } }),
      'ClusterNotFound',
      'clusterRef: Cluster secret does not exist, or is not granted to shop: correct the reference, or ask for a ClusterGrant',
    ],
    'gives a namespace to a kind without': [
      toClusters({ clusterRef: { kind: 'Cluster', name: 'eu', namespace: 'shop' } }),
      'ClusterRefInvalid',
      'clusterRef.namespace: a Cluster of KubeSphere has none',
    ],
    'has an empty selector': [
      toClusters({ clusterSelector: {} }),
      'ClusterSelectorInvalid',
      'clusterSelector is empty',
    ],
    'has a selector with exclusions only': [
      toClusters({ clusterSelector: { matchLabels: {}, exclude: ['eu'] } }),
      'ClusterSelectorInvalid',
      'clusterSelector is empty',
    ],
    'has a requirement that cannot hold': [
      toClusters({ clusterSelector: { matchExpressions: [{ key: 'env', operator: 'In' }] } }),
      'ClusterSelectorInvalid',
      'clusterSelector.matchExpressions[0].values: In needs values',
    ],
    'names the kubeconfig that was made for a cluster, and so evades its grant': [
      toClusters({ kubeConfig: { secretRef: { name: 'cluster-granted-di2rpvh2x6' } }, targetNamespace: 'kube-system' }),
      'AccessDenied',
      'kubeConfig.secretRef.name: Secrets with names like "cluster-granted-di2rpvh2x6" are the controller\'s own, made for granted clusters: use clusterRef',
    ],
    'names clusters in two ways': [
      toClusters({ kubeConfig: { secretRef: { name: 'eu' } }, clusterSelector: { matchLabels: PROD } }),
      'DestinationAmbiguous',
      'sets kubeConfig and clusterSelector: keep one of them',
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [entry, reason, message]) => {
    const { drafts, violations } = expanded([entry]);
    expect(drafts).toHaveLength(1);
    expect(violations.get(drafts[0]?.path ?? '')).toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  it('names the grant that was taken back, whether the cluster is still there or not', () => {
    const by = 'ClusterGrant edge as ServiceAccount tenants/deployer';
    const view = inventory(CLUSTERS, { grantedBy: () => by });
    const messages = ['secret', 'eu'].map((name) => {
      const drafts = draftsOf(application([toClusters({ clusterRef: { kind: 'Cluster', name } })]));
      const expansion = expand(drafts, 'shop', view);
      return 'violation' in expansion ? '' : [...expansion.violations.values()].map(({ message }) => message).join();
    });
    expect(messages).toEqual(
      ['secret', 'eu'].map((name) =>
        expect.stringContaining(
          `clusterRef: Cluster ${name} is no longer granted to shop, as it was by ${by}, or does not exist any more: what`,
        ),
      ),
    );
  });

  it('says why it may exist', () => {
    const view = inventory(CLUSTERS, { whyUnknown: () => 'clusters cannot be read' });
    const [named] = Object.values(cases);
    const expansion = expand(draftsOf(application([named![0]])), 'shop', view);
    const violations = 'violation' in expansion ? [] : [...expansion.violations.values()];
    expect(violations).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/ \(clusters cannot be read\)$/) }),
    ]);
  });

  it('is never the host, nor another such one', () => {
    const wrong = Object.values(cases).map(([entry]) => entry);
    const entries = entriesOf(application([...wrong, deploy('web')]), inventory(CLUSTERS));
    expect(new Set(entries.map(({ release }) => release.cluster)).size).toBe(entries.length);
  });

  it('is refused with the others if there are too many selectors', () => {
    const entries = Array.from({ length: MAX_SELECTORS + 1 }, () => selecting(PROD));
    const expansion = expand(draftsOf(application(entries)), 'shop', inventory(CLUSTERS));
    expect(expansion).toMatchObject({ violation: { reason: 'TooManyDestinations' } });
  });

  it('is refused with the others if they select too many clusters', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => own(`c${index}`, PROD));
    const entries = Array.from({ length: 10 }, () => selecting(PROD));
    const expansion = expand(draftsOf(application(entries)), 'shop', inventory(many));
    expect(expansion).toMatchObject({ violation: { reason: 'TooManyDestinations' } });
  });
});

describe('an expansion', () => {
  const env = fc.constantFrom('prod', 'stage', 'test');
  const made = fc
    .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), env), { selector: ([name]) => name, maxLength: 12 })
    .map((list) => list.map(([name, value]) => own(name, { env: value })));
  const entries = fc.array(
    env.map((value) => selecting({ env: value })),
    { minLength: 1, maxLength: 3 },
  );

  it('has each cluster once per entry', () => {
    fc.assert(
      fc.property(made, entries, (clusters, list) => {
        const paths = expanded(list, clusters).drafts.map(({ path }) => path);
        expect(new Set(paths).size).toBe(paths.length);
        for (const { matched } of expanded(list, clusters).selections) {
          expect(new Set(matched).size).toBe(matched.length);
        }
      }),
    );
  });

  it('does not depend on the order of the clusters', () => {
    fc.assert(
      fc.property(made, entries, (clusters, list) => {
        const pathsOf = (all: readonly Cluster[]): string[] =>
          expanded(list, all)
            .drafts.map(({ path }) => path)
            .sort();
        expect(pathsOf([...clusters].reverse())).toEqual(pathsOf(clusters));
      }),
    );
  });
});

describe('the selectors of one Application', () => {
  const notIn = (values: string[], count: number): Deploy =>
    toClusters({
      clusterSelector: {
        matchExpressions: [
          ...Array.from(
            { length: count - 1 },
            (_, index) => ({ key: `k${index}`, operator: 'NotIn', values }) as const,
          ),
          { key: 'env', operator: 'In', values: ['nowhere'] },
        ],
      },
    });

  it('have a limited number of requirements together', () => {
    const half = notIn(['x'], MAX_REQUIREMENTS / 2);
    const [few, many] = [
      [half, half],
      [half, half, selecting(PROD)],
    ].map((entries) => expand(draftsOf(application(entries)), 'shop', inventory(CLUSTERS)));
    expect(few).toHaveProperty('drafts');
    expect(many).toMatchObject({
      violation: { reason: 'TooManyDestinations', message: expect.stringMatching(/1001 requirements .* 1000: use/) },
    });
  });

  it('are compared with thousands of clusters at little cost, however many values they list', () => {
    const clusters = Array.from({ length: 2_000 }, (_, index) => own(`c${index}`, { k0: `of-${index}`, env: 'prod' }));
    const values = Array.from({ length: 1_000 }, (_, index) => `value-${index}`);
    const entries = Array.from({ length: MAX_SELECTORS }, () => notIn(values, 10));
    const cost = cpuMsOf(() => expect(expanded(entries, clusters).drafts).toEqual([]));
    expect(cost).toBeLessThan(5_000);
  });
});
