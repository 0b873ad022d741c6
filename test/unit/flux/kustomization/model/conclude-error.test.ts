import { expect, test } from '@jest/globals';
import type { KustomizationStatus } from '#api/flux/kustomization.js';
import { concludeError } from '#controllers/flux/kustomization/model/conclude-error.js';
import type { Conclusion } from '#controllers/flux/shared/model/conclusion.js';
import { ConflictError, TerminalError, TransientError, WaitingError } from '#controllers/runtime/pure/errors.js';
import { kustomization } from './builders.js';

const MOMENT = { generation: 2, now: '2026-01-01T00:00:00Z' };

function concluded(error: unknown, status: KustomizationStatus = {}): Conclusion<KustomizationStatus> {
  const owner = kustomization({}, status);
  owner.metadata.annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  const problem = { reason: 'ArtifactFailed', message: 'why', stalled: error instanceof TerminalError };
  return concludeError(owner, { error, problem, isLostArtifact: false }, { status, moment: MOMENT });
}

test('an error is reported once, and retried by its class', () => {
  const error = new TransientError('why');
  const { status, events, next } = concluded(error);
  expect(status.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False', message: 'why' });
  expect(status.lastHandledReconcileAt).toBe('now');
  expect(events).toEqual([{ type: 'Warning', reason: 'ArtifactFailed', message: 'why' }]);
  expect(next).toEqual({ kind: 'fail', error });
  expect(concluded(error, status).events).toEqual([]);
});

test('what is waited for is no warning', () => {
  const { events } = concluded(new WaitingError('ArtifactFailed', 'why', { retryAfterMs: 1 }));
  expect(events).toMatchObject([{ type: 'Normal' }]);
});

test('a conflict keeps what was done before it, and what was requested stays requested', () => {
  const status = { lastAttemptedRevision: 'r1' };
  expect(concluded(new ConflictError('stale'), status)).toMatchObject({ status, events: [] });
});
