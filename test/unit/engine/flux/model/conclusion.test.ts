import { expect, test } from '@jest/globals';
import { afterError, isReadyFor, isReported, type Failure } from '#engine/flux/model/conclusion.js';
import type { ProgressStatus } from '#engine/flux/model/progress.js';
import type { Applying } from '#engine/flux/model/types.js';
import { ConflictError, TerminalError, TransientError } from '#lib/errors.js';

const condition = (type: string, status: 'True' | 'False') =>
  ({ type, status, reason: 'x', message: '', lastTransitionTime: '' }) as const;
const READY: ProgressStatus = { observedGeneration: 2, conditions: [condition('Ready', 'True')] };

function object(status: ProgressStatus = {}): Applying {
  return {
    ...{ apiVersion: 'v1', kind: 'Kustomization', spec: { interval: '10m' } },
    ...{ metadata: { name: 'a', namespace: 'n', uid: 'u', generation: 2 }, status },
  };
}

test.each<[string, ProgressStatus | undefined, boolean]>([
  ['is one that is Ready', READY, true],
  ['is none without a status', undefined, false],
  ['is none of an earlier generation', { ...READY, observedGeneration: 1 }, false],
  [
    'is none that is stalled',
    { ...READY, conditions: [...(READY.conditions ?? []), condition('Stalled', 'True')] },
    false,
  ],
])('a generation that is known to be deployed %s', (_title, status, expected) => {
  expect(isReadyFor(status, 2)).toBe(expected);
});

const problem = { reason: 'Failed', message: 'no', stalled: false };
const lost = { error: new TransientError('no'), problem, isLostArtifact: true };

test.each<[string, Failure, ProgressStatus, boolean]>([
  ['an error is reported', { ...lost, isLostArtifact: false }, READY, true],
  ['a conflict is not', { ...lost, error: new ConflictError('no') }, {}, false],
  ['a lost artifact of what is deployed is not', lost, READY, false],
  ['a lost artifact of what is to be deployed is reported', lost, {}, true],
])('%s', (_title, failure, status, expected) => {
  expect(isReported(object(status), failure)).toBe(expected);
});

test('what only a change can fix is tried at the interval, and the rest is retried by its class', () => {
  const error = new TransientError('no');
  expect(afterError(object(), error)).toEqual({ kind: 'fail', error });
  expect(afterError(object(), new TerminalError('StateError', 'no'))).toMatchObject({ kind: 'requeue' });
});
