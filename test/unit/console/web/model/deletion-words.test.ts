import { expect, test } from '@jest/globals';
import { deletionWords } from '#console/web/model/deletion-words.js';
import { readApplication } from './read-application.js';

const LOST = `
summary: { ready: 0/3 }
destinations:
  - { name: a, cluster: eu, state: Suspended }
  - { name: b, cluster: us, state: Unreachable }
  - { name: c, cluster: us, state: Unreachable }
`;

test.each<[string, Parameters<typeof deletionWords>, boolean, string]>([
  [
    'a usual one',
    [readApplication(), false],
    true,
    '2 releases on 2 clusters are uninstalled (deletionPolicy Delete).',
  ],
  ['one that keeps', [readApplication(), true], false, '2 releases on 2 clusters keep running, as you chose.'],
  [
    'one with Orphan',
    [readApplication(undefined, { deletionPolicy: 'Orphan' }), false],
    false,
    '2 releases on 2 clusters keep running, because its deletionPolicy is Orphan.',
  ],
  ['an empty one', [readApplication('{}'), false], false, 'Its status names nothing that was deployed.'],
  [
    'one whose status lists only some',
    [readApplication('{ summary: { ready: 1/2000 }, destinations: [{ name: a, cluster: eu, state: Failed }] }'), false],
    true,
    '2000 releases on 1 cluster are uninstalled (deletionPolicy Delete).',
  ],
])('of %s', (_, given, uninstalls, summary) => {
  expect(deletionWords(...given)).toEqual({ uninstalls, summary, warnings: [] });
});

test('warns of what does not go as expected', () => {
  expect(deletionWords(readApplication(LOST), false).warnings).toEqual([
    '1 destination is suspended: what runs there is left behind.',
    '2 destinations are unreachable: the deletion waits until the cluster answers or is abandoned.',
  ]);
  expect(deletionWords(readApplication(LOST), true).warnings).toEqual([]);
});
