import { expect, test } from '@jest/globals';
import { deletionWords } from '#console/web/application/model/deletion-words.js';
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
  expect(deletionWords(...given)).toMatchObject({ uninstalls, summary, warnings: [] });
});

test('warns of what does not go as expected', () => {
  expect(deletionWords(readApplication(LOST), false).warnings).toEqual([
    '1 destination is suspended: what runs there is left behind.',
    '2 destinations are unreachable: the deletion waits until the cluster answers or is abandoned.',
  ]);
  expect(deletionWords(readApplication(LOST), true).warnings).toEqual([]);
});

test('counts what is only in a dry run as uninstalled', () => {
  const only = readApplication('{ destinations: [{ name: a, cluster: eu, state: Suspended, dryRun: true }] }');
  expect(deletionWords(only, false)).toMatchObject({
    ...{ uninstalls: true, clusters: ['eu'] },
    warnings: ['1 destination is only in a dry run: what runs there is uninstalled all the same.'],
  });
});

/** One that runs, and one of which this is so. */
const OF = (row: string): string => `{ destinations: [{ name: a, cluster: eu, state: Ready }, ${row}] }`;
const ABANDONED = { annotations: { 'gitops.kubesphere.io/abandon': 'us' } };

test.each<[string, string, object, string]>([
  [
    'suspended',
    '{ name: b, cluster: us, state: Suspended }',
    {},
    '1 destination is suspended: what runs there is left',
  ],
  [
    'installed once',
    '{ name: b, cluster: us, state: Unmanaged }',
    {},
    '1 destination is unmanaged, as it was installed once: what',
  ],
  [
    'abandoned',
    '{ name: b, cluster: us, state: Unreachable }',
    ABANDONED,
    '1 destination is on an abandoned cluster: ',
  ],
])('what is %s is not counted as uninstalled', (_, row, more, warning) => {
  const words = deletionWords({ ...readApplication(OF(row)), ...more }, false);
  expect(words).toMatchObject({ summary: '1 release on 1 cluster is uninstalled (deletionPolicy Delete).' });
  expect([words.clusters, words.warnings]).toEqual([['eu'], [expect.stringContaining(warning)]]);
});

test('a replaced cluster is waited for', () => {
  const uids = '{ kind: Secret, name: us, namespace: shop, recorded: a, found: b }';
  const words = deletionWords(readApplication(OF(`{ name: b, cluster: us, state: Failed, replaced: ${uids} }`)), false);
  expect(words.clusters).toEqual(['eu', 'us']);
  expect(words.warnings).toEqual([expect.stringMatching(/replaced: the deletion waits until the new one is accepted/)]);
});

test('nothing is uninstalled where all of it is left behind', () => {
  const all = '{ destinations: [{ name: a, cluster: eu, state: Unmanaged }] }';
  const summary = 'Nothing is uninstalled: what runs is left behind.';
  expect(deletionWords(readApplication(all), false)).toMatchObject({ uninstalls: false, summary });
});
