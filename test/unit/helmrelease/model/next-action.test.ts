import { describe, expect, test } from '@jest/globals';
import { nextAction, type ActionFacts } from '#controllers/helmrelease/model/next-action.js';
import type { ReleaseState } from '#controllers/helmrelease/model/state.js';
import { snapshot } from './builders.js';

type Change = { spec?: ActionFacts['spec']; status?: ActionFacts['status'] } & Partial<
  Omit<ActionFacts, 'spec' | 'status'>
>;

function decided(state: ReleaseState, change: Change): ReturnType<typeof nextAction> {
  const facts = { spec: {}, status: {}, history: [], storedVersions: [], remedyFailed: false, forced: false };
  return nextAction({ state, why: 'because' }, { ...facts, ...change });
}

function outcome(state: ReleaseState, change: Change): string {
  const decision = decided(state, change);
  if (decision.kind === 'act') return decision.action;
  return decision.kind === 'stall' ? decision.reason : decision.kind;
}

const upgradeFailures = (count: number): Change => ({
  status: { lastAttemptedReleaseAction: 'upgrade', upgradeFailures: count },
});
const installFailures = (count: number): Change => ({
  status: { lastAttemptedReleaseAction: 'install', installFailures: count },
});
const failedUpgrade = upgradeFailures(1);
const failedInstall = installFailures(1);
const history = [snapshot({ version: 2, status: 'failed' }), snapshot({ version: 1, status: 'superseded' })];
const stored: Change = { history, storedVersions: [1, 2] };
const retries = (n: number): Change => ({
  spec: { install: { remediation: { retries: n } }, upgrade: { remediation: { retries: n } } },
});
const remediation = (action: 'install' | 'upgrade', remediateLastFailure: boolean): Change => ({
  spec: { [action]: { remediation: { retries: 1, remediateLastFailure } } },
});
const interruptedRollback: Change = {
  history: [snapshot({ version: 3, status: 'failed', action: 'rollback' }), ...history],
  storedVersions: [1, 2, 3],
};
const failedRemedy = { type: 'Remediated', status: 'False', reason: 'RollbackFailed', message: '' } as const;
const failedRollback: Change = {
  ...interruptedRollback,
  status: { ...failedUpgrade.status, conditions: [{ ...failedRemedy, lastTransitionTime: '' }] },
};
const uninstalling: Change = { spec: { upgrade: { remediation: { retries: 3, strategy: 'uninstall' } } } };
const retrying: Change = {
  spec: { install: { strategy: { name: 'RetryOnFailure' } }, upgrade: { strategy: { name: 'RetryOnFailure' } } },
};
const last: Change = { spec: { upgrade: { remediation: { retries: 0, remediateLastFailure: true } } } };
const drift = (mode: 'enabled' | 'warn'): Change => ({ spec: { driftDetection: { mode } } });
const badTest = [snapshot({ version: 2 }), snapshot({ version: 1, testHooks: { t: { phase: 'Failed' } } })];
const failedTest = [snapshot({ version: 2, testHooks: { t: { phase: 'Failed' } } })];

describe('nextAction: as in Flux, the action of each state', () => {
  test.each<[ReleaseState, string, Change, string]>([
    ['Absent', 'by default', {}, 'install'],
    ['Absent', 'with a retry left', { ...retries(1), ...failedInstall }, 'install'],
    ['Absent', 'retries used up', failedInstall, 'RetriesExceeded'],
    ['Absent', 'retries without end', { ...retries(-1), status: { installFailures: 99 } }, 'install'],
    ['Absent', 'retries used up, forced', { ...failedInstall, forced: true }, 'install'],
    ['Locked', 'by default', {}, 'unlock'],
    ['Unmanaged', 'by default', {}, 'adopt'],
    ['OutOfSync', 'by default', {}, 'upgrade'],
    ['OutOfSync', 'retries used up', failedUpgrade, 'RetriesExceeded'],
    ['OutOfSync', 'retries used up, forced', { ...failedUpgrade, forced: true }, 'upgrade'],
    ['OutOfSync', 'under RetryOnFailure', { ...retrying, ...failedUpgrade }, 'upgrade'],
    ['Failed', 'before any attempt', {}, 'upgrade'],
    ['Failed', 'but the inputs changed', { status: { lastAttemptedReleaseAction: 'upgrade' } }, 'upgrade'],
    ['Failed', 'under RetryOnFailure', { ...retrying, ...failedInstall }, 'upgrade'],
    ['Failed', 'forced', { ...failedUpgrade, forced: true }, 'upgrade'],
    ['Failed', 'install without retries', failedInstall, 'RetriesExceeded'],
    ['Failed', 'install with a retry', { ...retries(1), ...failedInstall }, 'uninstall'],
    ['Failed', 'upgrade without retries', { ...failedUpgrade, ...stored }, 'RetriesExceeded'],
    ['Failed', 'upgrade with a retry', { ...retries(1), ...failedUpgrade, ...stored }, 'rollback'],
    [
      'Failed',
      'upgrade, last retry used: with retries, it is remedied by default',
      { ...retries(1), ...upgradeFailures(2), ...stored },
      'rollback',
    ],
    [
      'Failed',
      'upgrade without retries but remediateLastFailure',
      { ...last, ...failedUpgrade, ...stored },
      'rollback',
    ],
    ['Failed', 'rollback, retries used up: not repeated forever', { ...last, ...failedRollback }, 'RetriesExceeded'],
    ['Failed', 'rollback with a retry left', { ...retries(1), ...failedRollback }, 'rollback'],
    [
      'Failed',
      'interrupted rollback, retries used up: it never ended',
      { ...last, ...failedUpgrade, ...interruptedRollback },
      'rollback',
    ],
    ['Failed', 'rollback, forced with retries used up', { ...last, ...failedRollback, forced: true }, 'upgrade'],
    ['Failed', 'upgrade with strategy uninstall', { ...uninstalling, ...failedUpgrade, history }, 'uninstall'],
    [
      'Failed',
      'upgrade, target left storage, with a retry',
      { ...retries(1), ...failedUpgrade, history, storedVersions: [2] },
      'upgrade',
    ],
    [
      'Failed',
      'upgrade, target left storage, retries used up: not repeated forever',
      { ...retries(1), ...upgradeFailures(2), history, storedVersions: [2] },
      'MissingRollbackTarget',
    ],
    [
      'Failed',
      'upgrade after nothing good',
      { ...retries(1), ...failedUpgrade, history: history.slice(0, 1), storedVersions: [1, 2] },
      'MissingRollbackTarget',
    ],
    [
      'Failed',
      'install, last retry used: not remedied by default',
      { ...retries(1), ...installFailures(2) },
      'RetriesExceeded',
    ],
    [
      'Failed',
      'install, last retry used, with remediateLastFailure',
      { ...remediation('install', true), ...installFailures(2) },
      'uninstall',
    ],
    [
      'Failed',
      'upgrade, last retry used, without remediateLastFailure',
      { ...remediation('upgrade', false), ...upgradeFailures(2), ...stored },
      'RetriesExceeded',
    ],
    ['Failed', 'upgrade, retries without end', { ...retries(-1), ...upgradeFailures(99), ...stored }, 'rollback'],
    [
      'Failed',
      'upgrade, forced with retries used up',
      { ...retries(0), ...upgradeFailures(9), forced: true },
      'upgrade',
    ],
    [
      'Failed',
      'upgrade under RetryOnFailure, whatever its remediation',
      {
        spec: { upgrade: { strategy: { name: 'RetryOnFailure' }, remediation: { retries: 0 } } },
        ...upgradeFailures(9),
        ...stored,
      },
      'upgrade',
    ],
    [
      'Failed',
      'test of an install with a retry',
      { ...retries(1), ...failedInstall, history: failedTest, storedVersions: [1] },
      'uninstall',
    ],
    [
      'Failed',
      'test of an upgrade with a retry',
      { ...retries(1), ...failedUpgrade, history: [...failedTest, ...history.slice(1)], storedVersions: [1, 2] },
      'rollback',
    ],
    ['Failed', 'test without retries', { ...failedInstall, history: failedTest }, 'RetriesExceeded'],
    ['Absent', 'after the upgrade was remedied by uninstall', { ...uninstalling, ...failedUpgrade }, 'install'],
    ['Absent', 'under RetryOnFailure', { ...retrying, ...failedInstall }, 'install'],
    ['OutOfSync', 'with failed installs', failedInstall, 'upgrade'],
    [
      'Failed',
      'upgrade whose target had failing tests',
      { ...retries(1), ...failedUpgrade, history: badTest, storedVersions: [1, 2] },
      'MissingRollbackTarget',
    ],
    ['Untested', 'by default', {}, 'test'],
    ['Drifted', 'by default', drift('enabled'), 'correct'],
    ['Drifted', 'where drift is only told', drift('warn'), 'done'],
    ['Drifted', 'forced', { ...drift('enabled'), forced: true }, 'upgrade'],
    ['InSync', 'by default', {}, 'done'],
    ['InSync', 'forced', { forced: true }, 'upgrade'],
  ])('%s, %s', (state, _situation, change, expected) => {
    expect(outcome(state, change)).toBe(expected);
  });

  test('a stall says how often it was tried, and how to get more attempts', () => {
    expect(decided('OutOfSync', failedUpgrade)).toMatchObject({
      message:
        'Failed to upgrade after 1 attempt(s): change the spec, or ask for more attempts with "fairlead sync ' +
        'APPLICATION --reset", or with the annotations reconcile.fluxcd.io/requestedAt and ' +
        'reconcile.fluxcd.io/resetAt of one new value',
    });
  });
});
