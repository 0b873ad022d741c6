import { describe, expect, it } from '@jest/globals';
import { agreedUids, withUids } from '#controllers/application/model/clusters/replaced.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { digestIn } from '#controllers/application/model/child/metadata.js';
import type { Child, DesiredChild } from '#controllers/application/model/child/types.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { application, deploy, entriesOf, indexed } from '../builders.js';
import { inventory, own, selecting } from './builders.js';

/** In an inventory that answers like this. */
const withUid = (
  desired: DesiredChild,
  uidOf: ClusterView['uidOf'],
  view = inventory([EU]),
  agreed: ReadonlyMap<string, string> = new Map(),
): DesiredChild => withUids([desired], indexed({ ...view, uidOf }), agreed)[0]!;
const EU = own('eu', { env: 'prod' });
const APP = application([selecting({ env: 'prod' })]);

function childOf(live?: Child) {
  const [entry] = entriesOf(APP, inventory([EU]));
  return desiredChild(APP, entry!, live);
}

/** The child as it is when it was written for the cluster with this UID. */
function recorded(uid: string | undefined): Child {
  const { object } = childOf();
  const annotations = { ...object.metadata.annotations, ...(uid !== undefined && { [CLUSTER_UID_ANNOTATION]: uid }) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

describe('the UID of the cluster of a child', () => {
  it.each<[string, Child | undefined, string | undefined, string | undefined]>([
    ['is recorded for a new one', undefined, 'a', 'a'],
    ['is recorded once it is known', recorded(undefined), 'a', 'a'],
    ['stays while it is not known', recorded('a'), undefined, 'a'],
    ['stays when another cluster answers', recorded('a'), 'b', 'a'],
    ['is not invented', undefined, undefined, undefined],
    ['stays even if somebody emptied it', recorded(''), undefined, ''],
  ])('%s', (_title, live, now, expected) => {
    const asked: string[] = [];
    const uidOf = (id: string): string | undefined => {
      asked.push(id);
      return now;
    };
    const before = childOf(live);
    const { object } = withUid(before, uidOf);
    expect(recordedUid(object)).toBe(expected);
    expect(digestIn(object)).toBe(digestIn(before.object));
    expect(asked.every((id) => id === '/Secret/shop/eu')).toBe(true);
  });

  it('is that of the new cluster for a child that changes it', () => {
    const other = recorded('a');
    const annotations = { ...other.metadata.annotations, 'gitops.kubesphere.io/cluster-id': '/Secret/shop/us' };
    const live = { ...other, metadata: { ...other.metadata, annotations } };
    expect(recordedUid(withUid(childOf(live), () => 'b').object)).toBe('b');
  });

  it('is that of the cluster that is accepted in its place, and of no other', () => {
    const accepting = (uid: string) => inventory([{ ...EU, annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: uid } }]);
    const uidAfter = (accepted: string, now: string | undefined) =>
      recordedUid(withUid(childOf(recorded('a')), () => now, accepting(accepted)).object);
    expect([uidAfter('b', 'b'), uidAfter('c', 'b'), uidAfter('b', undefined)]).toEqual(['b', 'a', 'a']);
  });

  it('is that of the other children for a new one while nothing answers, if they agree', () => {
    const uidAmong = (...siblings: Child[]) =>
      recordedUid(withUid(childOf(), () => undefined, undefined, agreedUids(siblings)).object);
    expect(uidAmong(recorded('a'), recorded(undefined), recorded('a'))).toBe('a');
    expect(uidAmong(recorded('a'), recorded('b'))).toBeUndefined();
    expect(recordedUid(withUid(childOf(), () => 'c', undefined, agreedUids([recorded('a')])).object)).toBe('c');
  });

  it('is none on the host', () => {
    const app = application([deploy('web')]);
    const desired = desiredChild(app, entriesOf(app)[0]!, undefined);
    expect(withUid(desired, () => 'a')).toBe(desired);
  });
});
