import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { isReadyFor } from '#engine/flux/model/conclusion.js';
import * as steps from '#controllers/helmrelease/model/status.js';
import { notReady, progressing, retrying } from '#engine/flux/model/progress.js';
import { helmRelease, snapshot, statusContext } from './builders.js';

const context = statusContext();
const attempted = { namespace: 'apps', name: 'web', chartName: 'web', chartVersion: '1.0.0' };

/** A condition as `Status Reason: message`. */
function condition(status: HelmReleaseStatus, type: string): string | undefined {
  const found = status.conditions?.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

function types(status: HelmReleaseStatus): string[] {
  return (status.conditions ?? []).map(({ type }) => type).sort();
}

const installed = steps.released({}, context, { action: 'install', snapshot: snapshot(), clearFailures: false });

describe('a release that worked (as in Flux)', () => {
  test('is Released with Flux’s message, and Ready copies it', () => {
    const done = steps.inSync(installed, context);
    const expected = 'True InstallSucceeded: Helm install succeeded for release apps/web.v1 with chart web@1.0.0';
    expect(condition(done, 'Released')).toBe(expected);
    expect(condition(done, 'Ready')).toBe(expected);
    expect(types(done)).toEqual(['Ready', 'Released']);
    expect(done.observedGeneration).toBe(1);
  });

  test('speaks of the newest spec, also when that needed no action', () => {
    const later = steps.inSync(installed, statusContext({ generation: 2 }));
    const generations = later.conditions?.map(({ type, observedGeneration }) => [type, observedGeneration]);
    expect(generations).toEqual([
      ['Released', 1],
      ['Ready', 2],
    ]);
  });

  test('an idle pass later changes nothing', () => {
    const done = steps.inSync(installed, context);
    expect(steps.inSync(done, statusContext({ now: '2027-01-01T00:00:00Z' }))).toEqual(done);
  });

  test('awaits its tests when they are enabled, and is not Ready before', () => {
    const tests = statusContext({ testsEnabled: true, testsCount: true });
    const status = steps.released({}, tests, { action: 'install', snapshot: snapshot(), clearFailures: false });
    const message = 'Helm release apps/web.v1 with chart web@1.0.0 is awaiting tests';
    expect(condition(status, 'TestSuccess')).toBe(`Unknown AwaitingTests: ${message}`);
  });

  test('keeps failures, unless it is the end of RetryOnFailure', () => {
    const before = { failures: 2, upgradeFailures: 2 };
    const outcome = { action: 'upgrade', snapshot: snapshot({ version: 2 }) } as const;
    expect(steps.released(before, context, { ...outcome, clearFailures: false })).toMatchObject(before);
    expect(steps.released(before, context, { ...outcome, clearFailures: true })).not.toHaveProperty('failures');
  });

  test('an install starts a new history', () => {
    const before = { history: [snapshot({ version: 7 })] };
    const after = steps.released(before, context, { action: 'install', snapshot: snapshot(), clearFailures: false });
    expect(after.history).toEqual([snapshot()]);
  });
});

describe('a spec that is known to run as it says', () => {
  const running = steps.inSync(installed, context);
  const wrong = { reason: 'UpgradeFailed', message: 'm' };
  const rolledBack = steps.remediated(running, context, {
    action: 'rollback',
    snapshot: snapshot({ version: 3 }),
    target: snapshot(),
    error: undefined,
  });

  test.each<[string, HelmReleaseStatus | undefined, number, boolean]>([
    ['is one that ended Ready', running, 1, true],
    ['is none before the first pass', undefined, 1, false],
    ['is none that changed since', running, 2, false],
    ['is none that was refused', notReady(running, context, { ...wrong, stalled: true }), 1, false],
    ['is none whose last pass had trouble', notReady(running, context, { ...wrong, stalled: false }), 1, false],
    ['is none on which nothing more is tried', steps.stalled(running, context, wrong), 1, false],
    ['is none that was rolled back', steps.stalled(rolledBack, context, wrong), 1, false],
    ['is none that is being rolled out', progressing(running, context, 'm'), 1, false],
  ])('%s', (_name, status, generation, expected) => {
    expect(isReadyFor(status, generation)).toBe(expected);
  });
});

describe('a release that failed', () => {
  const outcome = { action: 'upgrade', attempted, error: 'timeout waiting for: [Deployment/apps/web]' } as const;

  test('says why and counts, when it changed the storage', () => {
    const failed = snapshot({ version: 2, status: 'failed' });
    const status = steps.releaseFailed(installed, context, { ...outcome, snapshot: failed });
    expect(condition(status, 'Ready')).toBe(
      'False UpgradeFailed: Helm upgrade failed for release apps/web with chart web@1.0.0: timeout waiting for: [Deployment/apps/web]',
    );
    expect(status).toMatchObject({ failures: 1, upgradeFailures: 1 });
    expect(status.history?.map(({ version }) => version)).toEqual([2, 1]);
  });

  test('in an install begins a history, as one that works does', () => {
    const before = { history: [snapshot({ version: 7, status: 'uninstalled' })] };
    const failed = snapshot({ version: 8, status: 'failed' });
    const status = steps.releaseFailed(before, context, { ...outcome, action: 'install', snapshot: failed });
    expect(status.history).toEqual([failed]);
  });

  test('does not use up a retry when it never reached the storage', () => {
    const status = steps.releaseFailed(installed, context, { ...outcome, snapshot: undefined });
    expect(status.failures).toBe(1);
    expect(status).not.toHaveProperty('upgradeFailures');
    expect(status.history).toEqual(installed.history);
  });
});

describe('an attempt that left no revision, once what runs is needed again (Flux, InSync)', () => {
  const refused = (action: 'install' | 'upgrade'): HelmReleaseStatus =>
    steps.releaseFailed(installed, statusContext({ generation: 2 }), {
      ...{ action, attempted, error: 'values are wrong', snapshot: undefined },
    });
  const back = (status: HelmReleaseStatus): HelmReleaseStatus =>
    steps.inSync({ ...status, history: [snapshot()] }, statusContext({ generation: 3 }));

  test.each<[string, HelmReleaseStatus, string]>([
    ['an upgrade', refused('upgrade'), 'UpgradeSucceeded'],
    ['an install', refused('install'), 'InstallSucceeded'],
    [
      'a pass that was not Ready for another reason',
      notReady(refused('upgrade'), context, { reason: 'SourceNotReady', message: 'm', stalled: false }),
      'UpgradeSucceeded',
    ],
    ['a status that says nothing of it', { history: [snapshot()] }, 'UpgradeSucceeded'],
  ])('%s is forgotten, and the release Ready', (_name, status, reason) => {
    const done = back(status);
    expect(condition(done, 'Released')).toMatch(/succeeded for release apps\/web\.v1 with chart web@1\.0\.0$/);
    expect(condition(done, 'Released')).toContain(`True ${reason}: `);
    expect(condition(done, 'Ready')).toBe(condition(done, 'Released'));
    expect(types(done)).toEqual(['Ready', 'Released']);
  });
});

describe('a remediation', () => {
  const failed = steps.releaseFailed(installed, context, {
    action: 'upgrade',
    attempted,
    error: 'x',
    snapshot: snapshot({ version: 2, status: 'failed' }),
  });

  test('by rollback names the release it went back to and is never Ready', () => {
    const status = steps.remediated(failed, context, {
      action: 'rollback',
      snapshot: snapshot({ version: 3, action: 'rollback' }),
      target: snapshot(),
      error: undefined,
    });
    const message = 'Helm rollback to previous release apps/web.v1 with chart web@1.0.0 succeeded';
    expect(condition(status, 'Remediated')).toBe(`True RollbackSucceeded: ${message}`);
    expect(condition(status, 'Ready')).toBe(`False RollbackSucceeded: ${message}`);
    expect(status.history?.map(({ version }) => version)).toEqual([3, 2, 1]);
  });

  test('by uninstall that failed is counted', () => {
    const target = snapshot({ version: 2, status: 'failed' });
    const status = steps.remediated(failed, context, { action: 'uninstall', snapshot: target, target, error: 'no' });
    expect(condition(status, 'Remediated')).toBe(
      'False UninstallFailed: Helm uninstall remediation for release apps/web.v2 with chart web@1.0.0 failed: no',
    );
    expect(status.failures).toBe(2);
  });

  test('keeps the message of the failure, even when nothing is retried any more', () => {
    const outcome = { action: 'rollback', snapshot: snapshot({ version: 3 }), target: snapshot() } as const;
    const status = steps.remediated(failed, context, { ...outcome, error: undefined });
    const facts = { reason: 'RetriesExceeded', message: 'Failed to upgrade after 1 attempt(s)' };
    const words = 'Helm upgrade failed for release apps/web with chart web@1.0.0: x';
    expect(condition(steps.stalled(status, context, facts), 'Released')).toBe(`False UpgradeFailed: ${words}`);
  });

  test('that went back to what is wanted now is a release like any other (as in Flux, InSync)', () => {
    const back = snapshot({ version: 3, action: 'rollback' });
    const outcome = { action: 'rollback', snapshot: back, target: snapshot(), error: undefined } as const;
    const status = steps.inSync(steps.remediated(failed, context, outcome), statusContext({ generation: 2 }));
    expect(types(status)).toEqual(['Ready', 'Released']);
    expect(condition(status, 'Ready')).toBe(
      'True UpgradeSucceeded: Helm upgrade succeeded for release apps/web.v3 with chart web@1.0.0',
    );
  });

  test('before a retry is Reconciling with the message of Ready', () => {
    const outcome = { action: 'uninstall', snapshot: snapshot(), target: snapshot(), error: undefined } as const;
    const status = retrying(steps.remediated(failed, context, outcome), context);
    expect(condition(status, 'Reconciling')).toBe(
      'True ProgressingWithRetry: Helm uninstall remediation for release apps/web.v1 with chart web@1.0.0 succeeded',
    );
  });

  test('is forgotten by the next success', () => {
    const target = snapshot({ version: 2, status: 'failed' });
    const status = steps.remediated(failed, context, {
      action: 'uninstall',
      snapshot: target,
      target,
      error: undefined,
    });
    const next = steps.released(status, context, { action: 'install', snapshot: snapshot(), clearFailures: false });
    expect(condition(steps.inSync(next, context), 'Remediated')).toBeUndefined();
  });
});

describe('tests', () => {
  const counting = statusContext({ testsEnabled: true, testsCount: true });
  const attempt = { ...installed, lastAttemptedReleaseAction: 'install' as const };
  const run = (error: string | undefined, counts = true): HelmReleaseStatus =>
    steps.tested(attempt, counting, {
      snapshot: snapshot({ testHooks: { 'web-test': { phase: error === undefined ? 'Succeeded' : 'Failed' } } }),
      error,
      counts,
    });

  test('that succeed are reported with their number', () => {
    expect(condition(run(undefined), 'TestSuccess')).toBe(
      'True TestSucceeded: Helm test succeeded for release apps/web.v1 with chart web@1.0.0: 1 test hook completed successfully',
    );
  });

  test('that fail make the release not Ready and count', () => {
    const status = run('hook failed');
    expect(condition(status, 'Ready')).toMatch(/^False TestFailed: /);
    expect(status).toMatchObject({ failures: 1, installFailures: 1 });
  });

  test('that fail and are ignored are failures that use up no retry', () => {
    const status = run('hook failed', false);
    expect(status).toMatchObject({ failures: 1 });
    expect(status).not.toHaveProperty('installFailures');
  });

  test('are reported if there are none', () => {
    const outcome = { snapshot: snapshot({ testHooks: {} }), error: undefined, counts: true };
    expect(condition(steps.tested(attempt, counting, outcome), 'TestSuccess')).toMatch(/: no test hooks$/);
  });

  test('that fail and are ignored by the release leave it Ready (as in Flux)', () => {
    const ignoring = statusContext({ testsEnabled: true, testsCount: false });
    const status = steps.inSync(run('hook failed', false), ignoring);
    expect(condition(status, 'Ready')).toMatch(/^True InstallSucceeded: /);
    expect(condition(status, 'TestSuccess')).toMatch(/^False /);
  });

  test('that fail and are ignored by the remediation only leave it not Ready', () => {
    expect(condition(steps.inSync(run('no', false), counting), 'Ready')).toMatch(/ TestFailed: /);
  });

  test('that are disabled later are forgotten (as in Flux)', () => {
    const status = steps.inSync(run('hook failed'), statusContext({ generation: 2 }));
    expect(types(status)).toEqual(['Ready', 'Released']);
    expect(condition(status, 'Ready')).toMatch(/^True /);
  });
});

describe('unlocked', () => {
  test('keeps an unknown revision unknown, so that it is adopted next', () => {
    const opened = { snapshot: snapshot({ status: 'failed' }), was: 'pending-install', isOwn: false };
    const status = steps.unlocked({}, context, opened);
    expect(status.history).toBeUndefined();
    expect(condition(status, 'Released')).toMatch(/^False PendingRelease: /);
  });

  test('records a known revision as failed', () => {
    const opened = { snapshot: snapshot({ status: 'failed' }), was: 'uninstalling', isOwn: false };
    expect(steps.unlocked(installed, context, opened).history?.[0]?.status).toBe('failed');
  });

  test('records a revision of ours that the status does not know yet, before what was good', () => {
    const opened = { snapshot: snapshot({ version: 2, status: 'failed' }), was: 'pending-upgrade', isOwn: true };
    const { history } = steps.unlocked(installed, context, opened);
    expect(history?.map(({ version, status }) => `${version} ${status}`)).toEqual(['2 failed', '1 deployed']);
  });
});

describe('the end of a pass', () => {
  test('stalled without retries left keeps the message of the failure in Ready', () => {
    const facts = { reason: 'RetriesExceeded', message: 'Failed to install after 1 attempt(s)' };
    const failed = steps.releaseFailed({}, context, {
      action: 'install',
      attempted,
      error: 'x',
      snapshot: snapshot({ status: 'failed' }),
    });
    const status = steps.stalled(failed, context, facts);
    expect(condition(status, 'Stalled')).toBe(`True ${facts.reason}: ${facts.message}`);
    expect(condition(status, 'Ready')).toMatch(/ InstallFailed: /);
  });
});

test('a running action is announced with its timeout, and what asked for it counts as handled', () => {
  const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  const release = helmRelease({ timeout: '1m' }, { metadata: { name: 'web', namespace: 'shop', annotations } });
  const before = { lastAttemptedReleaseActionDuration: '9s', observedGeneration: 1 };
  expect(steps.announced(before, context, { action: 'upgrade', release })).toMatchObject({
    ...{ lastAttemptedReleaseAction: 'upgrade', lastHandledReconcileAt: 'now' },
    conditions: [
      { type: 'Reconciling', message: "Running 'upgrade' action with timeout of 1m0s" },
      { type: 'Ready', status: 'Unknown' },
    ],
  });
  expect(steps.announced(before, context, { action: 'upgrade', release })).not.toHaveProperty(
    'lastAttemptedReleaseActionDuration',
  );
});
