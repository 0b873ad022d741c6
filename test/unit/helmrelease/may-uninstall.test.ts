import { describe, expect, test } from '@jest/globals';
import { isSnapshotOf, ownerOf, sharedRevision } from '#controllers/helmrelease/may-uninstall.js';
import type { StoredRevision } from '#controllers/helmrelease/model/release.js';
import type { Snapshot } from '#controllers/helmrelease/model/snapshot.js';
import { record, snapshot } from './model/builders.js';

function revision(version: number, origin?: string): StoredRevision {
  return { version, status: 'deployed', secretName: `v${version}`, resourceVersion: '1', origin, untouched: true };
}

test.each<[string, Partial<StoredRevision>, string]>([
  ['marked as ours', { origin: 'shop/web', originUid: 'here' }, 'own'],
  ['marked as ours by an older version', { origin: 'shop/web' }, 'own'],
  ['of the one of our name on another host', { origin: 'shop/web', originUid: 'there' }, 'foreign'],
  ['marked as another’s', { origin: 'shop/api' }, 'foreign'],
  ['without a mark', {}, 'unmarked'],
])('a revision %s', (_name, marks, expected) => {
  expect(ownerOf({ ...revision(1), ...marks }, { name: 'web', namespace: 'shop', uid: 'here' })).toBe(expected);
});

test.each<[string, number[], number[], number | undefined]>([
  ['the newest that both have', [1, 2, 3, 4], [3, 2, 1], 3],
  ['none without a history', [1], [], undefined],
  ['none where storage has other revisions', [4, 5], [3, 2], undefined],
])('the shared revision is %s', (_name, stored, history, expected) => {
  const revisions = stored.map((version) => revision(version));
  const shared = sharedRevision(
    revisions,
    history.map((version) => snapshot({ version })),
  );
  expect(shared?.version).toBe(expected);
});

describe('a stored revision', () => {
  const own = snapshot({ lastDeployed: '2026-01-02T00:00:00Z' });

  test.each<[string, Partial<Snapshot>, boolean]>([
    ['of the same second is the one of the snapshot', {}, true],
    ['in another time zone is the same', { firstDeployed: '2026-01-01T02:00:00+02:00' }, true],
    ['that was installed at another time is another', { firstDeployed: '2026-01-01T00:00:07Z' }, false],
    ['that was deployed at another time is another', { lastDeployed: '2026-01-02T00:00:07Z' }, false],
    ['of another chart is another', { chartName: 'other' }, false],
    ['of another chart version is another', { chartVersion: '2.0.0' }, false],
    ['of another name is another', { name: 'api' }, false],
    ['of another namespace is another', { namespace: 'other' }, false],
    ['of another number is another', { version: 2 }, false],
  ])('%s', (_name, change, expected) => {
    expect(isSnapshotOf({ ...own, ...change }, record())).toBe(expected);
  });

  test('without times is nobody’s', () => {
    expect(isSnapshotOf(own, record({ info: { status: 'deployed' } }))).toBe(false);
  });
});
