import { expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { decide, type Observed, type Plan } from '#controllers/helmrelease/model/decide.js';
import type { ReleaseState } from '#controllers/helmrelease/model/state.js';
import { helmRelease, observed, revision, snapshot } from './builders.js';

/** `rollback to 1`, `later`: the decision in one word or two. */
function inWords({ decision }: Plan): string {
  if (decision.kind !== 'act') return decision.kind;
  return decision.action === 'rollback' ? `rollback to ${decision.target.version}` : decision.action;
}

function found(state: ReleaseState): Pick<Observed, 'finding'> {
  return { finding: { state, why: 'because' } };
}

const ran = (...actions: Observed['progress']['actions']): Pick<Observed, 'progress'> => ({
  progress: { actions, resumed: false },
});
const forced = helmRelease(
  {},
  {
    metadata: {
      name: 'web',
      namespace: 'shop',
      annotations: { 'reconcile.fluxcd.io/requestedAt': '1', 'reconcile.fluxcd.io/forceAt': '1' },
    },
  },
);
const upgrading: HelmReleaseStatus = { lastAttemptedReleaseAction: 'upgrade', history: [snapshot()] };
const failedUpgrade: HelmReleaseStatus = {
  lastAttemptedReleaseAction: 'upgrade',
  upgradeFailures: 1,
  history: [snapshot({ version: 2, status: 'failed' }), snapshot({ status: 'superseded' })],
};
const retrying = helmRelease({ upgrade: { remediation: { retries: 1 } } });
const two = [revision({ version: 1, status: 'superseded' }), revision({ version: 2, status: 'failed' })];
const unreported = { ...found('Unmanaged'), status: upgrading, revisions: [revision({ version: 2 })] };

test.each<[string, Partial<Observed>, string]>([
  ['without a release: install', found('Absent'), 'install'],
  ['after that install: the tests', { ...found('Untested'), ...ran('install') }, 'test'],
  ['an action that did not help is not repeated', { ...found('Absent'), ...ran('install') }, 'later'],
  ['in sync: nothing', found('InSync'), 'done'],
  ['in sync, with an upgrade on request', { ...found('InSync'), release: forced }, 'upgrade'],
  ['in sync after that upgrade: nothing more', { ...found('InSync'), release: forced, ...ran('upgrade') }, 'done'],
  ['in sync after a forced install: nothing more', { ...found('InSync'), release: forced, ...ran('install') }, 'done'],
  [
    'a rollback names its target',
    { ...found('Failed'), release: retrying, status: failedUpgrade, revisions: two },
    'rollback to 1',
  ],
  ['an unreported revision of ours: resume', unreported, 'resume'],
  [
    'one that resuming did not explain: upgrade',
    { ...unreported, progress: { actions: [], resumed: true } },
    'upgrade',
  ],
  [
    'one that someone else changed: upgrade',
    { ...unreported, revisions: [revision({ version: 2, untouched: false })] },
    'upgrade',
  ],
  [
    'a newer revision of helm: upgrade',
    { ...unreported, revisions: [revision({ version: 2, origin: undefined })] },
    'upgrade',
  ],
  [
    'that upgrade is not repeated either',
    { ...unreported, revisions: [revision({ version: 2, origin: undefined })], ...ran('upgrade') },
    'later',
  ],
])('%s', (_name, change, expected) => {
  expect(inWords(decide(observed(change)))).toBe(expected);
});

test.each<[string, Partial<Observed>, boolean]>([
  ['a revision of helm makes the history useless', { revisions: [revision({ version: 2, origin: undefined })] }, true],
  ['so does an older revision of ours', { revisions: [revision({ version: 1 })] }, true],
  ['a newer one of ours keeps what it can go back to', { revisions: [revision({ version: 3 })] }, false],
])('%s', (_name, change, dropsHistory) => {
  const { status } = unreported;
  const plan = decide(observed({ ...unreported, ...change }));
  expect(plan).toMatchObject({ dropsHistory, status });
});

test('what is decided counts as done', () => {
  expect(decide(observed(found('Absent'))).progress).toEqual({ actions: ['install'], resumed: false });
  expect(decide(observed(unreported)).progress).toEqual({ actions: [], resumed: true });
  expect(decide(observed({ ...found('InSync'), ...ran('install') })).progress.actions).toEqual(['install']);
});

test.each(['enabled', 'warn'] as const)('drift is reported before anything is done about it, in mode %s', (mode) => {
  const release = helmRelease({ driftDetection: { mode } });
  const drifted = [{ subject: 'ConfigMap/apps/web' }];
  const plan = decide(observed({ ...found('InSync'), release, drifted, status: { history: [snapshot()] } }));
  expect(plan.decision.kind).toBe(mode === 'enabled' ? 'correct' : 'done');
  expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'DriftDetected' }]);
  expect(plan.status.conditions).toMatchObject([{ type: 'Drifted', status: 'True' }]);
});

test('an action on a release of a HelmRelease that is gone is told once', () => {
  const taken = { takenFrom: 'team/old', revisions: [revision({ origin: 'team/old' })] };
  const message = 'taking release shop-web over from HelmRelease team/old, which no longer exists';
  const told = [{ type: 'Normal', reason: 'ReleaseTakenOver', message }];
  const release = helmRelease({ targetNamespace: 'shop' });
  expect(decide(observed({ ...found('Unmanaged'), ...taken, release })).events).toEqual(told);
  expect(decide(observed({ ...found('Locked'), ...taken, release })).events).toEqual(told);
  expect(decide(observed({ ...found('Unmanaged'), ...taken, release, ...ran('upgrade') })).events).toEqual([]);
  expect(decide(observed({ ...found('Unmanaged'), release })).events).toEqual([]);
});
