import { expect, test } from '@jest/globals';
import { offersOf } from '#console/web/model/offers.js';
import { readApplication } from './read-application.js';

const SUSPENDED = { fluxApp: { spec: { config: { suspend: true } } } };
const HELD = '{ removals: { held: 2, approval: a1 } }';

const table = (...of: Parameters<typeof readApplication>): string[] =>
  offersOf(readApplication(...of)).map(({ action, refused }) => `${action}: ${refused}`);

test.each<[string, Parameters<typeof readApplication>, string[]]>([
  ['runs', [], ['sync: ', 'suspend: ', 'delete: ']],
  [
    'is suspended',
    [undefined, SUSPENDED],
    ['sync: It is suspended: `fairlead resume web` first.', 'resume: ', 'delete: '],
  ],
  ['has removals that wait', [HELD], ['sync: ', 'suspend: ', 'approve-removals: ', 'delete: ']],
  [
    'is of another',
    [HELD, {}, { patch: false, delete: false }],
    [
      ...['sync', 'suspend', 'approve-removals'].map(
        (action) => `${action}: You may not do this: it needs \`patch\` of applications.`,
      ),
      'delete: You may not do this: it needs `delete` of applications.',
    ],
  ],
  [
    'has another engine',
    [undefined, { kind: 'argocd' }],
    [
      'sync: It has kind argocd, which is not reconciled yet.',
      'suspend: It has kind argocd, which is not reconciled yet.',
      'delete: ',
    ],
  ],
])('of one that %s', (_, of, offers) => {
  expect(table(...of)).toEqual(offers);
});

test('what is being deleted is not deleted again', () => {
  const [, , last] = offersOf({ ...readApplication(), state: 'Deleting' });
  expect(last).toMatchObject({ action: 'delete', refused: 'It is being deleted already.' });
});
