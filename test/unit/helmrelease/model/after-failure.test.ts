import { expect, test } from '@jest/globals';
import { afterFailure, type FailedAction } from '#controllers/helmrelease/model/next-action.js';
import { upgradeRemediation, type ActionSpec, type Remediation } from '#controllers/helmrelease/model/remediation.js';

function remediation(upgrade: ActionSpec, upgradeFailures = 1): Remediation {
  return upgradeRemediation({ spec: { upgrade }, status: { lastAttemptedReleaseAction: 'upgrade', upgradeFailures } });
}

const none = remediation({});
const left = remediation({ remediation: { retries: 3 } });
const endless = remediation({ remediation: { retries: -1 } }, 99);
const retrying = remediation({ strategy: { name: 'RetryOnFailure', retryInterval: '2m' } });
const ignoring = { ...retrying, ignoreTestFailures: true };

test.each<[string, Partial<FailedAction>, Remediation | undefined, string]>([
  ['a failed upgrade: its state decides', { action: 'upgrade' }, left, 'observe'],
  ['a failed test: its state decides', { action: 'test' }, left, 'observe'],
  ['an upgrade that left no revision: again', { action: 'upgrade', uncounted: true }, none, 'backoff'],
  ['a final rejection: stall', { action: 'upgrade', rejection: 'final' }, none, 'stall'],
  ['another rejection: again', { action: 'upgrade', rejection: 'passing' }, none, 'backoff'],
  ['a failed upgrade under RetryOnFailure: later', { action: 'upgrade' }, retrying, 'retry 120000'],
  ['an upgrade without a revision, too', { action: 'upgrade', uncounted: true }, retrying, 'retry 120000'],
  ['a final rejection, too', { action: 'upgrade', rejection: 'final' }, retrying, 'retry 120000'],
  ['a failed test, too', { action: 'test' }, retrying, 'retry 120000'],
  ['a failed test that is ignored: its state decides', { action: 'test' }, ignoring, 'observe'],
  ['a failed rollback with retries left: again', { action: 'rollback' }, left, 'backoff'],
  ['a failed rollback, retries without end: again', { action: 'rollback' }, endless, 'backoff'],
  ['a failed rollback, none left: stall', { action: 'rollback' }, none, 'stall RetriesExceeded'],
  ['a failed uninstall, none left: stall', { action: 'uninstall' }, none, 'stall RetriesExceeded'],
  ['a failed uninstall without a remediation: again', { action: 'uninstall' }, undefined, 'backoff'],
])('%s', (_name, failed, active, expected) => {
  const after = afterFailure({ action: 'upgrade', uncounted: false, ...failed }, active);
  const detail = after.kind === 'retry' ? ` ${after.afterMs}` : '';
  const reason = after.kind === 'stall' && after.why !== undefined ? ` ${after.why.reason}` : '';
  expect(`${after.kind}${detail}${reason}`).toBe(expected);
});
