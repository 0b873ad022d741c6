import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { configDigest } from '#controllers/helmrelease/model/digest.js';
import { isUnreported, statusOfInterrupted } from '#controllers/helmrelease/model/interrupted.js';
import { describeUnlocked, type StoredRevision } from '#controllers/helmrelease/model/release.js';
import { record, revision, snapshot, statusContext } from './builders.js';

const UPGRADING: HelmReleaseStatus = { lastAttemptedReleaseAction: 'upgrade', history: [snapshot()] };
const INSTALLING: HelmReleaseStatus = { lastAttemptedReleaseAction: 'install' };

describe('isUnreported', () => {
  test.each<[string, Partial<StoredRevision>, HelmReleaseStatus, boolean]>([
    ['the end of an upgrade', {}, UPGRADING, true],
    ['the end of a failed upgrade', { status: 'failed' }, UPGRADING, true],
    ['the end of an install', { version: 1 }, INSTALLING, true],
    ['an upgrade under way', { status: 'pending-upgrade' }, UPGRADING, false],
    ['an uninstall', { status: 'uninstalled' }, UPGRADING, false],
    ['a revision that someone touched', { untouched: false }, UPGRADING, false],
    ['a revision after one that we do not know', { version: 3 }, UPGRADING, false],
    ['the revision that the status has', { version: 1 }, UPGRADING, false],
    ['a status that announced nothing', {}, { history: [snapshot()] }, false],
  ])('%s', (_name, change, status, expected) => {
    expect(isUnreported(revision({ version: 2, ...change }), status)).toBe(expected);
  });
});

describe('statusOfInterrupted', () => {
  const context = statusContext();
  const values = { color: 'green' };
  const second = record({ version: 2, config: values });
  const { info } = second;
  const now = { config: values, configDigest: configDigest(values) };

  test('a deployed revision is a release, and supersedes the one before', () => {
    const next = statusOfInterrupted(UPGRADING, context, { record: second, clearFailures: false, now });
    expect(next).toMatchObject({
      conditions: [{ type: 'Released', status: 'True', reason: 'UpgradeSucceeded' }],
      history: [
        { version: 2, status: 'deployed', action: 'upgrade', configDigest: configDigest(values) },
        { version: 1, status: 'superseded' },
      ],
    });
  });

  test.each([
    ['of the spec where they still give it', { color: 'green' }, 'sha256:spec'],
    ['of the revision where the spec has others since', { color: 'blue' }, configDigest(values)],
  ])('a revision that preserved values has the digest of those %s', (_name, config, digest) => {
    const given = { config, configDigest: 'sha256:spec' };
    const next = statusOfInterrupted(UPGRADING, context, { record: second, clearFailures: false, now: given });
    expect(next?.history?.[0]).toMatchObject({ version: 2, configDigest: digest });
  });

  test('a failed revision is counted, with the error that helm stored', () => {
    const description = 'Upgrade "web" failed: timeout waiting for: [Deployment/apps/web]';
    const failed = { ...second, info: { ...info, status: 'failed' as const, description } };
    const next = statusOfInterrupted(UPGRADING, context, { record: failed, clearFailures: false, now });
    expect(next).toMatchObject({ failures: 1, upgradeFailures: 1, history: [{ version: 2, status: 'failed' }, {}] });
    expect(next?.conditions?.find(({ type }) => type === 'Released')).toMatchObject({
      reason: 'UpgradeFailed',
      message:
        'Helm upgrade failed for release apps/web with chart web@1.0.0: timeout waiting for: [Deployment/apps/web]',
    });
  });

  test('failures before a deployed revision are forgotten where they are to be', () => {
    const before = { ...UPGRADING, failures: 3, upgradeFailures: 3 };
    const count = (clearFailures: boolean): number | undefined =>
      statusOfInterrupted(before, context, { record: second, clearFailures, now })?.upgradeFailures;
    expect([count(true), count(false)]).toEqual([undefined, 3]);
  });

  const remedied = {
    ...UPGRADING,
    upgradeFailures: 1,
    history: [snapshot({ version: 2, status: 'failed' }), snapshot({ configDigest: 'sha256:red' })],
  };
  const third = { ...second, version: 3, info: { ...info, rollback_revision: 1 } };

  test('a rollback counts as a remediation, and keeps the digest of its target', () => {
    const next = statusOfInterrupted(remedied, context, { record: third, clearFailures: false, now });
    expect(next?.history?.[0]).toMatchObject({ version: 3, action: 'rollback', configDigest: 'sha256:red' });
    expect(next?.conditions?.[0]).toMatchObject({ type: 'Remediated', status: 'True', reason: 'RollbackSucceeded' });
    expect(next?.upgradeFailures).toBe(1);
  });

  test('a failed rollback counts as a failed remediation', () => {
    const failed = {
      ...third,
      info: { ...third.info, status: 'failed' as const, description: 'Rollback "web" failed: no' },
    };
    const next = statusOfInterrupted(remedied, context, { record: failed, clearFailures: false, now });
    expect(next?.conditions?.[0]).toMatchObject({ type: 'Remediated', status: 'False', reason: 'RollbackFailed' });
  });

  test.each([
    ['pending-install', 'install'],
    ['pending-upgrade', 'upgrade'],
    ['pending-rollback', 'rollback'],
  ] as const)('an opened lock of %s ends the %s that it was', (was, action) => {
    const opened = { ...second, info: { ...info, status: 'failed' as const, description: describeUnlocked(was) } };
    const next = statusOfInterrupted(UPGRADING, context, { record: opened, clearFailures: false, now });
    expect(next?.history).toMatchObject([{ version: 2, status: 'failed', action }, { version: 1 }]);
  });

  test('a rollback to a revision that is not in the history is unknown', () => {
    expect(
      statusOfInterrupted(UPGRADING, context, {
        record: { ...third, info: { ...info, rollback_revision: 9 } },
        clearFailures: false,
        now,
      }),
    ).toBeUndefined();
  });
});
