import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import {
  rolloutRequest,
  ROLLOUT_ACTIONS,
  type RolloutAction,
  type SeenRollout,
} from '#queries/views/rollout-requests.js';
import { application, deploy } from '../../application/model/builders.js';

type Asked = readonly [action: RolloutAction, seen?: SeenRollout];
type RolloutStatus = NonNullable<NonNullable<Application['status']>['rollout']>;

const none = { total: 1, ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 1, left: 0 };
const stages: RolloutStatus['stages'] = [
  { ...none, name: 'canary', phase: 'Complete' },
  { ...none, name: 'rest', phase: 'AwaitingApproval' },
];
const WINDOW = { schedule: '0 22 * * *', duration: '6h' };
/** With windows. */
function within(application: Application, where: 'rollout' | 'stage' = 'rollout'): Application {
  const rollout = where === 'rollout' ? { windows: [WINDOW] } : { stages: [{ name: 'rest', windows: [WINDOW] }] };
  return { ...application, spec: { ...application.spec, rollout } };
}
const open: RolloutStatus = { revision: 7, phase: 'AwaitingApproval', startedAt: '2026-01-01T00:00:00Z', stages };
const back = { stage: 'canary', to: 6, why: '1 of 1 failed' };

function of(status: Partial<RolloutStatus>, annotations: Record<string, string> = {}, paused?: boolean): Application {
  const app = application([deploy('prod')]);
  const rollout = paused === undefined ? {} : { paused };
  return {
    ...app,
    metadata: { ...app.metadata, annotations },
    spec: { ...app.spec, rollout },
    status: { rollout: { ...open, ...status } },
  };
}

const NAMES = 'gitops.kubesphere.io/';
const PAUSE = { [`${NAMES}pause-rollout`]: 'true' };

describe('a request to a rollout', () => {
  it.each<[string, Application, Asked, Record<string, string | null>]>([
    ['approves the stage that waits', of({}), ['approve'], { 'approve-stage': 'rest@7' }],
    ['approves the stage that is named', of({}), ['approve', { stage: 'rest' }], { 'approve-stage': 'rest@7' }],
    [
      'approves to go on without a proof',
      of({ stages: stages.map((each) => ({ ...each, approval: 'rest@7@unproven' })) }),
      ['approve', { approval: 'rest@7@unproven' }],
      { 'approve-stage': 'rest@7@unproven' },
    ],
    ['pauses', of({}), ['pause'], { 'pause-rollout': 'true' }],
    ['resumes', of({}, PAUSE), ['resume'], { 'pause-rollout': null }],
    ['ignores windows', within(of({})), ['ignore-windows'], { 'ignore-windows': '7' }],
    [
      'ignores the windows of a stage, by the id',
      within(of({ id: '7-c0ffee00' }), 'stage'),
      ['ignore-windows'],
      { 'ignore-windows': '7-c0ffee00' },
    ],
    [
      'ignores windows for what came after the end',
      within(of({ completedAt: 'now' })),
      ['ignore-windows'],
      { 'ignore-windows': '7' },
    ],
    ['retries', of({ rolledBack: back }), ['retry'], { 'retry-rollout': '7' }],
    ['retries again', of({ rolledBack: back, retried: '7' }), ['retry'], { 'retry-rollout': '7@2' }],
    ['retries a third time', of({ rolledBack: back, retried: '7@2' }), ['retry'], { 'retry-rollout': '7@3' }],
    ['retries after a text', of({ rolledBack: back, retried: '7@x' }), ['retry'], { 'retry-rollout': '7@2' }],
    ['retries another one', of({ rolledBack: back, retried: '6@4' }), ['retry'], { 'retry-rollout': '7' }],
    ['approves by the id', of({ id: '7-c0ffee00' }), ['approve'], { 'approve-stage': 'rest@7-c0ffee00' }],
    ['retries by the id', of({ id: '7-c0ffee00', rolledBack: back }), ['retry'], { 'retry-rollout': '7-c0ffee00' }],
    [
      'retries again by the id what was retried by the number',
      of({ id: '7-c0ffee00', rolledBack: back, retried: '7' }),
      ['retry'],
      { 'retry-rollout': '7-c0ffee00@2' },
    ],
    [
      'aborts by the id',
      of({ id: '7-c0ffee00', aborted: '7-c0ffee00@2' }),
      ['abort'],
      { 'abort-rollout': '7-c0ffee00@3' },
    ],
    ['aborts', of({ lastGood: 6 }), ['abort'], { 'abort-rollout': '7' }],
    ['aborts again', of({ aborted: '7' }), ['abort'], { 'abort-rollout': '7@2' }],
    ['approves what was seen', of({}), ['approve', { stage: 'rest', revision: 7 }], { 'approve-stage': 'rest@7' }],
    ['aborts what a stage left', of({ rolledBack: back }), ['abort'], { 'abort-rollout': '7' }],
  ])('%s', (_, app, asked, annotations) => {
    const wanted = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [NAMES + name, value]));
    expect(rolloutRequest(app, ...asked)).toMatchObject({ annotations: wanted });
  });

  it.each<[string, Application, Asked, string]>([
    [
      'a stage that does not exist',
      of({}),
      ['approve', { stage: 'nope' }],
      'there is no stage nope: the stages are canary, rest',
    ],
    [
      'a stage that does not wait',
      of({}),
      ['approve', { stage: 'canary' }],
      'stage canary does not wait for an approval: stage rest',
    ],
    ['an approval that nothing waits for', of({ stages: stages.slice(0, 1) }), ['approve'], 'no stage of revision 7'],
    ['a second pause', of({}, PAUSE), ['pause'], 'it is paused already'],
    ['the end of no pause', of({}), ['resume'], 'it is not paused'],
    ['the end of a pause in the spec', of({}, {}, true), ['resume'], 'spec.rollout.paused is true'],
    ['windows that there are not', of({}), ['ignore-windows'], 'it has no windows'],
    [
      'windows that are ignored',
      within(of({}, { [`${NAMES}ignore-windows`]: '7' })),
      ['ignore-windows'],
      'revision 7 ignores windows already',
    ],
    ['windows of what went back', within(of({ rolledBack: back })), ['ignore-windows'], 'revision 7 is rolled back'],
    [
      'windows of what is complete',
      within(of({ completedAt: 'now', stages: [] })),
      ['ignore-windows'],
      'revision 7 is rolled out',
    ],
    ['a retry of what goes on', of({}), ['retry'], 'revision 7 is not rolled back'],
    ['an abort of what is complete', of({ completedAt: 'now' }), ['abort'], '`fairlead rollback` goes back'],
    ['an approval of what was seen before', of({}), ['approve', { revision: 6 }], 'is of revision 7 by now, not of 6'],
    [
      'an approval without a proof of whoever did not see that',
      of({ stages: stages.map((each) => ({ ...each, approval: 'rest@7@unproven', message: 'canary is paused' })) }),
      ['approve', { stage: 'rest', revision: 7 }],
      'stage rest would begin without a proof: canary is paused; to approve that, use `fairlead rollout approve --unproven`',
    ],
    [
      'another approval than was seen',
      of({ stages: stages.map((each) => ({ ...each, approval: 'rest@7@unproven' })) }),
      ['approve', { approval: 'rest@7' }],
      'stage rest waits for the approval rest@7@unproven by now, not for rest@7',
    ],
    [
      'an abort of other content than was seen',
      of({ id: '7-c0ffee00' }),
      ['abort', { revision: 7, id: '7-00000000' }],
      'its rollout is of revision 7-c0ffee00 by now, not of 7-00000000',
    ],
    ['an abort of what was seen before', of({}), ['abort', { revision: 6 }], 'is of revision 7 by now, not of 6'],
    ['an abort of what went back', of({ rolledBack: { why: 'it was aborted' } }), ['abort'], 'rolled back already'],
  ])('is refused for %s', (_, app, asked, refused) => {
    expect(rolloutRequest(app, ...asked)).toEqual({ problem: expect.stringContaining(refused) });
  });

  it.each(ROLLOUT_ACTIONS)('to %s is refused without a rollout', (action) => {
    expect(rolloutRequest(application([deploy('prod')]), action)).toEqual({ problem: 'it has no spec.rollout' });
  });

  it('says that the spec pauses as well', () => {
    expect(rolloutRequest(of({}, PAUSE, true), 'resume')).toMatchObject({
      done: expect.stringContaining('but spec.rollout.paused is true'),
    });
  });
});
