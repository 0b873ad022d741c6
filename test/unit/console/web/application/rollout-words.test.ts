import { describe, expect, test } from '@jest/globals';
import { PAUSE_ROLLOUT_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { RolloutStatus } from '#api/v1alpha1/rollout.js';
import { phaseWords, rolloutOffers, rolloutReasons, stageWords } from '#console/web/application/model/rollout-words.js';
import { readApplication } from './read-application.js';

const NONE = { ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 0, left: 0 };
const AT = '2026-01-01T00:00:00Z';
const WAITING = `
rollout:
  { revision: 2, phase: AwaitingApproval, startedAt: "${AT}", stages: [{ name: prod, phase: AwaitingApproval }] }
`;

test.each([
  [{ total: 3, ready: 3 }, '3 of 3 ready'],
  [
    { total: 9, ready: 1, waiting: 2, failed: 1, left: 3, unreachable: 1, updating: 1 },
    '1 of 9 ready, 1 failed, 1 unreachable, 1 updating, 2 waiting, 3 take no part',
  ],
])('of %o', (counts, words) => {
  expect(stageWords({ ...NONE, name: 'a', phase: 'Progressing', ...counts })).toBe(words);
});

test('a phase of another version is its own word', () => {
  expect(phaseWords('Halted')).toEqual({ meaning: 'bad', text: 'Halted' });
  expect(phaseWords('New' as 'Halted')).toEqual({ meaning: 'moving', text: 'New' });
});

describe('each reason of a rollout is read once', () => {
  type Phase = RolloutStatus['phase'];
  const stage = (name: string, phase: Phase, message: string) => ({
    ...NONE,
    name,
    phase,
    message,
    total: 2,
    ready: 1,
  });
  const FAILED = '1 of 2 destinations of stage "eu" failed, and failureBudget allows 0';
  test.each<[string, Pick<RolloutStatus, 'message' | 'rolledBack' | 'stages'>, string, string[]]>([
    [
      'that is halted',
      {
        message: FAILED,
        stages: [
          stage('a', 'Complete', '1 of 2 destinations are ready'),
          stage('eu', 'Halted', FAILED),
          stage('rest', 'Pending', FAILED),
        ],
      },
      '',
      ['', '', ''],
    ],
    [
      'that waits',
      {
        message: 'stage "a": waits for the approval "a@3"',
        stages: [
          stage('a', 'AwaitingApproval', 'waits for the approval "a@3"'),
          stage('b', 'AwaitingWindow', 'waits for its window'),
          stage('c', 'Pending', 'waits for stage "b"'),
          stage('d', 'AwaitingWindow', 'waits for its window, which never opens'),
        ],
      },
      '',
      ['', '', 'waits for stage "b"', 'waits for its window, which never opens'],
    ],
    [
      'that went back',
      {
        message: FAILED,
        rolledBack: { stage: 'eu', why: FAILED },
        stages: [stage('eu', 'RolledBack', FAILED), stage('b', 'Pending', `revision 3 is rolled back, as ${FAILED}`)],
      },
      '',
      ['', ''],
    ],
    [
      'that went back, and is paused',
      {
        message: 'spec.rollout.paused is set',
        rolledBack: { why: FAILED },
        stages: [stage('eu', 'RolledBack', FAILED), stage('b', 'Paused', 'spec.rollout.paused is set')],
      },
      FAILED,
      ['', ''],
    ],
    ['without any', { stages: [{ ...NONE, name: 'a', phase: 'Pending', total: 0 }] }, '', ['']],
    [
      'of a stage alone',
      { message: '', stages: [stage('a', 'Progressing', 'x'), stage('b', 'Pending', 'x')] },
      '',
      ['x', ''],
    ],
  ])('of one %s', (_, rollout, back, stages) => {
    expect(rolloutReasons({ revision: 3, phase: 'Progressing', startedAt: AT, ...rollout })).toEqual({ back, stages });
  });
});

test('offers what there is to do, and says why the rest is not', () => {
  const waiting = readApplication(WAITING, { rollout: {} });
  expect(rolloutOffers(waiting).map(({ action, refused }) => `${action}: ${refused}`)).toEqual([
    'approve: ',
    'pause: ',
    'retry: Revision 2 is not rolled back.',
    'abort: ',
  ]);
  const paused = { ...waiting, annotations: { [PAUSE_ROLLOUT_ANNOTATION]: 'true' } };
  expect(rolloutOffers(paused).map(({ action }) => action)).toEqual(['approve', 'resume', 'retry', 'abort']);
  const closed = readApplication(WAITING.replaceAll('AwaitingApproval', 'AwaitingWindow'), { rollout: {} });
  expect(rolloutOffers(closed).map(({ action }) => action)).toContain('ignore-windows');
  const viewed = readApplication(WAITING, { rollout: {} }, { patch: false });
  expect(rolloutOffers(viewed).every(({ refused }) => refused.startsWith('You may not do this'))).toBe(true);
});
