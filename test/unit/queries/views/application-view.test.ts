import { describe, expect, test } from '@jest/globals';
import { sortedViews, viewOf } from '#queries/views/application-view.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

function unready(status: string, reason: string): string {
  return `{ conditions: [{ type: Ready, status: "${status}", reason: ${reason} }] }`;
}

describe('the state of an Application', () => {
  test.each<[string, string, string, string]>([
    ['nobody has looked at it', '{}', '{}', 'Pending'],
    ['it is being deleted', RUNNING, '{ deletionTimestamp: "2026-01-01T00:00:00Z" }', 'Deleting'],
    ['it is stalled', STALLED, '{}', 'Stalled'],
    ['it is on its way', RUNNING, '{}', 'Progressing'],
    ['it runs', '{ conditions: [{ type: Ready, status: "True" }] }', '{}', 'Ready'],
    [
      'no cluster matches',
      '{ conditions: [{ type: Ready, status: "False", reason: NoClusterMatches }] }',
      '{}',
      'Pending',
    ],
    ['its rollout is paused', unready('Unknown', 'RolloutPaused'), '{}', 'Paused'],
    ['its rollout waits for an approval', unready('Unknown', 'RolloutAwaitingApproval'), '{}', 'Pending'],
    ['its rollout is halted', unready('False', 'RolloutHalted'), '{}', 'Failed'],
    ['it failed', '{ conditions: [{ type: Ready, status: "False" }] }', '{}', 'Failed'],
  ])('when %s', (_, status, metadata, state) => {
    expect(viewOf(application('web', status, metadata)).state).toBe(state);
  });
});

describe('a status of an older generation', () => {
  const OLD = '{ generation: 7 }';
  const NEWEST = 'the newest change is not reconciled yet';
  const of = (types: string) => `{ observedGeneration: 1, conditions: [${types}], summary: { ready: 1/1 } }`;
  const READY = of('{ type: Ready, status: "True", reason: AllReady, message: "1 of 1 ready" }');
  const FAILED = of('{ type: Ready, status: "False", message: why }');

  test.each<[string, string, object]>([
    ['that was ready', READY, { state: 'Progressing', ready: '1/1', reason: '', message: NEWEST, warnings: [] }],
    ['that failed', FAILED, { state: 'Failed', message: 'why', warnings: [NEWEST] }],
    ['that was stalled', of('{ type: Stalled, status: "True" }'), { state: 'Stalled', warnings: [NEWEST] }],
  ])('%s does not speak of the newest', (_, status, view) => {
    expect(viewOf(application('web', status, OLD))).toMatchObject(view);
  });

  test.each<[string, string, string]>([
    ['is none', READY, '{ generation: 1 }'],
    ['is believed if it does not say so', READY.replace('observedGeneration: 1, ', ''), OLD],
    ['is no matter of a deletion', READY, '{ generation: 7, deletionTimestamp: "2026-01-01T00:00:00Z" }'],
  ])('%s', (_, status, metadata) => {
    expect(JSON.stringify(viewOf(application('web', status, metadata)))).not.toContain(NEWEST);
  });
});

describe('the state of its rollout', () => {
  const of = (rolledOut: string, phase: string) =>
    `{ conditions: [{ type: RolledOut, status: "${rolledOut}", message: why }], rollout: { revision: 2, phase: ${phase}, stages: [] } }`;

  test.each<[string, string, object | undefined]>([
    ['is its phase', of('False', 'Halted'), { phase: 'Halted', message: 'why' }],
    ['is that of the next one, which cannot begin', of('False', 'Complete'), { phase: 'Pending', message: 'why' }],
    ['is none once it is complete', of('True', 'Complete'), undefined],
    ['is none while all is pinned', '{ rollout: { revision: 2, phase: Paused, stages: [] } }', undefined],
  ])('%s', (_, status, state) => {
    expect(viewOf(application('web', status)).rolloutState).toEqual(state);
  });
});

describe('the value that approves removals', () => {
  test.each<[string, string, string]>([
    ['that wait', '{ removals: { held: 2, approval: abc } }', 'abc'],
    ['that are carried out', '{ removals: { approval: abc, approved: [d] } }', ''],
    ['that were carried out', '{ removals: { counted: [] } }', ''],
  ])('of those %s', (_, status, approval) => {
    expect(viewOf(application('web', status)).approval).toBe(approval);
  });
});

describe('sortedViews', () => {
  test('does not depend on the order in which the Applications come', () => {
    const all = [application('b'), application('a'), application('c')];
    expect(sortedViews(all)).toEqual(sortedViews(all.toReversed()));
  });
});
