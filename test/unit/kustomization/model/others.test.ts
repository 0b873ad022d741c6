import { expect, test } from '@jest/globals';
import { othersEvents, waitingOf, withShared } from '#controllers/kustomization/model/others.js';
import type { Acted } from '#controllers/kustomization/model/types.js';
import { object } from './builders.js';

const MOMENT = { generation: 1, now: '2026-01-01T00:00:00Z' };
const ACTED: Acted = { changes: [], pruned: [] };
const SHARED: Acted = { ...ACTED, shared: ['ConfigMap/n/x with Kustomization a'] };
const MESSAGE = 'applied by others as well: ConfigMap/n/x with Kustomization a; remove each from all sources but one';

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

test('an event says what stays for another one', () => {
  const left = new Map([['id', 'ConfigMap/n/x is left in place: why']]);
  expect(othersEvents({}, {}, { ...ACTED, left })).toEqual([
    { type: 'Warning', reason: 'PruneSkipped', message: 'ConfigMap/n/x is left in place: why' },
  ]);
});

test('a build that is refused says nothing of what is waited for', () => {
  const status = { waitingFor: [{ id: 'n_x__ConfigMap', v: 'v1' }] };
  const apply = {
    kind: 'apply',
    objects: [],
    isFirst: false,
    inventory: [],
    ahead: [],
    stale: [],
    checks: [],
  } as const;
  expect(waitingOf(status, { kind: 'reject', reason: 'BuildFailed', message: 'why' }, ACTED)).toEqual(status);
  expect(waitingOf(status, apply, ACTED)).toEqual({});
  const taken = [object('ConfigMap', 'x', { namespace: 'n' })];
  expect(waitingOf({}, apply, { ...ACTED, taken })).toEqual(status);
});
