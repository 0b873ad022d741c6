import { expect, test } from '@jest/globals';
import {
  activeRemediation,
  installRemediation,
  isExhausted,
  upgradeRemediation,
} from '#controllers/helmrelease/model/remediation.js';

test('an install is always remediated by uninstalling, and not after the last failure', () => {
  expect(installRemediation({ spec: { install: { remediation: { retries: 2 } } }, status: {} })).toMatchObject({
    strategy: 'uninstall',
    remediateLastFailure: false,
  });
});

test('an upgrade is remediated by rollback, after the last failure too when there are retries', () => {
  const remediation = (retries: number): object =>
    upgradeRemediation({ spec: { upgrade: { remediation: { retries } } }, status: {} });
  expect(remediation(0)).toMatchObject({ strategy: 'rollback', remediateLastFailure: false });
  expect(remediation(1)).toMatchObject({ strategy: 'rollback', remediateLastFailure: true });
});

test.each([
  ['counts by default', {}, {}, [false, false]],
  ['is ignored for both', { ignoreFailures: true }, {}, [true, true]],
  ['is ignored for upgrades', {}, { upgrade: { remediation: { ignoreTestFailures: true } } }, [false, true]],
  ['is ignored for installs', {}, { install: { remediation: { ignoreTestFailures: true } } }, [true, false]],
  [
    'counts for installs although tests say otherwise',
    { ignoreFailures: true },
    { install: { remediation: { ignoreTestFailures: false } } },
    [false, true],
  ],
] as const)('as in Flux: a failing test %s', (_name, test, actions, expected) => {
  const input = { spec: { test, ...actions }, status: {} };
  expect([installRemediation(input), upgradeRemediation(input)].map((each) => each.ignoreTestFailures)).toEqual(
    expected,
  );
});

test.each([
  ['nothing before the first attempt', undefined, undefined],
  ['that of installs after an install', 'install', 'install'],
  ['that of upgrades after an upgrade', 'upgrade', 'upgrade'],
])('the active remediation is %s', (_name, lastAttemptedReleaseAction, expected) => {
  expect(activeRemediation({ spec: {}, status: { lastAttemptedReleaseAction } })?.action).toBe(expected);
});

test.each([
  [0, 0, false],
  [1, 0, true],
  [1, 1, false],
  [2, 1, true],
  [99, -1, false],
])('%i failures with %i retries: exhausted is %s', (installFailures, retries, expected) => {
  const input = { spec: { install: { remediation: { retries } } }, status: { installFailures } };
  expect(isExhausted(installRemediation(input))).toBe(expected);
});
