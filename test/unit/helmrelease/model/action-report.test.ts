import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import {
  clearsFailures,
  reportOf,
  type Acted,
  type Reported,
  keepCrds,
} from '#controllers/helmrelease/model/action-report.js';
import { decide } from '#controllers/helmrelease/model/decide.js';
import { failureMessage } from '#controllers/helmrelease/model/conditions.js';
import { withStatus } from '#controllers/helmrelease/model/release.js';
import { helmRelease, observed, record, snapshot, statusContext } from './builders.js';

const attempted = { namespace: 'apps', name: 'web', chartName: 'web', chartVersion: '1.0.0' };

const web = { id: 'apps_web__ConfigMap', v: 'v1' };

const crd = { id: '_sheets.example.com_apiextensions.k8s.io_CustomResourceDefinition', v: 'v1' };

const plan = decide(observed());

function report(acted: Acted, status: HelmReleaseStatus = {}): Reported {
  return reportOf(plan, acted, { status, moment: statusContext() });
}

function released(change: Partial<Extract<Acted, { kind: 'released' }>>): Acted {
  const done = { record: record(), error: undefined, missingNamespace: undefined, entries: [web], durationMs: 2_000 };
  return { kind: 'released', action: 'upgrade', attempted, ...done, ...change };
}

describe('an install or upgrade', () => {
  test('that succeeded has its revision, its objects and its duration in the status', () => {
    const { status, error } = report(released({}), { inventory: { entries: [crd] } });
    expect(status).toMatchObject({
      history: [{ version: 1, action: 'upgrade', configDigest: 'sha256:a' }],
      inventory: { entries: [web] },
      lastAttemptedReleaseActionDuration: '2s',
    });
    expect(error).toBeUndefined();
  });

  test('that failed lists what its revision left, and the CRDs from before', () => {
    const failed = withStatus(record(), 'failed', '');
    const { status, failed: how } = report(released({ record: failed, error: 'timeout' }), {
      inventory: { entries: [crd] },
    });
    expect(status).toMatchObject({ upgradeFailures: 1, inventory: { entries: [crd, web] } });
    expect(how).toEqual({ uncounted: false });
  });

  test.each([
    ['a list has one key twice', '.env: duplicate entries for key [name="FRUIT"]', 'or with spec.postRenderers'],
    ['anything else is refused', '.env: no', '.env: no'],
  ])('says the way out if there is one: %s', (_name, error, end) => {
    const failed = withStatus(record(), 'failed', '');
    const { status } = report(released({ record: failed, error }));
    const message = status.conditions?.find(({ type }) => type === 'Released')?.message ?? '';
    expect(message).toContain(`: ${error}`);
    expect(message.endsWith(end)).toBe(true);
  });

  test.each<[string, Partial<Extract<Acted, { kind: 'released' }>>, string]>([
    ['an error', { error: 'no' }, 'no'],
    ['nothing at all', { error: undefined }, 'no revision was created'],
  ])('that left no revision but %s is not counted', (_name, change, error) => {
    const { status, ...rest } = report(released({ record: undefined, entries: undefined, ...change }));
    expect(rest).toEqual({ error, failed: { uncounted: true } });
    expect(status).not.toHaveProperty('upgradeFailures');
  });
});

describe('a chart that helm rejects', () => {
  const acted = { kind: 'rejected', action: 'install', attempted, problem: 'bad values', isFinal: true } as const;

  test('is counted once, however often it is tried', () => {
    const { status } = report(acted);
    expect(status).toMatchObject({ failures: 1, lastAttemptedReleaseAction: 'install' });
    expect(status.conditions?.[0]?.message).toBe(failureMessage('install', attempted, 'bad values'));
    expect(report(acted, status).status).toEqual(status);
  });

  test.each([
    [true, 'final'],
    [false, 'passing'],
  ] as const)('finally (%s): %s', (isFinal, rejection) => {
    expect(report({ ...acted, isFinal })).toMatchObject({ error: 'bad values', failed: { rejection } });
  });
});

describe('other actions', () => {
  const history = [snapshot({ version: 2, status: 'failed' }), snapshot({ configDigest: 'sha256:red' })];
  const inventory = { entries: [web] };

  test('a rollback keeps the digest of its target', () => {
    const third = record({ version: 3 });
    const acted = { kind: 'rolledBack', target: snapshot({ configDigest: 'sha256:red' }), record: third } as const;
    const { status } = report({ ...acted, error: undefined, entries: [web] }, { history });
    expect(status.history?.[0]).toMatchObject({ version: 3, action: 'rollback', configDigest: 'sha256:red' });
  });

  test('a rollback whose target is gone reports the target', () => {
    const acted = {
      kind: 'rolledBack',
      target: snapshot(),
      record: undefined,
      error: 'gone',
      entries: undefined,
    } as const;
    const { status, error } = report(acted, { history, inventory });
    expect(error).toBe('gone');
    expect(status).toMatchObject({ inventory, conditions: [{ type: 'Remediated', status: 'False' }, {}] });
  });

  test.each([
    [undefined, []],
    ['timeout', [web]],
  ])('an uninstall that ended with %s leaves %j in the inventory', (error, entries) => {
    const { status } = report({ kind: 'uninstalled', record: record({ version: 2 }), error }, { history, inventory });
    expect(status.inventory?.entries).toEqual(entries);
    expect(status.history?.[0]).toMatchObject({ action: 'uninstall-remediation' });
  });

  test('an uninstall that the deletion rule forbids fails, and changes no revision', () => {
    const acted = { kind: 'uninstalled', record: undefined, error: 'nothing was uninstalled: kept' } as const;
    const { status, error } = report(acted, { history, inventory });
    expect(error).toBe('nothing was uninstalled: kept');
    const message = expect.stringContaining('nothing was uninstalled: kept');
    expect(status).toMatchObject({ history, inventory, conditions: [{ type: 'Remediated', message }, { message }] });
  });

  test('an unlocked revision keeps what the history knows of it', () => {
    const acted = { kind: 'unlocked', record: record(), was: 'pending-upgrade', isOwn: true } as const;
    const known = [snapshot({ configDigest: 'sha256:red', action: 'install' })];
    expect(report(acted, { history: known }).status.history).toMatchObject([
      { configDigest: 'sha256:red', action: 'install' },
    ]);
    expect(report(acted, {}).status.history).toMatchObject([{ action: 'upgrade' }]);
  });

  test.each([
    ['counts', {}, 1],
    ['does not count where test failures are ignored', { test: { ignoreFailures: true } }, undefined],
  ])('a failed test %s', (_name, spec, expected) => {
    const tests = decide(observed({ release: helmRelease(spec) }));
    const status: HelmReleaseStatus = { lastAttemptedReleaseAction: 'upgrade', history: [snapshot()] };
    const acted = { kind: 'tested', record: record(), error: 'test failed' } as const;
    expect(reportOf(tests, acted, { status, moment: statusContext() }).status.upgradeFailures).toBe(expected);
  });

  test('without a history there is nothing to report', () => {
    for (const acted of [
      { kind: 'tested', record: record(), error: undefined },
      { kind: 'uninstalled', record: record(), error: undefined },
    ] as const)
      expect(report(acted, {}).status).toEqual({});
  });
});

test.each([
  ['RetryOnFailure', true],
  ['RemediateOnFailure', false],
] as const)('a success under %s clears the counters: %s', (name, expected) => {
  const release = helmRelease({ upgrade: { strategy: { name } } });
  expect(clearsFailures(release, { lastAttemptedReleaseAction: 'upgrade' })).toBe(expected);
});

const old = { id: 'apps_old__ConfigMap', v: 'v1' };

test('a failed revision lists its objects and the CRDs that were known', () => {
  expect(keepCrds([crd, old], [web])).toEqual([crd, web]);
});

test('a CRD of the revision itself is listed once, in its new version', () => {
  expect(keepCrds([crd], [{ ...crd, v: 'v2' }])).toEqual([{ ...crd, v: 'v2' }]);
});
