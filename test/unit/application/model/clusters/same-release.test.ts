import { describe, expect, it } from '@jest/globals';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  INSTALLED_ONCE_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import {
  certainUid,
  certainUidOf,
  mayLetGo,
  ReleasesByUid,
  whyShared,
} from '#controllers/application/model/clusters/same-release.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { liveReleaseKey } from '#controllers/application/model/destinations/identity.js';
import { INHERITED } from '../../../../support/inherited-names.js';
import { application, entriesOf, indexed, suspended, type Deploy } from '../builders.js';
import { inventory, own, toClusters } from './builders.js';

type Uids = Readonly<Partial<Record<'eu' | 'us', string>>>;

interface Situation {
  /** The UIDs that the clusters told last, and those that the children were made for. */
  readonly told: Uids;
  readonly recorded: Uids;
  /** The UID that is accepted for us. */
  readonly accepted?: string;
  readonly isAsked?: boolean;
  readonly releaseName?: string;
}

/** The entries on eu and us, and their children. */
function placed({ told, recorded, accepted, isAsked = false, releaseName = 'web' }: Situation) {
  const annotations = accepted === undefined ? {} : { [ACCEPT_CLUSTER_UID_ANNOTATION]: accepted };
  const nameIn = (id: string) => id.split('/').at(-1) as keyof Uids;
  const view = inventory([own('eu'), own('us', {}, { annotations })], {
    uidOf: (id) => told[nameIn(id)],
    isToBeAsked: (id) => isAsked && nameIn(id) === 'us',
  });
  const to = (name: string, more: Partial<Deploy>): Deploy =>
    toClusters({ clusterRef: { kind: 'Secret', name } }, more);
  const app = application([to('eu', { releaseName: 'web' }), to('us', { releaseName })]);
  const entries = entriesOf(app, view);
  const children = entries.map((entry): Child => {
    const { object } = desiredChild(app, entry, undefined);
    const uid = recorded[entry.clusterName as keyof Uids];
    const more = uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid };
    return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...more } } };
  });
  return { entries, children, clusters: indexed(view) };
}

/** The child that has the release of the one on eu, among the one on us and itself. */
function besideIn(situation: Situation): Child | undefined {
  const { children, clusters } = placed(situation);
  const releases = new ReleasesByUid(clusters, () => children.map((each) => [each, [liveReleaseKey(each)]]));
  return releases.beside(children[0]!);
}

describe('the UID of a cluster', () => {
  it.each<[string, Situation, (string | undefined)[]]>([
    ['is certain once it told it', { told: { eu: 'a', us: 'b' }, recorded: { us: 'b' } }, ['a', 'b']],
    ['is not known while it tells nothing', { told: {}, recorded: { us: 'b' } }, [undefined, undefined]],
    [
      'is open while it is to be asked',
      { told: { us: 'b' }, recorded: { us: 'b' }, isAsked: true },
      [undefined, undefined],
    ],
    [
      'is open for a child that was made for another one',
      { told: { us: 'b' }, recorded: { us: 'a' } },
      [undefined, undefined],
    ],
    ['is open for a child without one', { told: { us: 'b' }, recorded: {} }, [undefined, undefined]],
  ])('%s', (_, situation, expected) => {
    const { entries, children, clusters } = placed(situation);
    expect([certainUidOf(entries[0]!, clusters), certainUid(children[1]!, clusters)]).toEqual(expected);
  });
});

describe('a release under another name of its cluster', () => {
  it.each<[string, Situation, isFound: boolean]>([
    ['is found by what both tell', { told: { eu: 'a', us: 'a' }, recorded: {} }, true],
    ['is found by what was recorded', { told: {}, recorded: { eu: 'a', us: 'a' } }, true],
    ['is not found if one tells nothing', { told: { eu: 'a' }, recorded: { eu: 'a' } }, false],
    ['is not found on another cluster', { told: { eu: 'a', us: 'b' }, recorded: {} }, false],
    ['is another one', { told: { eu: 'a', us: 'a' }, recorded: {}, releaseName: 'x' }, false],
    ['is where a replaced cluster was', { told: { eu: 'a', us: 'b' }, recorded: { us: 'a' } }, true],
    ['is not where a replaced cluster is', { told: { eu: 'b', us: 'b' }, recorded: { eu: 'b', us: 'a' } }, false],
    ['is where the accepted cluster is', { told: { eu: 'b', us: 'b' }, recorded: { us: 'a' }, accepted: 'b' }, true],
    ['is not where it was', { told: { eu: 'a', us: 'b' }, recorded: { us: 'a' }, accepted: 'b' }, false],
    ['may be where it was while nothing answers', { told: { eu: 'a' }, recorded: { us: 'a' }, accepted: 'b' }, true],
    ['may be where it is accepted until then', { told: { eu: 'b' }, recorded: { us: 'a' }, accepted: 'b' }, true],
    [
      'may be where it was recorded while its cluster is asked again',
      { told: { eu: 'a', us: 'b' }, recorded: { us: 'a' }, accepted: 'b', isAsked: true },
      true,
    ],
  ])('%s', (_title, situation, isFound) => {
    expect(besideIn(situation) !== undefined).toBe(isFound);
  });

  it.each(INHERITED)('is not found by accident if the UID is %s', (uid) => {
    expect(besideIn({ told: { eu: uid, us: 'b' }, recorded: {} })).toBeUndefined();
    expect(besideIn({ told: { eu: uid, us: uid }, recorded: {} })).toBeDefined();
  });

  it('is named together with the way out', () => {
    const other = besideIn({ told: { eu: 'a', us: 'a' }, recorded: {} })!;
    expect(whyShared(other, other)).toMatch(
      /^remove or exclude one of the two entries: HelmRelease \S+ on us, another/,
    );
  });
});

describe('a child without an entry may leave its release without an uninstall', () => {
  const app = application([toClusters({ clusterRef: { kind: 'Secret', name: 'eu' } })]);
  const view = inventory([own('eu')], { uidOf: () => 'a' });
  const asking = inventory([own('eu')], { uidOf: () => 'a', isToBeAsked: () => true });
  const gone = inventory([]);
  const unknown = inventory([], { whyUnknown: () => 'it was not read' });
  const { object } = desiredChild(app, entriesOf(app, view)[0]!, undefined);
  const madeFor = (uid: string, more: Readonly<Record<string, string>> = {}): Child => {
    const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid, ...more };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  const once = madeFor('a', { [INSTALLED_ONCE_ANNOTATION]: '1.0.0' });
  const record: Child = { ...once, spec: { ...once.spec, suspend: true } };

  it.each<[string, Child, typeof view, boolean]>([
    ['not as long as its cluster is the one that it was made for', madeFor('a'), view, false],
    ['if it is suspended', suspended(madeFor('a')), view, true],
    ['if its cluster was replaced', madeFor('b'), view, true],
    ['if its cluster is to be asked', madeFor('a'), asking, true],
    ['if its cluster is gone', madeFor('a'), gone, true],
    ['not as long as it is not known whether its cluster is gone', madeFor('a'), unknown, false],
    ['not if it was installed once', suspended(once), view, false],
    ['not if it is the record of what was installed once: that stays', record, view, false],
  ])('%s', (_title, child, clusters, expected) => {
    expect(mayLetGo(child, indexed(clusters))).toBe(expected);
  });
});
