import { expect, test } from '@jest/globals';
import { PAUSE_ROLLOUT_ANNOTATION } from '#api/v1alpha1/labels.js';
import { phaseWords, rolloutOffers, stageWords } from '#console/web/model/rollout-words.js';
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
  const viewed = readApplication(WAITING, { rollout: {} }, { patch: false });
  expect(rolloutOffers(viewed).every(({ refused }) => refused.startsWith('You may not do this'))).toBe(true);
});
