import { describe, expect, test } from '@jest/globals';
import type { Target } from './facts.js';
import { asksForApproval, exceeds, isApproved, waitingFor } from './guard.js';
import { ruleText } from './rules.js';
import { app, cluster, everyProd, release, runs, tell, type Says, type Step } from './telling.js';

const names = ['one', 'two', 'three', 'four'];
const all = names.map((name) => release(name)) as [Target, ...Target[]];
const clusters = names.map((name) => cluster(name));
const unlabelled = (...off: readonly string[]): Step => ({
  clusters: names.map((name) => cluster(name, { env: off.includes(name) ? 'test' : 'prod' })),
});
const fleet = (says: Says = {}): Step => ({
  applications: [app({ deploy: [everyProd], ...says })],
  clusters,
  runs: all.map((target) => runs(target)),
});
const approval: Step = { act: { do: 'approveRemovals', application: 'team/web' } };

describe(`removals (${ruleText('maxRemovals')})`, () => {
  test('wait for nothing while all clusters match', () => {
    expect(waitingFor(tell(fleet()), 'team/web')).toEqual([]);
  });

  test('of some clusters of a fleet need no approval', () => {
    const memory = tell(fleet(), unlabelled('one'));
    expect(waitingFor(memory, 'team/web')).toEqual([all[0]]);
    expect(asksForApproval(memory, 'team/web', [])).toBe(false);
  });

  test('of all clusters need one', () => {
    const memory = tell(fleet(), unlabelled(...names));
    expect(asksForApproval(memory, 'team/web', [])).toBe(true);
  });

  test('of the last hour count, so that several do not leave one after another', () => {
    const last = tell({ ...fleet(), runs: [runs(all[0])] }, unlabelled('one'));
    expect(asksForApproval(last, 'team/web', [])).toBe(false);
    expect(asksForApproval(last, 'team/web', all.slice(1))).toBe(true);
  });

  test('are approved together, as long as they wait', () => {
    const approved = tell(fleet(), unlabelled(...names), approval);
    expect(all.map((target) => isApproved(approved, target))).toEqual([true, true, true, true]);
    expect(asksForApproval(approved, 'team/web', [])).toBe(false);
    const again = tell(fleet(), unlabelled(...names), approval, unlabelled(), unlabelled('one'));
    expect(isApproved(again, all[0])).toBe(false);
  });

  test('that come later are not approved', () => {
    const memory = tell(fleet(), unlabelled('one'), approval, unlabelled('one', 'two'));
    expect(all.map((target) => isApproved(memory, target))).toEqual([true, false, false, false]);
  });

  test.each([
    ['a number', 1, { ran: 10, removed: 2 }, true],
    ['a number that is enough', 2, { ran: 10, removed: 2 }, false],
    ['a percentage, rounded down', '25%', { ran: 7, removed: 2 }, true],
    ['0%', '0%', { ran: 100, removed: 1 }, true],
    ['the default for a few', undefined, { ran: 20, removed: 10 }, false],
    ['the default for more', undefined, { ran: 20, removed: 11 }, true],
    ['the default for a large fleet', undefined, { ran: 100, removed: 20 }, false],
    ['the last of several', undefined, { ran: 2, removed: 2 }, true],
    ['a single one', undefined, { ran: 1, removed: 1 }, false],
  ])('exceed %s', (_words, limit, counts, isOver) => {
    expect(exceeds(limit, counts)).toBe(isOver);
  });
});
