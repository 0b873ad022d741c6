import { expect, it } from '@jest/globals';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { otherNames } from '#controllers/application/model/clusters/shared-cluster.js';
import { application, entriesOf, indexed, type Deploy } from '../builders.js';
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

function namesIn({ entries = [to('eu'), to('us')], uids, children = {}, accepting }: Situation) {
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
  return otherNames(all, childOf, { clusters: indexed(clusters), replaced: new Map(), agreed: new Map() });
}

function rejectedIn(situation: Situation) {
  return [...namesIn(situation).violations].map(([entry, { message }]) => [entry.clusterName, message] as const);
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
  'are names of one that has the release, and was not asked since the start': [
    { uids: { us: 'a' }, children: { eu: 'a' } },
    ['us'],
  ],
  'became names of one, as a replacement was accepted, of one that was not asked since the start': [
    { uids: { us: 'a' }, children: { eu: 'a', us: 'b' }, accepting: 'us' },
    ['us'],
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

const BOTH = { uids: { eu: 'a', us: 'a' }, children: { eu: 'a', us: '' } };
const THREE = [to('eu'), to('us'), to('ap')];
const WARNED: Record<string, [Situation, named: string[][]]> = {
  'that both have': [BOTH, [['eu', 'us']]],
  'that both have, while a third may not': [
    { ...BOTH, entries: THREE, uids: { ...BOTH.uids, ap: 'a' } },
    [['eu', 'us']],
  ],
  'that all of three have': [
    { entries: THREE, uids: { eu: 'a', us: 'a', ap: 'a' }, children: { eu: '', us: '', ap: 'a' } },
    [['eu', 'us', 'ap']],
  ],
  'that both have, and one was not asked since the start': [{ ...BOTH, uids: { us: 'a' } }, [['eu', 'us']]],
  'that only one has': [{ ...BOTH, children: { us: 'a' } }, []],
  'that none has': [{ uids: BOTH.uids }, []],
  'of other clusters': [{ ...BOTH, uids: { eu: 'a', us: 'b' } }, []],
  'of a cluster of which nothing is known': [{ ...BOTH, uids: { eu: 'a' } }, []],
  'of a cluster that was replaced': [{ ...BOTH, children: { eu: 'b', us: 'a' } }, []],
  'that two entries have under one name': [{ ...BOTH, entries: [to('eu'), to('eu')] }, []],
};

it.each(Object.entries(WARNED))('a release %s is warned of if two keep it', (_title, [situation, named]) => {
  const found = namesIn(situation).warnings.map((text) =>
    [...text.matchAll(/\(cluster (\w+)\)/g)].map(([, name]) => name),
  );
  expect(found).toEqual(named);
});

it('the warning names both fields and clusters, and the way out before what may be cut', () => {
  const field = 'spec.fluxApp.spec.config.helmRelease.deploy';
  expect(namesIn(BOTH).warnings).toEqual([
    `release web/web: deployed more than once under names of one cluster, with the UID a of namespace kube-system; remove or exclude all but one, and what is installed stays: ${field}[0] (cluster eu), ${field}[1] (cluster us)`,
  ]);
});
