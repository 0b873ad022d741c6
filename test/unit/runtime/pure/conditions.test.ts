import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../../../../api/meta.js';
import {
  getCondition,
  isTrue,
  setCondition,
  timestamp,
  withoutConditions,
} from '../../../../controllers/runtime/pure/conditions.js';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-02T00:00:00Z';
const ready: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Wait',
  message: 'waits',
  lastTransitionTime: EARLY,
};

describe('setCondition', () => {
  it('adds a new type at the end with the time of now', () => {
    const next = setCondition([ready], { type: 'Stalled', status: 'True', reason: 'Bad', message: 'bad' }, LATE);
    expect(next.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Ready', EARLY],
      ['Stalled', LATE],
    ]);
  });

  it('keeps the transition time while the status stays, whatever the reason', () => {
    const [next] = setCondition([ready], { ...ready, reason: 'Other', message: 'other' }, LATE);
    expect(next).toMatchObject({ reason: 'Other', message: 'other', lastTransitionTime: EARLY });
  });

  it('moves the transition time when the status turns, and keeps the place in the list', () => {
    const stalled = { ...ready, type: 'Stalled' };
    const next = setCondition([ready, stalled], { ...ready, status: 'True' }, LATE);
    expect(next[0]).toMatchObject({ type: 'Ready', status: 'True', lastTransitionTime: LATE });
    expect(ready.status).toBe('False');
  });
});

it('finds, tests and removes conditions', () => {
  expect(getCondition([ready], 'Ready')).toBe(ready);
  expect(getCondition(undefined, 'Ready')).toBeUndefined();
  expect(isTrue([ready], 'Ready')).toBe(false);
  expect(withoutConditions([ready], 'Ready', 'Stalled')).toEqual([]);
});

it('prints a time with seconds, as Kubernetes does', () => {
  expect(timestamp(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02T03:04:05Z');
});
