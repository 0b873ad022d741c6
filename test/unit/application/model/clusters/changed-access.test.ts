import { describe, expect, it } from '@jest/globals';
import { changedAccess } from '#controllers/application/model/child/cluster.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { application, deploy, entriesOf } from '../builders.js';
import { central, inventory, own, selecting } from './builders.js';

const LABELS = { env: 'prod', granted: 'yes' };
const APP = application([selecting({ env: 'prod' })]);
const HOST = { isHost: true };

function entriesOn(...clusters: Cluster[]): readonly Entry[] {
  return entriesOf(APP, inventory(clusters));
}

function childrenOn(...clusters: Cluster[]): Child[] {
  return entriesOn(...clusters).map((entry) => desiredChild(APP, entry, undefined).object);
}

describe('the way to a cluster', () => {
  it.each<[string, Cluster, Cluster, string]>([
    [
      'that became the host',
      central('eu', LABELS),
      central('eu', LABELS, HOST),
      'cluster eu is now reached as the host, but ',
    ],
    [
      'that is the host no longer',
      central('eu', LABELS, HOST),
      central('eu', LABELS),
      'cluster eu is now reached with the Secret cluster-eu-',
    ],
  ])('%s is not changed for its children', (_title, before, after, message) => {
    const [child] = childrenOn(before);
    const [entry] = entriesOn(after);
    const access = changedAccess([entry!], [child!]);
    expect(access.violationOf(entry!)).toMatchObject({ reason: 'ClusterChanged' });
    expect(access.violationOf(entry!)?.message).toContain(message);
    expect(access.whyStays(child!)).toMatch(/^because cluster \S+ is now reached /);
  });

  it('is that of its children otherwise, whatever becomes of other clusters', () => {
    const children = childrenOn(own('eu', LABELS), central('us', LABELS));
    const entries = entriesOn(own('eu', LABELS), central('us', LABELS, HOST));
    const access = changedAccess(entries, children);
    expect(entries.map((entry) => access.violationOf(entry)?.reason)).toEqual([undefined, 'ClusterChanged']);
    expect(children.map((child) => access.whyStays(child) !== undefined)).toEqual([false, true]);
  });

  it('does not matter without an entry or without the inventory', () => {
    const plain = entriesOf(application([deploy('web')]), inventory([]));
    const children = childrenOn(central('eu', LABELS));
    const access = changedAccess(plain, children);
    expect(access.violationOf(plain[0]!)).toBeUndefined();
    expect(access.whyStays(children[0]!)).toBeUndefined();
  });
});
