import { describe, expect, test } from '@jest/globals';
import {
  isPending,
  lastRevision,
  revisionsToDelete,
  storageSecretName,
  withStatus,
  type ReleaseStatus,
  type StoredRevision,
} from '#controllers/helmrelease/model/release.js';
import { storageLabels } from '#controllers/helmrelease/storage.js';
import { record } from './builders.js';

function revision(version: number, status: ReleaseStatus = 'superseded'): StoredRevision {
  const secretName = storageSecretName('web', version);
  return { version, status, secretName, resourceVersion: '1', origin: undefined, untouched: true };
}

test('the Secret of a revision has the name that helm looks for', () => {
  expect(storageSecretName('web', 12)).toBe('sh.helm.release.v1.web.v12');
});

test('Helm owns its labels, others are kept', () => {
  expect(storageLabels(record(), { name: 'mine', team: 'a' }, 1_700_000_000_999)).toEqual({
    team: 'a',
    name: 'web',
    owner: 'helm',
    status: 'deployed',
    version: '1',
    modifiedAt: '1700000000',
  });
});

test.each<[ReleaseStatus, boolean]>([
  ['pending-install', true],
  ['pending-upgrade', true],
  ['pending-rollback', true],
  ['uninstalling', true],
  ['deployed', false],
  ['failed', false],
  ['uninstalled', false],
])('isPending(%s) is %s', (status, expected) => {
  expect(isPending(status)).toBe(expected);
});

test('withStatus changes a copy', () => {
  const before = record();
  expect(withStatus(before, 'failed', 'why').info).toMatchObject({ status: 'failed', description: 'why' });
  expect(before.info.status).toBe('deployed');
});

test('lastRevision is the highest, whatever the order', () => {
  expect(lastRevision([revision(2), revision(10), revision(9)])?.version).toBe(10);
  expect(lastRevision<StoredRevision>([])).toBeUndefined();
});

describe('revisionsToDelete', () => {
  test.each([
    ['nothing while there is room', [revision(1), revision(2, 'deployed')], 2, []],
    ['the oldest beyond the limit', [revision(1), revision(2), revision(3, 'deployed')], 2, [1]],
    ['never the deployed one', [revision(1, 'deployed'), revision(2, 'failed'), revision(3, 'failed')], 1, [2]],
    ['never the one just made', [revision(1, 'deployed'), revision(2, 'pending-upgrade')], 1, []],
    [
      'what an action before left beyond the limit',
      [revision(1), revision(2, 'deployed'), revision(3, 'pending-upgrade')],
      1,
      [1],
    ],
    ['nothing without a limit', [revision(1), revision(2), revision(3)], 0, []],
  ])('forgets %s', (_name, revisions, max, expected) => {
    expect(revisionsToDelete(revisions, max).map(({ version }) => version)).toEqual(expected);
  });
});
