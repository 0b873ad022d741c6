import { describe, expect, test } from '@jest/globals';
import { isSettled, verdictOf, type Verdict } from '#cli/status/wait.js';
import { application } from '../../../support/application.js';

function conditions(...types: string[]): string {
  const all = types.map((type) => `{ type: ${type}, status: "${type === 'NotReady' ? 'False' : 'True'}" }`);
  return `{ observedGeneration: 1, conditions: [${all.join(', ')}] }`.replace('NotReady', 'Ready');
}

const READY = conditions('Ready');
const RETRIED = conditions('NotReady');
const STALLED = conditions('NotReady', 'Stalled');
const OLDER = '{ generation: 2 }';

describe('an Application is settled', () => {
  test.each<[string, boolean, string, string]>([
    ['when its newest spec runs', true, READY, '{}'],
    ['not while the status speaks of an older spec', false, READY, OLDER],
    ['not when a destination failed', false, RETRIED, '{}'],
  ])('%s: %s', (_, expected, status, metadata) => {
    expect(isSettled(application('web', status, metadata))).toBe(expected);
  });
});

describe('a wait', () => {
  test.each<[string, Verdict, readonly (readonly [status: string, metadata?: string])[]]>([
    ['is met when all are ready', 'met', [[READY], [READY]]],
    ['goes on while one has no status', 'open', [[READY], ['{}']]],
    ['goes on while one is retried', 'open', [[READY], [RETRIED]]],
    ['is over when one is stalled, whatever the others do', 'stalled', [['{}'], [STALLED]]],
    ['goes on when an older spec was stalled', 'open', [[STALLED, OLDER]]],
    ['goes on when an older spec was ready', 'open', [[READY, OLDER]]],
  ])('%s', (_, expected, all) => {
    const applications = all.map(([status, metadata], index) => application(`web-${index}`, status, metadata));
    expect(verdictOf(applications)).toBe(expected);
  });
});
