import { expect, test } from '@jest/globals';
import { ABANDON_ANNOTATION } from '#api/v1alpha1/labels.js';
import { offersOf } from '#console/web/application/model/offers.js';
import { readApplication } from './read-application.js';

const SUSPENDED = { fluxApp: { spec: { config: { suspend: true } } } };
const HELD = '{ removals: { held: 2, approval: a1 } }';

const SAVE = 'save-template: ';

const table = (...of: Parameters<typeof readApplication>): string[] =>
  offersOf(readApplication(...of)).map(({ action, refused }) => `${action}: ${refused}`);

test.each<[string, Parameters<typeof readApplication>, string[]]>([
  ['runs', [], ['sync: ', 'suspend: ', SAVE, 'delete: ']],
  [
    'is suspended',
    [undefined, SUSPENDED],
    ['sync: It is suspended: `fairlead resume web` first.', 'resume: ', SAVE, 'delete: '],
  ],
  ['has removals that wait', [HELD], ['sync: ', 'suspend: ', 'approve-removals: ', SAVE, 'delete: ']],
  [
    'is of another',
    [HELD, {}, { patch: false, delete: false }],
    [
      ...['sync', 'suspend', 'approve-removals', 'save-template'].map(
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
      SAVE,
      'delete: ',
    ],
  ],
])('of one that %s', (_, of, offers) => {
  expect(table(...of)).toEqual(offers);
});

test.each<[string, string, Record<string, string>, string[]]>([
  ['a cluster that hangs', 'Unreachable', {}, ['abandon']],
  ['a deletion that hangs', 'Deleting', {}, ['abandon']],
  ['a cluster that was abandoned', 'Deleting', { [ABANDON_ANNOTATION]: 'eu' }, ['abandon/end']],
  ['one that is well by now', 'Ready', { [ABANDON_ANNOTATION]: 'eu' }, ['abandon/end']],
  ['all of them', 'Deleting', { [ABANDON_ANNOTATION]: 'true' }, ['abandon/end']],
  ['none', 'Failed', {}, []],
])('of one with %s, it can be given up, or no more', (_, state, annotations, expected) => {
  const detail = readApplication(`{ destinations: [{ name: x, cluster: eu, state: ${state} }] }`);
  const offers = offersOf({ ...detail, annotations }).filter(({ action }) => action.startsWith('abandon'));
  expect(offers.map(({ action }) => action)).toEqual(expected);
});

test('a cluster that took the place of another one is offered to all readers: others may have the right', () => {
  const replaced = '{ object: { kind: Secret, namespace: shop, name: eu }, recorded: a, found: b }';
  const held = readApplication(`{ destinations: [{ name: x, cluster: eu, state: Failed, replaced: ${replaced} }] }`);
  const offered = (of: typeof held) => offersOf(of).filter(({ action }) => action === 'accept-cluster-uid');
  const expected = [{ action: 'accept-cluster-uid', label: 'Accept a replaced cluster', refused: '' }];
  expect(offered(held)).toEqual(expected);
  expect(offered({ ...held, may: { ...held.may, patch: false } })).toEqual(expected);
  expect(offered(readApplication('{ destinations: [{ name: x, cluster: eu, state: Failed }] }'))).toEqual([]);
});

test('what is being deleted is not deleted again', () => {
  const offers = offersOf({ ...readApplication(), state: 'Deleting' });
  expect(offers.at(-1)).toMatchObject({ action: 'delete', refused: 'It is being deleted already.' });
});

test.each(['gitops.kubesphere.io/save-helm-template', 'gitops.kubesphere.io/save-kustomizationtemplate'])(
  'what %s saves as a template can be released',
  (label) => {
    const actions = (value: string): string[] =>
      offersOf({ ...readApplication(), labels: { [label]: value } }).map(({ action }) => action);
    expect(actions('true')).toContain('save-template/release');
    expect(actions('true')).not.toContain('save-template');
    expect(actions('false')).toContain('save-template');
  },
);
