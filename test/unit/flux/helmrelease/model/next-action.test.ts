import { describe, expect, test } from '@jest/globals';
import { nextAction, type ActionFacts } from '#controllers/flux/helmrelease/model/next-action.js';
import type { ReleaseState } from '#controllers/flux/helmrelease/model/state.js';
import { snapshot } from './builders.js';

type Change = { spec?: ActionFacts['spec']; status?: ActionFacts['status'] } & Partial<
  Omit<ActionFacts, 'spec' | 'status'>
>;

function outcome(state: ReleaseState, change: Change = {}): string {
  const facts = {
    spec: {},
    status: {},
    history: [],
    storedVersions: [],
    remedyFailed: false,
    forced: false,
    ...change,
  };
  const decision = nextAction({ state, why: 'because' }, facts);
  if (decision.kind === 'act') return decision.action;
  return decision.kind === 'stall' ? decision.reason : decision.kind;
}

const failedUpgrade = { lastAttemptedReleaseAction: 'upgrade', upgradeFailures: 1 };
const failedInstall = { lastAttemptedReleaseAction: 'install', installFailures: 1 };
const history = [snapshot({ version: 2, status: 'failed' }), snapshot({ version: 1, status: 'superseded' })];
const retries = (n: number): ActionFacts['spec'] => ({
  install: { remediation: { retries: n } },
  upgrade: { remediation: { retries: n } },
});
const failedRollback = {
  history: [snapshot({ version: 3, status: 'failed', action: 'rollback' }), ...history],
  storedVersions: [1, 2, 3],
};
const failedRemedy = { type: 'Remediated', status: 'False', reason: 'RollbackFailed', message: '' } as const;
const afterRollback = { ...failedUpgrade, conditions: [{ ...failedRemedy, lastTransitionTime: '' }] };
const uninstalling: ActionFacts['spec'] = { upgrade: { remediation: { retries: 3, strategy: 'uninstall' } } };
const retrying: ActionFacts['spec'] = {
  install: { strategy: { name: 'RetryOnFailure' } },
  upgrade: { strategy: { name: 'RetryOnFailure' } },
};
const last: ActionFacts['spec'] = { upgrade: { remediation: { retries: 0, remediateLastFailure: true } } };
const badTest = [snapshot({ version: 2 }), snapshot({ version: 1, testHooks: { t: { phase: 'Failed' } } })];

const failedTest = [snapshot({ version: 2, testHooks: { t: { phase: 'Failed' } } })];

describe('nextAction: as in Flux, the action of each state', () => {
  test.each<[string, ReleaseState, Change, string]>([
    ['Absent: install', 'Absent', {}, 'install'],
    ['Absent with a retry left: install', 'Absent', { spec: retries(1), status: failedInstall }, 'install'],
    ['Absent, retries used up: stall', 'Absent', { status: failedInstall }, 'RetriesExceeded'],
    [
      'Absent, retries without end: install',
      'Absent',
      { spec: retries(-1), status: { installFailures: 99 } },
      'install',
    ],
    ['Absent, retries used up, forced: install', 'Absent', { status: failedInstall, forced: true }, 'install'],
    ['Locked: unlock', 'Locked', {}, 'unlock'],
    ['Unmanaged: adopt', 'Unmanaged', {}, 'adopt'],
    ['OutOfSync: upgrade', 'OutOfSync', {}, 'upgrade'],
    ['OutOfSync, retries used up: stall', 'OutOfSync', { status: failedUpgrade }, 'RetriesExceeded'],
    ['OutOfSync, retries used up, forced: upgrade', 'OutOfSync', { status: failedUpgrade, forced: true }, 'upgrade'],
    ['OutOfSync under RetryOnFailure: upgrade', 'OutOfSync', { spec: retrying, status: failedUpgrade }, 'upgrade'],
    ['Failed before any attempt: upgrade', 'Failed', {}, 'upgrade'],
    [
      'Failed, but the inputs changed since: upgrade',
      'Failed',
      { status: { lastAttemptedReleaseAction: 'upgrade' } },
      'upgrade',
    ],
    ['Failed under RetryOnFailure: upgrade', 'Failed', { spec: retrying, status: failedInstall }, 'upgrade'],
    ['Failed, forced: upgrade', 'Failed', { status: failedUpgrade, forced: true }, 'upgrade'],
    ['Failed install without retries: stall', 'Failed', { status: failedInstall }, 'RetriesExceeded'],
    ['Failed install with a retry: uninstall', 'Failed', { spec: retries(1), status: failedInstall }, 'uninstall'],
    [
      'Failed upgrade without retries: stall',
      'Failed',
      { status: failedUpgrade, history, storedVersions: [1, 2] },
      'RetriesExceeded',
    ],
    [
      'Failed upgrade with a retry: roll back',
      'Failed',
      { spec: retries(1), status: failedUpgrade, history, storedVersions: [1, 2] },
      'rollback',
    ],
    [
      'Failed upgrade, last retry used: roll back once more, which is the default with retries',
      'Failed',
      { spec: retries(1), status: { ...failedUpgrade, upgradeFailures: 2 }, history, storedVersions: [1, 2] },
      'rollback',
    ],
    [
      'Failed upgrade without retries but remediateLastFailure: roll back',
      'Failed',
      { spec: last, status: failedUpgrade, history, storedVersions: [1, 2] },
      'rollback',
    ],
    [
      'Failed rollback, retries used up: stall, and do not roll back for ever',
      'Failed',
      { spec: last, status: afterRollback, ...failedRollback },
      'RetriesExceeded',
    ],
    [
      'Failed rollback with a retry left: roll back again',
      'Failed',
      { spec: retries(1), status: afterRollback, ...failedRollback },
      'rollback',
    ],
    [
      'Rollback that was cut off, retries used up: roll back again, since it never ended',
      'Failed',
      { spec: last, status: failedUpgrade, ...failedRollback },
      'rollback',
    ],
    [
      'Failed rollback, forced with retries used up: upgrade',
      'Failed',
      { spec: last, status: afterRollback, ...failedRollback, forced: true },
      'upgrade',
    ],
    [
      'Failed upgrade with strategy uninstall: uninstall',
      'Failed',
      { spec: uninstalling, status: failedUpgrade, history },
      'uninstall',
    ],
    [
      'Failed upgrade whose target left storage, with a retry: upgrade instead',
      'Failed',
      { spec: retries(1), status: failedUpgrade, history, storedVersions: [2] },
      'upgrade',
    ],
    [
      'Failed upgrade whose target left storage, retries used up: stall, and do not upgrade for ever',
      'Failed',
      { spec: retries(1), status: { ...failedUpgrade, upgradeFailures: 2 }, history, storedVersions: [2] },
      'MissingRollbackTarget',
    ],
    [
      'Failed upgrade that nothing good came before: stall',
      'Failed',
      { spec: retries(1), status: failedUpgrade, history: history.slice(0, 1), storedVersions: [1, 2] },
      'MissingRollbackTarget',
    ],
    [
      'Failed install, last retry used: stall, since an install is not remedied then by default',
      'Failed',
      { spec: retries(1), status: { ...failedInstall, installFailures: 2 } },
      'RetriesExceeded',
    ],
    [
      'Failed install, last retry used, with remediateLastFailure: uninstall',
      'Failed',
      {
        spec: { install: { remediation: { retries: 1, remediateLastFailure: true } } },
        status: { ...failedInstall, installFailures: 2 },
      },
      'uninstall',
    ],
    [
      'Failed upgrade, last retry used, without remediateLastFailure: stall',
      'Failed',
      {
        spec: { upgrade: { remediation: { retries: 1, remediateLastFailure: false } } },
        status: { ...failedUpgrade, upgradeFailures: 2 },
        history,
        storedVersions: [1, 2],
      },
      'RetriesExceeded',
    ],
    [
      'Failed upgrade, retries without end: roll back',
      'Failed',
      {
        spec: retries(-1),
        status: { ...failedUpgrade, upgradeFailures: 99 },
        history,
        storedVersions: [1, 2],
      },
      'rollback',
    ],
    [
      'Failed upgrade, forced with retries used up: upgrade',
      'Failed',
      { spec: retries(0), status: { ...failedUpgrade, upgradeFailures: 9 }, forced: true },
      'upgrade',
    ],
    [
      'Failed upgrade under RetryOnFailure, whatever its remediation says: upgrade',
      'Failed',
      {
        spec: { upgrade: { strategy: { name: 'RetryOnFailure' }, remediation: { retries: 0 } } },
        status: { ...failedUpgrade, upgradeFailures: 9 },
        history,
        storedVersions: [1, 2],
      },
      'upgrade',
    ],
    [
      'Failed test of an install with a retry: uninstall',
      'Failed',
      { spec: retries(1), status: failedInstall, history: failedTest, storedVersions: [1] },
      'uninstall',
    ],
    [
      'Failed test of an upgrade with a retry: roll back',
      'Failed',
      {
        spec: retries(1),
        status: failedUpgrade,
        history: [...failedTest, ...history.slice(1)],
        storedVersions: [1, 2],
      },
      'rollback',
    ],
    ['Failed test without retries: stall', 'Failed', { status: failedInstall, history: failedTest }, 'RetriesExceeded'],
    [
      'Absent after the upgrade was remedied by uninstall: install',
      'Absent',
      { spec: uninstalling, status: failedUpgrade },
      'install',
    ],
    ['Absent under RetryOnFailure: install', 'Absent', { spec: retrying, status: failedInstall }, 'install'],
    ['OutOfSync with failed installs: upgrade', 'OutOfSync', { status: failedInstall }, 'upgrade'],
    [
      'Failed upgrade whose target had failing tests: stall',
      'Failed',
      { spec: retries(1), status: failedUpgrade, history: badTest, storedVersions: [1, 2] },
      'MissingRollbackTarget',
    ],
    ['Untested: test', 'Untested', {}, 'test'],
    ['Drifted: correct', 'Drifted', { spec: { driftDetection: { mode: 'enabled' } } }, 'correct'],
    ['Drifted where drift is only told: done', 'Drifted', { spec: { driftDetection: { mode: 'warn' } } }, 'done'],
    ['Drifted, forced: upgrade', 'Drifted', { spec: { driftDetection: { mode: 'enabled' } }, forced: true }, 'upgrade'],
    ['InSync: done', 'InSync', {}, 'done'],
    ['InSync, forced: upgrade', 'InSync', { forced: true }, 'upgrade'],
  ])('%s', (_name, state, change, expected) => {
    expect(outcome(state, change)).toBe(expected);
  });

  test('a stall says how often it was tried', () => {
    const facts = {
      spec: {},
      status: failedUpgrade,
      history: [],
      storedVersions: [],
      remedyFailed: false,
      forced: false,
    };
    expect(nextAction({ state: 'OutOfSync', why: '' }, facts)).toMatchObject({
      message: 'Failed to upgrade after 1 attempt(s)',
    });
  });
});
