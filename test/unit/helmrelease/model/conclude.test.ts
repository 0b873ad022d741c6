import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Acted } from '#controllers/helmrelease/model/action-report.js';
import { conclude, type Conclusion, concludeError } from '#controllers/helmrelease/model/conclude.js';
import type { Decision, Observed, Plan } from '#controllers/helmrelease/model/decide.js';
import { withStatus } from '#controllers/helmrelease/model/release.js';
import { intervalMs } from '#engine/flux/model/timing.js';
import { ConflictError, SupersededError, TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import type { Failure } from '#engine/flux/model/conclusion.js';
import { helmRelease, observed, record, revision, snapshot, statusContext } from './builders.js';

const NOTHING: Acted = { kind: 'nothing' };

const attempted = { namespace: 'apps', name: 'web', chartName: 'web', chartVersion: '1.0.0' };

const history = [snapshot({ version: 2, status: 'failed' }), snapshot()];

function act(action: 'install' | 'upgrade' | 'uninstall' | 'unlock' | 'test'): Decision {
  return { kind: 'act', action, why: '' };
}

function concluded(decision: Decision, acted: Acted, { status = {}, ...change }: Partial<Observed> = {}): Conclusion {
  const facts = observed({ status, ...change });
  const plan: Plan = { observed: facts, decision, status, dropsHistory: false, events: [], progress: facts.progress };
  return conclude(plan, acted, { status, moment: statusContext(), dependencyRequeueMs: 30_000 });
}

/** `observe`, `requeue 1000`, `requeue interval`, `fail TransientError: message`. */
function inWords({ next }: Conclusion): string {
  const { spec, metadata } = helmRelease();
  const interval = intervalMs(spec, metadata.uid ?? '');
  if (next.kind === 'requeue') return `requeue ${next.afterMs === interval ? 'interval' : next.afterMs}`;
  return next.kind === 'fail' ? `fail ${String(next.error)}` : next.kind;
}

function conditionsOf({ status }: Conclusion): string[] {
  return (status.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`).sort();
}

const installed: Acted = {
  ...{ kind: 'released', action: 'install', attempted, record: record() },
  ...{ error: undefined, missingNamespace: undefined, entries: [], durationMs: 1 },
};

const unsaved: Acted = { ...installed, action: 'upgrade', record: undefined, error: 'no storage' };

const failed: Acted = { ...installed, action: 'upgrade', record: withStatus(record(), 'failed', ''), error: 'timeout' };

const rejected: Acted = { kind: 'rejected', action: 'upgrade', attempted, problem: 'bad values', isFinal: true };

const retrying = helmRelease({ upgrade: { strategy: { name: 'RetryOnFailure', retryInterval: '2m' } } });

const upgrading: HelmReleaseStatus = { lastAttemptedReleaseAction: 'upgrade' };

describe('an action', () => {
  test.each<[string, readonly [Decision, Acted, Partial<Observed>?], string]>([
    ['a success may not be the last action', [act('install'), installed], 'observe'],
    ['a counted failure calls for the next action', [act('upgrade'), failed, { status: upgrading }], 'observe'],
    [
      'one without a revision is retried with backoff, in the words of the status',
      [act('upgrade'), unsaved, { status: upgrading }],
      'fail TransientError: Helm upgrade failed for release apps/web with chart web@1.0.0: no storage',
    ],
    ['a final rejection waits for a change', [act('upgrade'), rejected, { status: upgrading }], 'requeue interval'],
    [
      'under RetryOnFailure each failure is retried later',
      [act('upgrade'), failed, { status: upgrading, release: retrying }],
      'requeue 120000',
    ],
    ['an uninstall leaves the next action to a new reconciliation', [act('uninstall'), NOTHING], 'requeue 1000'],
    ['a lock that is gone: observe again', [act('unlock'), NOTHING], 'observe'],
    ['an action that did not help: later', [{ kind: 'later' }, NOTHING], 'requeue 1000'],
  ])('%s', (_name, [decision, acted, change], expected) => {
    expect(inWords(concluded(decision, acted, change))).toBe(expected);
  });

  test('its event is the condition that it changed', () => {
    const normal = { type: 'Normal', reason: 'InstallSucceeded' };
    const warning = { type: 'Warning', reason: 'UpgradeFailed', message: expect.stringContaining('timeout') };
    expect(concluded(act('install'), installed).events).toMatchObject([normal]);
    expect(concluded(act('upgrade'), failed).events).toMatchObject([warning]);
  });

  test('what the status reports already is not recorded as an event again', () => {
    const { status } = concluded(act('upgrade'), rejected, { status: upgrading });
    expect(concluded(act('upgrade'), rejected, { status }).events).toEqual([]);
  });

  test('a final rejection stalls, with its own reason', () => {
    expect(conditionsOf(concluded(act('upgrade'), rejected, { status: upgrading }))).toEqual([
      'Ready=False UpgradeFailed',
      'Released=False UpgradeFailed',
      'Stalled=True UpgradeFailed',
    ]);
  });

  test('a remediation leaves the release not ready, and retried', () => {
    const rolledBack: Acted = {
      ...{ kind: 'rolledBack', target: snapshot(), record: record({ version: 3 }) },
      ...{ error: undefined, entries: [] },
    };
    const rollback: Decision = { kind: 'act', action: 'rollback', target: snapshot(), why: '' };
    const conclusion = concluded(rollback, rolledBack, { status: { ...upgrading, history } });
    expect(inWords(conclusion)).toBe('requeue 1000');
    expect(conditionsOf(conclusion)).toEqual([
      'Ready=False RollbackSucceeded',
      'Reconciling=True ProgressingWithRetry',
      'Remediated=True RollbackSucceeded',
    ]);
  });
});

describe('resuming an interrupted action', () => {
  const resume: Decision = { kind: 'resume', last: revision({ version: 2 }) };
  const now = { config: {}, configDigest: 'sha256:spec' };
  const resumed: Extract<Acted, { kind: 'resumed' }> = {
    ...{ kind: 'resumed', record: record({ version: 2 }), now },
    ...{ entries: [{ id: 'apps_web__ConfigMap', v: 'v1' }], isCurrentSpec: true },
  };
  const status: HelmReleaseStatus = { ...upgrading, history: [snapshot()] };
  const release = helmRelease({ commonMetadata: { labels: { team: 'web' } } });

  test.each([true, false])('reports its revision, and the spec where that is deployed: %s', (isCurrentSpec) => {
    const conclusion = concluded(resume, { ...resumed, isCurrentSpec }, { status, release });
    expect(inWords(conclusion)).toBe('observe');
    expect(conclusion.events).toMatchObject([{ type: 'Normal', reason: 'UpgradeSucceeded' }]);
    expect(conclusion.status).toMatchObject({ history: [{ version: 2 }, {}], inventory: { entries: [{}] } });
    expect('observedCommonMetadataDigest' in conclusion.status).toBe(isCurrentSpec);
  });

  test('a failed one warns, and counts', () => {
    const ended = withStatus(record({ version: 2 }), 'failed', 'Upgrade "web" failed: timeout');
    const conclusion = concluded(
      resume,
      { ...resumed, record: ended, entries: undefined, isCurrentSpec: false },
      { status },
    );
    expect(conclusion.events).toMatchObject([{ type: 'Warning', reason: 'UpgradeFailed' }]);
    expect(conclusion.status.upgradeFailures).toBe(1);
  });

  test.each<[string, Acted]>([
    ['one that is gone', NOTHING],
    [
      'one of an unknown target',
      { ...resumed, record: record({ info: { status: 'deployed', rollback_revision: 9 } }) },
    ],
  ])('%s changes nothing', (_name, acted) => {
    expect(concluded(resume, acted, { status })).toEqual({ status, events: [], next: { kind: 'observe' } });
  });
});

describe('nothing left to do', () => {
  const end: Decision = { kind: 'done', why: '' };
  const released = [{ type: 'Released', status: 'True', reason: 'UpgradeSucceeded', message: 'm' }] as const;
  const conditions = released.map((each) => ({ ...each, lastTransitionTime: '', observedGeneration: 1 }));
  const status: HelmReleaseStatus = { conditions, history: [snapshot()] };

  test('the release is ready, and observed', () => {
    const conclusion = concluded(end, NOTHING, { status });
    expect(conditionsOf(conclusion)).toEqual(['Ready=True UpgradeSucceeded', 'Released=True UpgradeSucceeded']);
    expect(conclusion.status.observedGeneration).toBe(1);
  });

  test('the history ends with the revision to go back to', () => {
    const long = [4, 3, 2, 1].map((version) =>
      snapshot({ version, status: version === 4 ? 'deployed' : 'superseded' }),
    );
    expect(concluded(end, NOTHING, { status: { ...status, history: long } }).status.history).toHaveLength(2);
  });

  test.each<[string, Partial<Observed>, boolean]>([
    ['after an action', { isNewlyWatched: true, progress: { actions: ['install'], resumed: false } }, true],
    ['without an action, which compares them', { isNewlyWatched: true }, false],
    ['of before', { progress: { actions: ['install'], resumed: false } }, false],
  ])('objects whose watch is new are compared soon: %s', (_name, change, expected) => {
    expect(inWords(concluded(end, NOTHING, { status, ...change })) === 'requeue 1000').toBe(expected);
  });

  const release = helmRelease({ driftDetection: { mode: 'enabled' } });
  const drifted = [{ subject: 'ConfigMap/apps/web' }];

  test.each<[string, Acted, string, string[]]>([
    ['without any', NOTHING, 'False', []],
    [
      'corrected',
      { kind: 'corrected', correction: { done: ['x configured'], problem: undefined } },
      'False',
      ['DriftCorrected'],
    ],
    ['that went away by itself', { kind: 'corrected', correction: { done: [], problem: undefined } }, 'False', []],
    [
      'not corrected',
      { kind: 'corrected', correction: { done: [], problem: 'no' } },
      'True',
      ['DriftCorrectionFailed'],
    ],
  ])('drift %s', (_name, acted, expected, reasons) => {
    const { status: after, events } = concluded(end, acted, { status, release });
    expect(after.conditions?.find(({ type }) => type === 'Drifted')?.status).toBe(expected);
    expect(events.map(({ reason }) => reason)).toEqual(reasons);
  });

  test('drift that is only reported stays in the status', () => {
    const drift = {
      type: 'Drifted',
      status: 'True',
      reason: 'DriftDetected',
      message: 'm',
      lastTransitionTime: '',
    } as const;
    const { status: after } = concluded(end, NOTHING, { status: { ...status, conditions: [drift] }, release, drifted });
    expect(after.conditions).toContainEqual(drift);
  });

  test('a stall says why, and the release is reconciled at its interval', () => {
    const stall: Decision = {
      kind: 'stall',
      reason: 'RetriesExceeded',
      message: 'Failed to upgrade after 1 attempt(s)',
    };
    const conclusion = concluded(stall, NOTHING, { status });
    expect(conditionsOf(conclusion)).toContain('Stalled=True RetriesExceeded');
    expect(conclusion.next.kind).toBe('requeue');
  });
});

const ready = { type: 'Ready', status: 'True', reason: 'x', message: '', lastTransitionTime: '' } as const;

const metadata = { name: 'web', namespace: 'apps', uid: 'u', generation: 1 };

const requested = { ...metadata, annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } };

const running = helmRelease({}, { metadata, status: { observedGeneration: 1, conditions: [ready] } });

function concludedError(error: unknown, change: Partial<Failure> = {}, release = helmRelease({}, { metadata })) {
  const problem = { reason: 'Failed', message: error instanceof Error ? error.message : '', stalled: false };
  const then = { status: release.status ?? {}, moment: statusContext(), dependencyRequeueMs: 30_000 };
  return concludeError(release, { error, problem, isLostArtifact: false, ...change }, then);
}

test('an error is reported, and retried by its class', () => {
  const error = new TransientError('no network');
  const { status, next } = concludedError(error);
  expect(status.conditions).toMatchObject([
    { type: 'Ready', status: 'False', message: 'no network' },
    { type: 'Reconciling', status: 'True', reason: 'ProgressingWithRetry' },
  ]);
  expect(next).toEqual({ kind: 'fail', error });
});

test('what is superseded has not failed, and goes on at once', () => {
  const error = new SupersededError('HealthCheckCanceled', 'stopped waiting');
  const { status, next } = concludedError(error, {}, running);
  expect(status.conditions).toMatchObject([
    { type: 'Ready', status: 'Unknown', message: 'stopped waiting' },
    { type: 'Reconciling', status: 'True' },
  ]);
  expect(next).toEqual({ kind: 'fail', error });
  expect(error.retryAfterMs).toBe(0);
});

test('what only a change can fix is reconciled at the interval', () => {
  expect(concludedError(new TerminalError('StateError', 'no')).next).toMatchObject({ kind: 'requeue' });
});

test('a conflict is not reported, and what was requested stays requested', () => {
  const release = helmRelease({}, { metadata: requested });
  expect(concludedError(new ConflictError('stale'), {}, release).status).toEqual({});
  expect(concludedError(new TransientError('no'), {}, release).status.lastHandledReconcileAt).toBe('now');
});

test.each([
  ['while the release runs as its spec says', running, false],
  ['while it has to be rolled out', helmRelease({}, { metadata }), true],
])('a lost artifact %s is reported: %s', (_name, release, expected) => {
  const { status } = concludedError(new TransientError('lost'), { isLostArtifact: true }, release);
  expect(status !== release.status && status.conditions?.[0]?.status === 'False').toBe(expected);
});

const subject = { resource: 'namespaces', name: 'apps' };

const MISSING = new TransientError('namespaces "apps" not found', {
  status: { code: 404, reason: 'NotFound', causes: [], subject },
});

test('a missing namespace is checked as often as a dependency, and the message says what to do', () => {
  const { next, status } = concludedError(MISSING);
  expect(next.kind === 'fail' && next.error).toBeInstanceOf(WaitingError);
  expect(next).toMatchObject({ error: { retryAfterMs: 30_000 } });
  expect(status.conditions?.[0]?.message).toContain(': create it, or set');
});

test('an installed release that loses its namespace is retried with backoff', () => {
  const release = helmRelease({}, { metadata, status: { history: [snapshot()] } });
  expect(concludedError(MISSING, {}, release).next).toEqual({ kind: 'fail', error: MISSING });
});
