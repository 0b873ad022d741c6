import { describe, expect, it } from '@jest/globals';
import { failingOf, rememberedOf } from '#controllers/application/model/rollout/budgets.js';
import type { Target } from '#controllers/application/model/rollout/types.js';
import { begun, record, rollout, startedIn, target, targets } from './builders.js';

const lost = { isReachable: false };

describe('destinations that failed', () => {
  const remembered = rememberedOf(new Set(['a'])).failing;

  it.each<[string, Target, boolean, boolean]>([
    ['failed', target('a', 'failed'), true, true],
    ['retried', target('a', 'updating'), false, true],
    ['retried and lost', target('a', 'updating', lost), false, true],
    ['failed and lost', target('a', 'failed', lost), false, true],
    ['ready', target('a', 'ready'), false, false],
    ['outdated', target('a', 'outdated'), false, true],
    ['left', target('a', 'left'), false, true],
    ['rejected', target('a', 'rejected'), false, true],
    ['installed once', target('a', 'left', { isOnce: true }), false, false],
  ])('count until they are Ready: %s', (_, each, alone, known) => {
    expect([failingOf([each]).has('a'), failingOf([each], remembered).has('a')]).toEqual([alone, known]);
    expect(failingOf([{ ...each, id: 'b' }], remembered).size).toBe(alone ? 1 : 0);
  });

  it.each<[Target['state'], boolean]>([
    ['failed', true],
    ['updating', true],
    ['outdated', false],
    ['left', false],
    ['rejected', false],
  ])('are forgotten with the rollout, unless they are retried: %s', (state, counts) => {
    expect(failingOf([target('a', state)], remembered, true).size).toBe(counts ? 1 : 0);
  });

  it('are remembered in few bytes, whatever their order', () => {
    expect(rememberedOf(new Set())).toEqual({});
    expect(rememberedOf(new Set(['a', 'b']))).toEqual(rememberedOf(new Set(['b', 'a'])));
    const many = new Set(Array.from({ length: 5_000 }, (_, index) => `${'x'.repeat(300)}${index}`));
    expect(JSON.stringify(rememberedOf(many)).length).toBeLessThan(14_000);
  });
});

describe('a stage that was stopped by failures', () => {
  const stages = (first: Target['state']): Target[] => targets('a', [first, 'outdated', 'outdated']);
  const stopped = rollout({ targets: stages('failed'), record: record({ stages: [begun('rest')] }) });

  it('starts nothing while they are retried', () => {
    const retried = rollout({ targets: stages('updating'), record: stopped.record });
    expect(startedIn(retried, stages('updating'))).toEqual([]);
    expect(retried).toMatchObject({ phase: 'Halted', why: stopped.why, record: stopped.record });
  });

  it('goes on once they are Ready', () => {
    const healed = rollout({ targets: stages('ready'), record: stopped.record });
    expect(startedIn(healed, stages('ready'))).toEqual(['a-2', 'a-3']);
    expect(healed.record.failing).toBeUndefined();
  });

  it('goes on with another revision', () => {
    const edited = stages('outdated');
    expect(startedIn(rollout({ targets: edited, record: stopped.record, revision: 3 }), edited)).toHaveLength(3);
  });

  it('counts those together that failed one after the other', () => {
    const spec = { failureBudget: 1 };
    const given = { spec, record: record({ stages: [begun('rest')] }) };
    const first = rollout({ ...given, targets: targets('a', ['failed', 'updating', 'outdated']) });
    const second = targets('a', ['updating', 'failed', 'outdated']);
    expect(startedIn(rollout({ spec, targets: second, record: first.record }), second)).toEqual([]);
  });
});
