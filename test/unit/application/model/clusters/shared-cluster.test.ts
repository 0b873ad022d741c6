import { expect, it } from '@jest/globals';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { sharedClusters } from '#controllers/application/model/clusters/shared-cluster.js';
import { desiredChild } from '#controllers/application/model/desired.js';
import type { Child, Entry } from '#controllers/application/model/types.js';
import { application, entriesOf, type Deploy } from '../builders.js';
import { inventory, own, toClusters } from './builders.js';

const to = (name: string, more: Partial<Deploy> = {}): Deploy =>
  toClusters({ clusterRef: { kind: 'Secret', name } }, more);
const CLUSTERS = [own('eu'), own('us'), own('ap')];

interface Situation {
  readonly entries?: Deploy[];
  /** By the name of the cluster. */
  readonly uids: Readonly<Record<string, string>>;
  /** The recorded UIDs of the children that exist; '': none is recorded. */
  readonly children?: Readonly<Record<string, string>>;
  /** The cluster that may be the one with the UID a. */
  readonly accepting?: string;
}

function rejectedIn({ entries = [to('eu'), to('us')], uids, children = {}, accepting }: Situation) {
  const annotations = { [ACCEPT_CLUSTER_UID_ANNOTATION]: 'a' };
  const known = CLUSTERS.map((each) => (each.id.name === accepting ? { ...each, annotations } : each));
  const clusters = inventory(known, { uidOf: (id) => uids[id.split('/').at(-1) ?? ''] });
  const app = application(entries);
  const all = entriesOf(app, clusters);
  const childOf = new Map<Entry, Child>();
  for (const entry of all) {
    const uid = children[entry.clusterName];
    if (uid === undefined) continue;
    const { object } = desiredChild(app, entry, undefined);
    const annotations = { ...object.metadata.annotations, ...(uid !== '' && { [CLUSTER_UID_ANNOTATION]: uid }) };
    childOf.set(entry, { ...object, metadata: { ...object.metadata, annotations } });
  }
  return [...sharedClusters(all, childOf, clusters)].map(
    ([entry, { message }]) => [entry.clusterName, message] as const,
  );
}

const CASES: Record<string, [Situation, rejected: string[]]> = {
  'are two clusters': [{ uids: { eu: 'a', us: 'b' } }, []],
  'are not known': [{ uids: {} }, []],
  'are names of one': [{ uids: { eu: 'a', us: 'a' } }, ['eu', 'us']],
  'are names of one, for different releases': [
    { entries: [to('eu', { releaseName: 'one' }), to('us', { releaseName: 'two' })], uids: { eu: 'a', us: 'a' } },
    [],
  ],
  'are names of one that has the release': [{ uids: { eu: 'a', us: 'a' }, children: { us: 'a' } }, ['eu']],
  'are names of one, and both have children': [{ uids: { eu: 'a', us: 'a' }, children: { eu: 'a', us: '' } }, []],
  'became names of one, as a replacement was not accepted': [
    { uids: { eu: 'a', us: 'a' }, children: { eu: 'b', us: 'a' } },
    [],
  ],
  'became names of one, as a replacement was accepted': [
    { uids: { eu: 'a', us: 'a' }, children: { eu: 'b', us: 'a' }, accepting: 'eu' },
    ['eu'],
  ],
  'are twice the same name, which is found without a UID': [{ entries: [to('eu'), to('eu')], uids: { eu: 'a' } }, []],
};

it.each(Object.entries(CASES))('two clusters of one release %s', (_title, [situation, rejected]) => {
  expect(rejectedIn(situation).map(([name]) => name)).toEqual(rejected);
});

it('the message names both entries and the cluster', () => {
  const [[, message] = []] = rejectedIn({ uids: { eu: 'a', us: 'a' } });
  expect(message).toMatch(/deploy\[0\].*deploy\[1\].* define the same release web\/\w+.*one cluster, with the UID a /);
});
