import { describe, expect, test } from '@jest/globals';
import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import { conclude, concludeError } from '#controllers/kustomization/model/conclude.js';
import type { Acted, Manifests, Observed, Plan } from '#controllers/kustomization/model/types.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { getCondition } from '#lib/kube/conditions.js';
import { ConflictError, SupersededError, TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import { kustomization } from './builders.js';

const ARTIFACT = { path: 'p', url: 'u', revision: 'r2', digest: 'sha256:1', lastUpdateTime: 't' };

const ORIGIN = { 'org.opencontainers.image.revision': 'o' };

const entry = (name: string): { id: string; v: string } => ({ id: `n_${name}__ConfigMap`, v: 'v1' });

const DECISION: Plan['decision'] = {
  kind: 'apply',
  objects: [],
  isFirst: true,
  inventory: [entry('b')],
  ahead: [entry('a'), entry('b')],
  stale: [entry('a')],
  checks: [],
};

const CHANGE = { id: entry('b').id, subject: 'ConfigMap/n/b', action: 'created' as const };

const MANIFESTS: Manifests = {
  ...{ kind: 'manifests', objects: [], digest: 'd', template: '', secrets: ['s3cret'] },
  ...{ saysEmpty: false, scopes: new Map() },
};

interface Facts {
  readonly observed?: Partial<Observed>;
  readonly decision?: Plan['decision'];
  readonly durationMs?: number;
}

function concluded(
  acted: Partial<Acted>,
  owner: Kustomization = kustomization(),
  { observed, decision = DECISION, durationMs = 2_000 }: Facts = {},
): Conclusion<KustomizationStatus> {
  const plan = {
    observed: { kustomization: owner, artifact: ARTIFACT, manifests: MANIFESTS, isWatched: true, ...observed },
    decision,
  };
  const moment = { generation: 2, now: '2026-01-01T00:00:00Z' };
  return conclude(plan, { changes: [], pruned: [], ...acted }, { status: owner.status ?? {}, moment, durationMs });
}

/** Milliseconds until the next reconciliation. */
function afterMs({ next }: Conclusion<KustomizationStatus>): number {
  return next.kind === 'requeue' ? next.afterMs : NaN;
}

test('a revision that was applied', () => {
  const conclusion = concluded({ changes: [CHANGE], pruned: ['ConfigMap/n/a'] });
  const { status, events } = conclusion;
  expect(status).toMatchObject({
    observedGeneration: 2,
    lastAppliedRevision: 'r2',
    lastAttemptedRevision: 'r2',
    inventory: { entries: [entry('b')] },
    history: [{ digest: 'd', totalReconciliations: 1 }],
    conditions: [{ type: 'Ready', status: 'True', message: 'Applied revision: r2' }],
  });
  expect(events).toEqual([
    { type: 'Normal', reason: 'Progressing', message: 'ConfigMap/n/b created\nConfigMap/n/a deleted' },
    { type: 'Normal', reason: 'ReconciliationSucceeded', message: 'Reconciliation finished in 2s, next run in 10m' },
  ]);
  expect(Math.abs(afterMs(conclusion) - 600_000)).toBeLessThanOrEqual(30_000);
});

test('an object whose name is made of a secret is not named in an event', () => {
  const changes = [{ ...CHANGE, subject: 'ConfigMap/n/b-s3cret' }];
  const { events } = concluded({ changes, pruned: ['ConfigMap/n/a-s3cret'] });
  expect(events[0]?.message).toBe('ConfigMap/n/b-***** created\nConfigMap/n/a-***** deleted');
});

test('again with nothing to do, the status is the same and nothing is said', () => {
  const { status } = concluded({ changes: [CHANGE], healthyAfterMs: 100 });
  const again = concluded({ healthyAfterMs: 999 }, kustomization({}, status));
  expect(again.status).toEqual(status);
  expect(again.events).toEqual([]);
});

test('the origin of a revision is that of this one', () => {
  const observed = { artifact: { ...ARTIFACT, metadata: ORIGIN } };
  const { status } = concluded({}, kustomization(), { observed });
  expect(status.lastAppliedOriginRevision).toBe('o');
  expect(concluded({}, kustomization({}, status)).status.lastAppliedOriginRevision).toBeUndefined();
});

describe('after a failure', () => {
  test.each<[NonNullable<Acted['problem']>['reason'], string[]]>([
    ['ReconciliationFailed', ['a']],
    ['PruneFailed', ['a', 'b']],
    ['HealthCheckFailed', ['b']],
  ])('%s keeps the inventory of %j', (reason, names) => {
    const inventory = { entries: [entry('a')] };
    const owner = kustomization({ retryInterval: '7s' }, { lastAppliedRevision: 'r1', inventory });
    const conclusion = concluded({ problem: { reason, message: 'why' } }, owner);
    const { status, events } = conclusion;
    expect(status.inventory?.entries).toEqual(names.map(entry));
    expect(status.lastAppliedRevision).toBe('r1');
    expect(getCondition(status.conditions, 'Ready')).toMatchObject({ status: 'False', reason, message: 'why' });
    expect(getCondition(status.conditions, 'Reconciling')?.reason).toBe('ProgressingWithRetry');
    expect(getCondition(status.conditions, 'Healthy')?.status).toBe(
      reason === 'HealthCheckFailed' ? 'False' : undefined,
    );
    expect(events).toEqual([{ type: 'Warning', reason, message: 'why' }]);
    expect(afterMs(conclusion)).toBe(7_000);
  });

  test('a rejected build may forget one entry, and no other', () => {
    const owner = kustomization({}, { inventory: { entries: [entry('a'), entry('b')] } });
    const rejection = { kind: 'reject', reason: 'BuildFailed', message: 'why', forgets: entry('a').id } as const;
    const { status } = concluded({ problem: rejection }, owner, { decision: rejection });
    expect(status.inventory).toEqual({ entries: [entry('b')] });
    expect(concluded({ problem: rejection }, kustomization(), { decision: rejection }).status).not.toHaveProperty(
      'inventory',
    );
  });

  test('a rejected build leaves the inventory and the history unchanged', () => {
    const owner = kustomization({}, { inventory: { entries: [entry('a')] } });
    const decision = { kind: 'reject', reason: 'BuildFailed', message: 'why' } as const;
    const problem = { reason: decision.reason, message: decision.message };
    const { status } = concluded({ problem }, owner, { decision, observed: { manifests: decision } });
    expect(status.inventory?.entries).toEqual([entry('a')]);
    expect(status.history).toBeUndefined();
  });

  test('the same failure again is no event', () => {
    const problem = { reason: 'PruneFailed', message: 'why' } as const;
    const { status } = concluded({ problem });
    expect(concluded({ problem }, kustomization({}, status)).events).toEqual([]);
  });
});

test('Healthy goes where nothing is checked any more, and a request is answered', () => {
  const { status } = concluded({ healthyAfterMs: 100 });
  expect(getCondition(status.conditions, 'Healthy')?.message).toBe('Health check passed in 100ms');
  const owner = kustomization({}, status);
  owner.metadata.annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  const next = concluded({}, owner).status;
  expect(getCondition(next.conditions, 'Healthy')).toBeUndefined();
  expect(next.lastHandledReconcileAt).toBe('now');
  expect(next.history?.[0]?.totalReconciliations).toBe(2);
});

test.each([
  ['is compared soon after a build that brings it', true, true],
  ['is not watched, and compared at the interval', false, false],
])('a kind that was not served yet %s', (_title, isWatched, isSoon) => {
  const sail = { apiVersion: 'example.com/v1', kind: 'Sail', metadata: { name: 's' } };
  const manifests: Manifests = { ...MANIFESTS, objects: [sail] };
  const conclusion = concluded({}, kustomization(), { observed: { manifests, isWatched } });
  expect(afterMs(conclusion) < 2_000).toBe(isSoon);
});

test('a message is masked before it is cut', () => {
  const before = 'x'.repeat(19_997);
  const problem = { reason: 'ReconciliationFailed', message: `${before}s3cret` } as const;
  const { status } = concluded({ problem });
  expect(getCondition(status.conditions, 'Ready')?.message).toBe(`${before}***`);
});

test('what a server quotes of a value from a Secret is masked', () => {
  const problem = { reason: 'ReconciliationFailed', message: 'Invalid value: "s3cret"' } as const;
  const { status, events } = concluded({ problem });
  expect(getCondition(status.conditions, 'Ready')?.message).toBe('Invalid value: "*****"');
  expect(events.map(({ message }) => message)).toEqual(['Invalid value: "*****"']);
});

const MOMENT = { generation: 2, now: '2026-01-01T00:00:00Z' };

function concludedError(error: unknown, status: KustomizationStatus = {}): Conclusion<KustomizationStatus> {
  const owner = kustomization({}, status);
  owner.metadata.annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  const problem = { reason: 'ArtifactFailed', message: 'why', stalled: error instanceof TerminalError };
  return concludeError(owner, { error, problem, isLostArtifact: false }, { status, moment: MOMENT });
}

test('an error is reported once, and retried by its class', () => {
  const error = new TransientError('why');
  const { status, events, next } = concludedError(error);
  expect(status.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False', message: 'why' });
  expect(status.lastHandledReconcileAt).toBe('now');
  expect(events).toEqual([{ type: 'Warning', reason: 'ArtifactFailed', message: 'why' }]);
  expect(next).toEqual({ kind: 'fail', error });
  expect(concludedError(error, status).events).toEqual([]);
});

test('what is superseded has not failed', () => {
  const { status, events } = concludedError(new SupersededError('HealthCheckCanceled', 'why'));
  expect(status.conditions).toMatchObject([
    { type: 'Reconciling', status: 'True' },
    { type: 'Ready', status: 'Unknown', message: 'why' },
  ]);
  expect(events).toMatchObject([{ type: 'Normal' }]);
});

test('nobody knows whether objects are healthy that nobody waits for any more', () => {
  const healthy = {
    type: 'Healthy',
    status: 'Unknown',
    reason: 'Progressing',
    message: 'Running health checks',
  } as const;
  const conditions = [{ ...healthy, lastTransitionTime: '' }];
  const { status } = concludedError(new SupersededError('HealthCheckCanceled', 'why'), { conditions });
  expect(getCondition(status.conditions, 'Healthy')).toMatchObject({ status: 'Unknown', message: 'why' });
});

test('what is waited for is no warning', () => {
  const { events } = concludedError(new WaitingError('ArtifactFailed', 'why', { retryAfterMs: 1 }));
  expect(events).toMatchObject([{ type: 'Normal' }]);
});

test('a conflict keeps what was done before it, and what was requested stays requested', () => {
  const status = { lastAttemptedRevision: 'r1' };
  expect(concludedError(new ConflictError('stale'), status)).toMatchObject({ status, events: [] });
});
