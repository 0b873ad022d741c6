import { describe, expect, test } from '@jest/globals';
import { failureMessage, runningMessage, summarizeReady } from '#controllers/helmrelease/model/conditions.js';
import type { Condition } from '#api/meta.js';

test('messages have the form that Flux gives them', () => {
  expect(runningMessage('install', 300_000)).toBe("Running 'install' action with timeout of 5m0s");
  expect(
    failureMessage('install', { namespace: 'apps', name: 'web', chartName: 'web', chartVersion: '1.0.0' }, 'boom'),
  ).toBe('Helm install failed for release apps/web with chart web@1.0.0: boom');
});

function condition(type: string, status: Condition['status'], observedGeneration = 1): Condition {
  return { type, status, reason: `${type}Reason`, message: type, lastTransitionTime: '', observedGeneration };
}

describe('summarizeReady', () => {
  test.each<[string, Condition[], boolean, [string, string] | undefined]>([
    ['is nothing before the first action', [], true, undefined],
    ['copies Released', [condition('Released', 'True')], true, ['True', 'ReleasedReason']],
    [
      'prefers tests that count',
      [condition('Released', 'True'), condition('TestSuccess', 'False')],
      true,
      ['False', 'TestSuccessReason'],
    ],
    [
      'leaves out tests that do not count',
      [condition('Released', 'True'), condition('TestSuccess', 'False')],
      false,
      ['True', 'ReleasedReason'],
    ],
    [
      'is never true when remediated',
      [condition('Released', 'False'), condition('Remediated', 'True')],
      true,
      ['False', 'RemediatedReason'],
    ],
    [
      'prefers the newer generation',
      [condition('Released', 'True', 2), condition('Remediated', 'True', 1)],
      true,
      ['True', 'ReleasedReason'],
    ],
  ])('%s', (_name, conditions, testsCount, expected) => {
    const ready = summarizeReady(conditions, testsCount);
    expect(ready && [ready.status, ready.reason]).toEqual(expected);
  });
});
