import { describe, expect, test } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import { changeSet, objectChange } from '#engine/dry-run/change-set.js';
import { isNews, reported, reportOf, withoutDryRun } from '#engine/dry-run/report.js';
import { getCondition } from '#lib/kube/conditions.js';

const NOW = '2026-01-01T00:00:00Z';
const READY: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'AllReady',
  message: 'ready',
  lastTransitionTime: NOW,
};
const moment = { generation: 3, now: NOW };

function dryRun(action: 'created' | 'failed') {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } };
  const changes = [objectChange({ action, object, message: 'why' })];
  return changeSet({ changes, unchanged: 0, observedGeneration: 3, action: 'install (new)', now: NOW }, undefined);
}

describe('the report of a dry run', () => {
  test('has the action, the counts and the first failure', () => {
    expect(reportOf(dryRun('created'))).toMatchObject({ status: 'True', reason: 'DryRunSucceeded' });
    expect(reportOf(dryRun('created')).message).toMatch(/^install \(new\): 1 created; nothing is written while /);
    expect(reportOf(dryRun('failed'))).toMatchObject({ status: 'False', reason: 'DryRunFailed' });
    expect(reportOf(dryRun('failed')).message).toMatch(/^install \(new\): 1 failed: ConfigMap\/shop\/web: why; /);
  });

  test('leaves Ready unchanged where something else has said it', () => {
    const report = reportOf(dryRun('created'));
    expect(getCondition(reported([READY], report, moment), 'Ready')).toEqual(READY);
    const first = reported([], report, moment);
    expect(getCondition(first, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'DryRun', observedGeneration: 3 });
    expect(reported(first, report, moment)).toEqual(first);
  });

  test('is news once', () => {
    const report = reportOf(dryRun('created'));
    expect(isNews(undefined, report)).toBe(true);
    expect(isNews(reported([READY], report, moment), report)).toBe(false);
    expect(isNews(reported([READY], report, moment), reportOf(dryRun('failed')))).toBe(true);
  });

  test('leaves nothing behind', () => {
    const report = reportOf(dryRun('created'));
    const status = { dryRun: dryRun('created'), conditions: reported([READY], report, moment) };
    expect(withoutDryRun(status)).toEqual({ conditions: [READY] });
    const untouched = { conditions: [READY] };
    expect(withoutDryRun(untouched)).toBe(untouched);
  });
});
