import { expect, it } from '@jest/globals';
import { destinationNotes, unsaidMessage, type BranchRead } from '#console/web/application/model/tree.js';
import type { DestinationTree } from '#queries/answers/members.js';

const DESTINATION = {
  ...{ name: 'eu-app', cluster: 'eu', namespace: 'app', release: 'web', child: 'HelmRelease shop/web-eu' },
  ...{ state: 'Ready' as const, revision: '1', message: '' },
};
const TREE: DestinationTree = { ...DESTINATION, objects: [], problem: '', more: 0 };
const SERVICE = {
  ...{ apiVersion: 'v1', kind: 'Service', namespace: 'app', name: 'web', state: 'Ready' as const, message: '' },
  ...{ containers: [], owns: [] },
};
const READ: BranchRead = { tree: TREE, isReading: false, isRead: true, problem: '' };
const UNREAD: BranchRead = { tree: undefined, isReading: true, isRead: false, problem: '' };

it.each([
  ['an early status', { ...DESTINATION, cluster: '' }, UNREAD, ['fact: The status does not name its cluster yet.']],
  ['no child', { ...DESTINATION, child: '' }, UNREAD, ['fact: Nothing is deployed yet.']],
  ['no answer yet', DESTINATION, UNREAD, ['waiting: Reading eu …']],
  [
    'a server that refuses',
    DESTINATION,
    { ...UNREAD, isReading: false, problem: 'too many reads' },
    ['problem: too many reads'],
  ],
  ['another try', DESTINATION, { ...UNREAD, problem: 'too many reads' }, ['waiting: Reading eu …']],
  ['an answer without it', DESTINATION, { ...READ, tree: undefined }, ['fact: It is not there any more.']],
  ['a release without objects', DESTINATION, READ, ['fact: The release has no objects.']],
  [
    'a cluster that hangs',
    DESTINATION,
    { ...READ, tree: { ...TREE, problem: 'no answer in time' } },
    ['problem: no answer in time'],
  ],
  ['objects', DESTINATION, { ...READ, tree: { ...TREE, objects: [SERVICE] } }, []],
  [
    'too many objects',
    DESTINATION,
    { ...READ, tree: { ...TREE, objects: [SERVICE], more: 7 } },
    ['fact: and 7 more objects, which are not read'],
  ],
  ['an old answer', DESTINATION, { ...READ, problem: 'gone' }, ['problem: gone', 'fact: The release has no objects.']],
])('says what is so with %s', (_, destination, read, expected) => {
  expect(destinationNotes(destination, read).map(({ kind, text }) => `${kind}: ${text}`)).toEqual(expected);
});

it.each([
  ['no such image', 'eu-app is Failed: no such image', 1, ''],
  ['no such image', 'eu-app is Failed: no such image', 2, 'no such image'],
  ['no such image', '', 1, 'no such image'],
  [
    'Helm upgrade failed for release a/b with chart c@1: why',
    'removals wait',
    1,
    'why (Helm upgrade failed for release a/b with chart c@1)',
  ],
  ['', '', 1, ''],
])('of "%s", after "%s" of %d destinations, says what is new', (message, said, destinations, expected) => {
  expect(unsaidMessage({ message }, { said, destinations })).toBe(expected);
});
