import { describe, expect, it } from '@jest/globals';
import { fateOf, isSelected, isUntouched } from '#controllers/application/model/clusters/leaving.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import {
  application,
  deploy,
  entriesOf,
  files,
  filesApplication,
  suspended,
  well,
  type Deploy,
  indexed,
} from '../builders.js';
import { central, inventory, own, selecting, toClusters } from './builders.js';

const PROD = { env: 'prod', granted: 'yes' };
const WEB = 'release web/web';

function childOn(cluster: Cluster, entry: Deploy = selecting({ env: 'prod' })): Child {
  const app = application([entry]);
  const [first] = entriesOf(app, inventory([cluster]));
  return desiredChild(app, first!, undefined).object;
}

function fate(child: Child, clusters: ClusterView, policy: 'Delete' | 'Orphan' = 'Delete', selections = [WEB]) {
  const input = { selections: new Set(selections), clusters: indexed(clusters), policy, replacedBy: () => undefined };
  return fateOf(child, input);
}

describe('a child that no entry matches', () => {
  const eu = own('eu', PROD);
  const granted = central('eu', PROD);
  const child = childOn(eu);
  const revoked = inventory([central('eu', { env: 'prod' })]);
  const unknown = { whyUnknown: () => 'clusters cannot be read' };
  const cases: Record<string, [Child, ClusterView, unknown]> = {
    'is uninstalled where its cluster no longer matches': [
      child,
      inventory([own('eu')]),
      { type: 'leaving', uninstalls: true },
    ],
    'is not uninstalled where its cluster is gone': [child, inventory([]), { type: 'leaving', uninstalls: false }],
    'is spared while it is unknown whether its cluster exists': [
      child,
      inventory([], unknown),
      { type: 'spared', why: 'because cluster eu may exist: clusters cannot be read', isUnknown: true },
    ],
    'is spared where the grant was taken back': [
      childOn(granted),
      revoked,
      { type: 'spared', why: 'because cluster eu is no longer granted to shop' },
    ],
    'is spared where the grant was taken back, which is named if it is known': [
      childOn(granted),
      { ...revoked, grantedBy: () => 'ClusterGrant edge as ServiceAccount tenants/deployer' },
      {
        type: 'spared',
        why: 'because cluster eu is no longer granted to shop, as it was by ClusterGrant edge as ServiceAccount tenants/deployer',
      },
    ],
    'is spared on a cluster that is paused': [child, inventory([{ ...eu, isPaused: true }]), { type: 'spared' }],
    'leaves as any other one on a cluster that is not ready': [
      child,
      inventory([{ ...eu, readiness: { state: 'NotReady', message: '' } }]),
      { type: 'leaving', uninstalls: true },
    ],
    'of a kubeconfig leaves if a selector replaced its entry': [
      childOn(eu, deploy('web', 'eu')),
      inventory([]),
      { type: 'leaving', uninstalls: true },
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [live, clusters, expected]) => {
    expect(fate(live, clusters)).toMatchObject(expected as object);
  });

  describe('and that was installed once', () => {
    const once = childOn(eu, selecting({ env: 'prod' }, undefined, { mode: 'Once' }));
    const installed = { ...once, metadata: { ...once.metadata, annotations: { ...once.metadata.annotations } } };
    installed.metadata.annotations['gitops.kubesphere.io/installed-once'] = '6.5.0';
    installed.spec = { ...once.spec, suspend: true };
    const unmatched = inventory([own('eu')]);

    it('stays as its record where its cluster may match again', () => {
      expect(fate(installed, unmatched)).toEqual({
        type: 'spared',
        why: 'because cluster eu may match again, and what was installed once is not installed again',
        isUnknown: false,
      });
    });

    it.each<[string, Child, ClusterView, string[]]>([
      ['with its selector', installed, unmatched, []],
      ['with its cluster', installed, inventory([]), [WEB]],
      ['before it was suspended', well(once), unmatched, [WEB]],
    ])('leaves %s, and nothing is uninstalled', (_, live, clusters, selections) => {
      expect(fate(live, clusters, 'Delete', selections)).toMatchObject({ type: 'leaving', uninstalls: false });
    });

    it('is uninstalled before its first success', () => {
      expect(fate(once, unmatched)).toMatchObject({ type: 'leaving', uninstalls: true });
    });
  });

  it('is not uninstalled with the policy Orphan', () => {
    expect(fate(child, inventory([own('eu')]), 'Orphan')).toMatchObject({ type: 'leaving', uninstalls: false });
  });

  it('of a selector is guarded whatever the spec says now', () => {
    const none: string[] = [];
    expect(fate(child, inventory([own('eu')]), 'Delete', none)).toMatchObject({ type: 'leaving', uninstalls: true });
    expect(fate(child, inventory([]), 'Delete', none)).toMatchObject({ type: 'leaving', uninstalls: false });
    expect(fate(child, inventory([], unknown), 'Delete', none)).toMatchObject({ type: 'spared', isUnknown: true });
    expect(fate(childOn(granted), revoked, 'Delete', none)).toMatchObject({ type: 'spared' });
  });

  it('of a named cluster goes with its entry, unless nothing may be done on the cluster', () => {
    const named = childOn(eu, toClusters({ clusterRef: { kind: 'Secret', namespace: 'shop', name: 'eu' } }));
    const of = (clusters: ClusterView) => fate(named, clusters, 'Delete', []);
    expect(of(inventory([eu]))).toEqual({ type: 'unguarded' });
    expect(of(inventory([{ ...eu, isPaused: true }]))).toMatchObject({ type: 'spared' });
    expect(of(inventory([], unknown))).toMatchObject({ type: 'spared', isUnknown: true });
  });
});

describe('a child of a selector', () => {
  const eu = own('eu', PROD);

  it('is known whatever its own release is called', () => {
    const child = childOn(eu);
    const renamed = { ...child, spec: { ...child.spec, releaseName: 'other' } };
    expect(isSelected(renamed, new Set([WEB]))).toBe(true);
  });

  it('of files is known whatever its entry is called', () => {
    const entry = (name: string) =>
      files('web', undefined, {
        name,
        destination: { targetNamespace: 'web', clusterSelector: { matchLabels: PROD } },
      });
    const app = filesApplication([entry('old')]);
    const [first] = entriesOf(app, inventory([eu]));
    const child = desiredChild(app, first!, undefined).object;
    const [renamed] = entriesOf(filesApplication([entry('new')]), inventory([eu]));
    expect(isSelected(child, new Set([renamed!.selection!]))).toBe(true);
  });

  it('is untouched until its removal begins', () => {
    const child = childOn(eu);
    const going = { ...child, metadata: { ...child.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect([child, suspended(child), going].map(isUntouched)).toEqual([true, false, false]);
  });
});
