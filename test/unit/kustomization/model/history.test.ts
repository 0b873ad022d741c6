import { expect, test } from '@jest/globals';
import { withResult, type Result } from '#controllers/kustomization/model/conclude.js';

const result = (more: Partial<Result> = {}): Result => ({
  digest: 'd1',
  status: 'ReconciliationSucceeded',
  revision: 'r1',
  now: '2026-01-01T00:00:00Z',
  durationMs: 1_500,
  ...more,
});
const NEWS = { isNews: true };

test('a result that comes again is counted, at the beginning', () => {
  const first = withResult(withResult([], result(), NEWS), result({ digest: 'd2' }), NEWS);
  const again = withResult(first, result({ now: '2026-01-02T00:00:00Z', revision: 'r2', originRevision: 'o' }), NEWS);
  expect(again).toEqual([
    {
      digest: 'd1',
      firstReconciled: '2026-01-01T00:00:00Z',
      lastReconciled: '2026-01-02T00:00:00Z',
      lastReconciledDuration: '1.5s',
      lastReconciledStatus: 'ReconciliationSucceeded',
      totalReconciliations: 2,
      metadata: { revision: 'r2', originRevision: 'o' },
    },
    expect.objectContaining({ digest: 'd2', totalReconciliations: 1 }),
  ]);
});

test('one that says nothing new is not counted, and five are kept', () => {
  const once = withResult([], result(), NEWS);
  expect(withResult(once, result(), { isNews: false })).toBe(once);
  expect(withResult(once, result({ status: 'PruneFailed' }), { isNews: false })).toHaveLength(2);
  const many = Array.from({ length: 9 }, (_, index) => `d${index}`);
  expect(many.reduce((all, digest) => withResult(all, result({ digest }), NEWS), once)).toHaveLength(5);
});
