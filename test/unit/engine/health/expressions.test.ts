import { expect, test } from '@jest/globals';
import type { HealthCheckExpression } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { healthBy, healthRulesOf, NO_RULES } from '#engine/health/expressions.js';

const CHECK: HealthCheckExpression = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  inProgress: "status.phase == 'Starting'",
  failed: "status.phase in ['Broken', 'Starting']",
  current: "status.phase == 'Up' && status.replicas >= spec.replicas",
};
const FIELD = 'spec.healthCheckExprs[0]';

function database(status: object | undefined, apiVersion = 'example.com/v2'): Unstructured {
  const metadata = { name: 'db', generation: 2 };
  return { apiVersion, kind: 'Database', metadata, spec: { replicas: 3 }, ...(status && { status }) };
}

test.each<[string, Unstructured, string, string]>([
  ['that gets there', database({ phase: 'Starting' }), 'InProgress', `${FIELD}.inProgress is true`],
  ['that failed', database({ phase: 'Broken' }), 'Failed', `${FIELD}.failed is true`],
  ['that is well', database({ phase: 'Up', replicas: 3 }), 'Current', `${FIELD}.current is true`],
  [
    'of which nothing is true',
    database({ phase: 'Up', replicas: 1 }),
    'InProgress',
    `none of ${FIELD}.inProgress, ${FIELD}.failed, ${FIELD}.current is true`,
  ],
  [
    'whose latest generation was not observed',
    database({ phase: 'Up', replicas: 3, observedGeneration: 1 }),
    'InProgress',
    'its latest generation has not been observed yet',
  ],
  [
    'whose latest generation was observed',
    database({ phase: 'Up', replicas: 3, observedGeneration: 2 }),
    'Current',
    `${FIELD}.current is true`,
  ],
  ['without a status', database(undefined), 'Unknown', `${FIELD}.inProgress: Unknown variable: status`],
  ['of another group', database({ phase: 'Broken' }, 'other.com/v1'), 'Current', 'Resource is current'],
])('an object %s', (_name, object, status, message) => {
  expect(healthBy(healthRulesOf([CHECK]), object)).toEqual({ status, message });
});

test('only current is needed', () => {
  const rules = healthRulesOf([{ apiVersion: 'example.com/v1', kind: 'Database', current: 'has(status.phase)' }]);
  expect(healthBy(rules, database({})).status).toBe('InProgress');
  expect(healthBy(rules, database({ phase: 'x' })).status).toBe('Current');
});

test('without rules kstatus decides', () => {
  expect(healthBy(NO_RULES, database({ phase: 'Broken' })).status).toBe('Current');
});

test.each<[string, HealthCheckExpression[], string]>([
  ['does not compile', [{ ...CHECK, failed: 'status.phase ==' }], `${FIELD}.failed is not a valid CEL expression`],
  ['is about the same kind', [CHECK, CHECK], 'spec.healthCheckExprs[1] is about example.com/Database'],
])('an entry that %s is refused', (_name, checks, message) => {
  const expected = expect.objectContaining({
    reason: 'InvalidCELExpression',
    message: expect.stringContaining(message),
  });
  expect(() => healthRulesOf(checks)).toThrow(expected);
});
