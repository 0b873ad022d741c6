import { describe, expect, it } from '@jest/globals';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION, HALTED_ANNOTATION } from '#api/v1alpha1/labels.js';
import { otherNames } from '#controllers/application/model/clusters/shared-cluster.js';
import { decide } from '#controllers/application/model/decide.js';
import { desiredChild } from '#controllers/application/model/desired.js';
import type { Child, Entry } from '#controllers/application/model/types.js';
import { validate } from '#controllers/application/model/validate.js';
import { application, entriesOf, NO_TEMPLATES, observed, suspended, type Deploy } from '../builders.js';
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
  return [...otherNames(all, childOf, clusters).violations].map(
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

describe('the child of a cluster without an entry', () => {
  const app = application([to('eu')]);
  const both = application([to('eu'), to('us')]);
  const viewOf = (uids: Readonly<Record<string, string>>, accepting?: string) =>
    inventory(
      CLUSTERS.map((each) =>
        each.id.name === accepting ? { ...each, annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: 'a' } } : each,
      ),
      { uidOf: (id) => uids[id.split('/').at(-1) ?? ''] },
    );
  const made = (recorded: Readonly<Record<string, string>>) =>
    entriesOf(both, viewOf({})).map((entry) => {
      const { object } = desiredChild(both, entry, undefined);
      const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: recorded[entry.clusterName]! };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
  const planFor = (owned: readonly Child[], clusters: ReturnType<typeof viewOf>) => {
    const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
    if (validation === 'pending') throw new Error('there is no template');
    const { steps, halting } = decide({ ...observed(app, owned), validation, clusters });
    return [...halting.map(({ op }) => op), ...steps.map(({ op }) => op)];
  };

  it('goes without an uninstall while another name of the cluster has its release', () => {
    const [eu, us] = made({ eu: 'a', us: 'a' });
    expect(planFor([eu!, us!], viewOf({ eu: 'a', us: 'a' }))).toEqual(['keep', 'suspend']);
    expect(planFor([eu!, suspended(us!)], viewOf({ eu: 'a', us: 'a' }))).toEqual(['keep', 'delete']);
    expect(planFor([us!], viewOf({ eu: 'a', us: 'a' }))).toEqual(['create', 'suspend']);
    expect(planFor([eu!, us!], viewOf({}))).toEqual(['keep', 'suspend']);
    expect(planFor(made({ eu: 'a', us: 'b' }), viewOf({ eu: 'a', us: 'b' }))).toEqual(['keep', 'delete']);
  });

  it('is not resumed for that', () => {
    const [eu, us] = made({ eu: 'a', us: 'b' });
    const annotations = { ...us!.metadata.annotations, [HALTED_ANNOTATION]: 'a' };
    const halted = { ...us!, metadata: { ...us!.metadata, annotations }, spec: { ...us!.spec, suspend: true } };
    expect(planFor([eu!, halted], viewOf({ eu: 'a', us: 'a' }))).toEqual(['keep', 'spare']);
    expect(planFor([eu!, halted], viewOf({ eu: 'a', us: 'a' }, 'us'))).toEqual(['keep', 'delete']);
  });
});
