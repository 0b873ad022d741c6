import { expect, test } from '@jest/globals';
import type { KustomizationStatus } from '#api/flux/kustomization.js';
import { afterOthers, claiming, leftLine, othersEvents, withShared } from '#controllers/kustomization/model/others.js';
import type { Acted, Change } from '#controllers/kustomization/model/types.js';
import { object } from './builders.js';

const MOMENT = { generation: 1, now: '2026-01-01T00:00:00Z' };
const ACTED: Acted = { changes: [], pruned: [] };
const SHARED: Acted = { ...ACTED, shared: ['ConfigMap/n/x with Kustomization a'] };
const MESSAGE = 'applied by others as well: ConfigMap/n/x with Kustomization a; remove each from all sources but one';

const idOf = (name: string): string => `n_${name}__ConfigMap`;
const entriesOf = (...names: readonly string[]) => names.map((name) => ({ id: idOf(name), v: 'v1' }));
const skipped = (name: string): Change => ({ id: idOf(name), subject: name, action: 'skipped' });

test('what is shared is a condition, which stays until it is known that nothing is', () => {
  const status = withShared({}, SHARED, MOMENT);
  expect(status.conditions).toMatchObject([{ type: 'ObjectsShared', status: 'True', message: MESSAGE }]);
  expect(withShared(status, ACTED, MOMENT)).toBe(status);
  expect(withShared(status, { ...ACTED, shared: [] }, MOMENT).conditions).toEqual([]);
});

test('the same again is no news', () => {
  const status = withShared({}, SHARED, MOMENT);
  expect(othersEvents({}, status, SHARED)).toEqual([{ type: 'Warning', reason: 'TargetTaken', message: MESSAGE }]);
  expect(othersEvents(status, status, SHARED)).toEqual([]);
});

test('an event says once what stays for another one', () => {
  const left = new Map([[idOf('x'), leftLine('ConfigMap/n/x', 'why')]]);
  expect(othersEvents({}, {}, { ...ACTED, left })).toEqual([
    { type: 'Warning', reason: 'PruneSkipped', message: 'ConfigMap/n/x is left in place: why' },
  ]);
  const known: KustomizationStatus = { notOwned: [{ id: idOf('x'), state: 'Leaving' }] };
  expect(othersEvents(known, {}, { ...ACTED, left })).toEqual([]);
});

test('the status says what is waited for, left and skipped', () => {
  const acted: Acted = {
    ...ACTED,
    changes: [skipped('other'), skipped('own')],
    left: new Map([
      [idOf('left'), ''],
      [idOf('gone'), ''],
    ]),
    taken: [{ object: object('ConfigMap', 'x', { namespace: 'n' }), holder: 'a' }],
  };
  const before: KustomizationStatus = {
    inventory: { entries: entriesOf('own', 'still', 'done') },
    notOwned: ['still', 'done'].map((name) => ({ id: idOf(name), state: 'Skipped' })),
  };
  const inventory = entriesOf('own', 'other', 'left', 'still');
  const { notOwned } = afterOthers({ lastAppliedRevision: 'r' }, { before, acted, inventory });
  expect(notOwned).toEqual([
    { id: idOf('left'), state: 'Leaving' },
    { id: idOf('x'), state: 'Waiting', holder: 'a' },
    { id: idOf('still'), state: 'Skipped' },
    { id: idOf('other'), state: 'Skipped' },
  ]);
  expect(afterOthers({ notOwned: notOwned ?? [] }, { before: {}, acted: ACTED, inventory })).toEqual({});
});

test('what is applied again is not skipped any longer', () => {
  const before: KustomizationStatus = { notOwned: [{ id: idOf('x'), state: 'Skipped' }] };
  const acted: Acted = { ...ACTED, changes: [{ ...skipped('x'), action: 'configured' }] };
  expect(afterOthers({}, { before, acted, inventory: entriesOf('x') })).toEqual({});
});

test('what is applied is claimed before', () => {
  const status: KustomizationStatus = {
    notOwned: [
      { id: idOf('x'), state: 'Waiting', holder: 'a' },
      { id: idOf('y'), state: 'Leaving' },
    ],
  };
  expect(claiming(status, new Set([idOf('x')]))).toEqual({ notOwned: [{ id: idOf('y'), state: 'Leaving' }] });
  expect(claiming(status, new Set(['x', 'y'].map(idOf)))).toEqual({});
});
