import { describe, expect, test } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { isSettled, progressLines } from '#cli/demo/readiness.js';

function condition(type: string, status: 'True' | 'False', message: string): Condition {
  return { type, status, reason: 'Test', message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

function application(name: string, ready: string, conditions: Condition[], observedGeneration = 2): Application {
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'shop', generation: 2 },
    spec: { kind: 'fluxcd' },
    status: { observedGeneration, conditions, summary: { ready } },
  } as Application;
}

const RUNS = [condition('Ready', 'True', '2 of 2 ready')];
const FAILED = [condition('Ready', 'False', 'prod failed: no such chart')];

describe('an Application is settled', () => {
  test.each<[string, boolean, Application]>([
    ['when its newest spec runs', true, application('web', '2/2', RUNS)],
    ['not while the status speaks of an older spec', false, application('web', '2/2', RUNS, 1)],
    ['not when a destination failed', false, application('web', '1/2', FAILED)],
  ])('%s: %s', (_, expected, item) => {
    expect(isSettled(item)).toBe(expected);
  });
});

test('progress is one line per Application, by name, with a word only where somebody has to act', () => {
  const all = [application('web', '1/2', FAILED), application('cart', '2/2', RUNS)];
  expect(progressLines(all)).toBe(
    'cart             2/2   Ready\nweb              1/2   Failed       prod failed: no such chart',
  );
});
