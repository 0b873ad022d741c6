import { expect, test } from '@jest/globals';
import { ConflictError, TerminalError, TransientError, WaitingError } from '#controllers/runtime/pure/errors.js';
import { concludeError } from '#controllers/flux/helmrelease/model/conclude-error.js';
import type { Failure } from '#controllers/flux/shared/model/conclusion.js';
import { helmRelease, snapshot, statusContext } from './builders.js';

const ready = { type: 'Ready', status: 'True', reason: 'x', message: '', lastTransitionTime: '' } as const;
const metadata = { name: 'web', namespace: 'apps', uid: 'u', generation: 1 };
const requested = { ...metadata, annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } };
const running = helmRelease({}, { metadata, status: { observedGeneration: 1, conditions: [ready] } });

function concluded(error: unknown, change: Partial<Failure> = {}, release = helmRelease({}, { metadata })) {
  const problem = { reason: 'Failed', message: error instanceof Error ? error.message : '', stalled: false };
  const then = { status: release.status ?? {}, moment: statusContext(), dependencyRequeueMs: 30_000 };
  return concludeError(release, { error, problem, isLostArtifact: false, ...change }, then);
}

test('an error is reported, and retried by its class', () => {
  const error = new TransientError('no network');
  const { status, next } = concluded(error);
  expect(status.conditions).toMatchObject([
    { type: 'Ready', status: 'False', message: 'no network' },
    { type: 'Reconciling', status: 'True', reason: 'ProgressingWithRetry' },
  ]);
  expect(next).toEqual({ kind: 'fail', error });
});

test('what only a change can fix is reconciled at the interval', () => {
  expect(concluded(new TerminalError('StateError', 'no')).next).toMatchObject({ kind: 'requeue' });
});

test('a conflict is not reported, and what was requested stays requested', () => {
  const release = helmRelease({}, { metadata: requested });
  expect(concluded(new ConflictError('stale'), {}, release).status).toEqual({});
  expect(concluded(new TransientError('no'), {}, release).status.lastHandledReconcileAt).toBe('now');
});

test.each([
  ['while the release runs as its spec says', running, false],
  ['while it has to be rolled out', helmRelease({}, { metadata }), true],
])('a lost artifact %s is reported: %s', (_name, release, expected) => {
  const { status } = concluded(new TransientError('lost'), { isLostArtifact: true }, release);
  expect(status !== release.status && status.conditions?.[0]?.status === 'False').toBe(expected);
});

const subject = { resource: 'namespaces', name: 'apps' };
const MISSING = new TransientError('namespaces "apps" not found', {
  status: { code: 404, reason: 'NotFound', causes: [], subject },
});

test('a missing namespace is checked as often as a dependency, and the message says what to do', () => {
  const { next, status } = concluded(MISSING);
  expect(next.kind === 'fail' && next.error).toBeInstanceOf(WaitingError);
  expect(next).toMatchObject({ error: { retryAfterMs: 30_000 } });
  expect(status.conditions?.[0]?.message).toContain(': create it, or set');
});

test('an installed release that loses its namespace is retried with backoff', () => {
  const release = helmRelease({}, { metadata, status: { history: [snapshot()] } });
  expect(concluded(MISSING, {}, release).next).toEqual({ kind: 'fail', error: MISSING });
});
