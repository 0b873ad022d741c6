import { describe, expect, it } from '@jest/globals';
import { rolloutVerdict, stageStatus } from '#controllers/application/model/rollout/status.js';
import { written } from '#controllers/application/model/rollout/record.js';
import { begun, MINUTE, NOW, record, rollout, stage, target, targets, type Given } from './builders.js';

const BAKING = stage('a', { bakeTime: '10m' });
const next = target('b', 'outdated', { stage: 1 });
const done = target('a', 'ready');
const both = [begun('a', written(NOW)), begun('b')];
const rolledBack = { stage: 'a', to: 1, why: 'it failed' };
const complete = record({ stages: both, completedAt: written(NOW), lastGood: 2 });

/** The phases of the whole and of its stages, and why. */
const CASES: Record<string, [Given, string[], string]> = {
  'works on a stage': [
    { targets: [target('a', 'updating'), next] },
    ['Progressing', 'Progressing', 'Pending'],
    'stage "a": 0 of 1 destinations are ready',
  ],
  bakes: [
    { spec: { stages: [BAKING, stage('b')] }, targets: [done, next] },
    ['Baking', 'Baking', 'Pending'],
    'stage "a": all is settled, and its bakeTime has not passed',
  ],
  'waits for an approval': [
    { spec: { stages: [stage('a'), stage('b', { approval: true })] }, targets: [done, next] },
    ['AwaitingApproval', 'Complete', 'AwaitingApproval'],
    'stage "b": waits for the approval "b@2"',
  ],
  'waits for a window': [
    { windowAt: () => ({ open: false, nextMs: MINUTE }), targets: [target('a', 'outdated'), next] },
    ['AwaitingWindow', 'AwaitingWindow', 'Pending'],
    'stage "a": waits for its window',
  ],
  'waits for a window that never opens': [
    { windowAt: () => ({ open: false }), targets: [target('a', 'outdated'), next] },
    ['AwaitingWindow', 'AwaitingWindow', 'Pending'],
    'stage "a": waits for its window, which never opens',
  ],
  'is paused': [
    { spec: { stages: [stage('a'), stage('b')], paused: true }, targets: [target('a', 'outdated'), next] },
    ['Paused', 'Paused', 'Paused'],
    'spec.rollout.paused is set',
  ],
  'is halted by failures': [
    { targets: [target('a', 'failed'), next] },
    ['Halted', 'Halted', 'Pending'],
    '1 of 1 destinations of stage "a" failed, and no other one shows that the revision works',
  ],
  'lacks reachable destinations': [
    {
      spec: { stages: [stage('a'), stage('b')], unreachableBudget: 0 },
      targets: [target('a', 'absent', { isReachable: false }), next],
    },
    ['Progressing', 'Progressing', 'Pending'],
    'stage "a": 1 of 1 destinations are unreachable, more than unreachableBudget allows',
  ],
  'sees nothing of its canaries': [
    { targets: [target('a', 'absent', { isReachable: false }), next] },
    ['Progressing', 'Progressing', 'Pending'],
    'stage "a": 1 of 1 destinations are unreachable, and no other one shows that the revision works: set unreachableBudget to go on without them',
  ],
  'has no reachable destination at all': [
    { targets: [target('a', 'absent', { isReachable: false })], record: record() },
    ['Pending', 'Pending', 'Pending'],
    'stage "a": no destination that takes part is reachable',
  ],
  'nobody takes part in': [
    { targets: [target('a', 'left'), target('b', 'left', { stage: 1 })] },
    ['Pending', 'Pending', 'Pending'],
    'no destination takes part: all are suspended, pinned, installed once or on paused clusters',
  ],
  'goes back': [
    { targets: [target('a', 'failed'), next], record: record({ rolledBack }) },
    ['RollingBack', 'RollingBack', 'Pending'],
    'it failed',
  ],
  'is back': [
    { targets: [target('a', 'outdated'), next], record: record({ rolledBack }) },
    ['RolledBack', 'RolledBack', 'Pending'],
    'it failed',
  ],
  'is complete': [
    { targets: [done, target('b', 'ready', { stage: 1 })] },
    ['Complete', 'Complete', 'Complete'],
    'it is rolled out',
  ],
  'is complete without a cluster that is down': [
    { targets: [done, target('b', 'ready', { stage: 1 }), target('c', 'absent', { stage: 1, isReachable: false })] },
    ['Complete', 'Complete', 'Complete'],
    'it is rolled out, but 1 destination is unreachable',
  ],
  'is complete with a failure that the budget allows': [
    {
      spec: { stages: [stage('a'), stage('b')], failureBudget: 1 },
      targets: [done, target('b', 'ready', { stage: 1 }), target('c', 'failed', { stage: 1 })],
    },
    ['Complete', 'Complete', 'Complete'],
    'it is rolled out, but 1 destination failed',
  ],
  'stays complete if a destination fails later': [
    { targets: [done, target('b', 'failed', { stage: 1 })], record: complete },
    ['Complete', 'Complete', 'Complete'],
    'it is rolled out, but 1 destination failed',
  ],
  'brings a new cluster up later': [
    { targets: [done, target('b', 'absent', { stage: 1 })], record: complete },
    ['Progressing', 'Complete', 'Progressing'],
    'stage "b": 0 of 1 destinations are ready',
  ],
};

describe('a status of a rollout that', () => {
  it.each(Object.entries(CASES))('%s', (_, [given, phases, why]) => {
    const result = rollout({ spec: { stages: [stage('a'), stage('b')] }, ...given });
    expect([result.phase, ...result.stages.map(({ phase }) => phase)]).toEqual(phases);
    expect(result.why).toBe(why);
  });
});

it('the status of a stage has its counts', () => {
  const members = targets('a', ['ready', 'failed']);
  const { stages } = rollout({ targets: members });
  const tally = {
    total: 2,
    ready: 1,
    updating: 0,
    failed: 1,
    unreachable: 0,
    waiting: 0,
    left: 0,
    updated: 2,
    failures: 1,
  };
  const why = '1 of 2 destinations of stage "rest" failed, more than failureBudget allows';
  expect(stages).toEqual([{ name: 'rest', ...tally, phase: 'Halted', why }]);
  const stage = { spec: { name: 'rest' }, index: 0, members, tally };
  const view = { stage, hold: undefined, gate: undefined, bake: undefined, isBack: false };
  const common = { record: record(), spec: {}, pause: undefined };
  expect(stageStatus(view, common)).toEqual(stages[0]);
  const whole = { ...common, views: [view], statuses: stages, failing: undefined, blocked: undefined };
  expect(rolloutVerdict(whole)).toEqual({ phase: 'Halted', why: `stage "rest": ${why}` });
});
