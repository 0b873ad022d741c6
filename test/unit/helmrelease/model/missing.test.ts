import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { conclude, type Conclusion } from '#controllers/helmrelease/model/conclude.js';
import { FirstMissed, isToStay, missingProblem, type Missing } from '#controllers/helmrelease/model/missing.js';
import { getCondition } from '#lib/kube/conditions.js';
import { helmRelease, observed, snapshot, statusContext } from './builders.js';

function object(kind: string, more: object = {}, annotations: Record<string, string> = {}): Unstructured {
  return { apiVersion: 'v1', kind, metadata: { name: 'a', annotations }, ...more };
}

describe('an object of a release', () => {
  test.each<[string, Unstructured, boolean]>([
    ['a Deployment', object('Deployment'), true],
    ['a CronJob', object('CronJob'), true],
    ['what starts Jobs by itself', object('ScaledJob'), true],
    ['a Task, which runs are made from', object('Task'), true],
    ['a Workflow that ends', { ...object('Workflow'), apiVersion: 'argoproj.io/v1alpha1' }, false],
    ['a Workflow of another API', { ...object('Workflow'), apiVersion: 'example.com/v1' }, true],
    ['a run of a training', object('PyTorchJob'), false],
    ['a PodDisruptionBudget', object('PodDisruptionBudget'), true],
    ['a Secret', object('Secret', { type: 'Opaque' }), true],
    ['a Job, which somebody cleans up', object('Job', { spec: {} }), false],
    ['a Pod', object('Pod'), false],
    ['a run of a pipeline', object('PipelineRun'), false],
    ['a request for a certificate', object('CertificateSigningRequest'), false],
    ['a token of kubeadm, which expires', object('Secret', { type: 'bootstrap.kubernetes.io/token' }), false],
    ['one with a lifetime', object('Backup', { spec: { ttl: '1h' } }), false],
    ['one that stays behind anyway', object('ConfigMap', {}, { 'helm.sh/resource-policy': 'keep' }), false],
  ])('is missed if it is gone: %s', (_name, given, expected) => {
    expect(isToStay(given)).toBe(expected);
  });
});

const GONE: Missing = { subjects: ['Deployment/apps/web', 'Service/apps/web'], unknown: 0, looksAgain: false };
const SEEN: Missing = { subjects: [], unknown: 0, looksAgain: true };
const UNKNOWN: Missing = { subjects: [], unknown: 2, looksAgain: false };
const PRESENT: Missing = { subjects: [], unknown: 0, looksAgain: false };
const RELEASED = { type: 'Released', status: 'True', reason: 'InstallSucceeded', message: 'ok' } as const;
const at = { lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 };
const DEPLOYED: HelmReleaseStatus = { history: [snapshot()], conditions: [{ ...RELEASED, ...at }] };

describe('the way out', () => {
  test.each([
    ['of a plain HelmRelease', {}, undefined, /requestedAt .* forceAt|set its annotations .*driftDetection\.mode/],
    ['of an Application', {}, 'shop', /run fairlead sync shop --force, or set driftDetection\.mode to enabled$/],
    ['where drift cannot be corrected', { driftDetection: { mode: 'enabled' } }, 'shop', /sync shop --force$/],
  ] as const)('%s', (_name, spec, owner, expected) => {
    const ownerReferences =
      owner === undefined
        ? []
        : [{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: owner, uid: 'u' }];
    const release = helmRelease(spec, { metadata: { name: 'web', namespace: 'shop', ownerReferences } });
    expect(missingProblem(release, GONE)?.message).toMatch(expected);
  });

  test('comes behind a few names', () => {
    const subjects = Array.from({ length: 9 }, (_, index) => `ConfigMap/apps/${index}`);
    expect(missingProblem(helmRelease(), { ...GONE, subjects })?.message).toContain('apps/2 and 6 more; to');
  });
});

describe('objects that were missed', () => {
  const settleMs = 30_000;
  const look = (...subjects: string[]) => ({ subjects, unknown: 0 });

  test('are missing once they were for a while', () => {
    const first = new FirstMissed();
    expect(first.settled('u', look('a'), { nowMs: 0, settleMs })).toEqual(SEEN);
    expect(first.settled('u', look('a', 'b'), { nowMs: 29_999, settleMs })).toEqual(SEEN);
    const later = first.settled('u', look('a', 'b'), { nowMs: 30_000, settleMs });
    expect(later).toEqual({ subjects: ['a'], unknown: 0, looksAgain: true });
    expect(first.settled('other', look('a'), { nowMs: 60_000, settleMs })).toEqual(SEEN);
  });

  test('are new once they were there again, or the clock was set back', () => {
    const first = new FirstMissed();
    first.settled('u', look('a'), { nowMs: 40_000, settleMs });
    expect(first.settled('u', look(), { nowMs: 50_000, settleMs })).toEqual(PRESENT);
    expect(first.settled('u', look('a'), { nowMs: 80_000, settleMs })).toEqual(SEEN);
    expect(first.settled('u', look('a'), { nowMs: 0, settleMs })).toEqual(SEEN);
    expect(first.settled('u', look('a'), { nowMs: 30_000, settleMs }).subjects).toEqual(['a']);
  });

  test('are not forgotten while nobody can look', () => {
    const first = new FirstMissed();
    first.settled('u', look('a'), { nowMs: 0, settleMs });
    first.settled('u', { subjects: [], unknown: 1 }, { nowMs: 10_000, settleMs });
    expect(first.settled('u', look('a'), { nowMs: 30_000, settleMs }).subjects).toEqual(['a']);
  });
});

const TIMING = { dependencyRequeueMs: 30_000 };

function concluded(missing: Missing, status: HelmReleaseStatus, now = '2026-01-01T00:00:00Z'): Conclusion {
  const release = helmRelease({}, { status });
  const facts = observed({ release, status, missing });
  const decision = { kind: 'done', why: '' } as const;
  const plan = { observed: facts, decision, status, dropsHistory: false, events: [], progress: facts.progress };
  return conclude(plan, { kind: 'nothing' }, { status, ...TIMING, moment: { ...statusContext(), now } });
}

describe('a release in sync', () => {
  const gone = concluded(GONE, DEPLOYED);

  test('is looked at again before it is not Ready any more', () => {
    const seen = concluded(SEEN, DEPLOYED);
    expect(getCondition(seen.status.conditions, 'Ready')?.status).toBe('True');
    expect(seen).toMatchObject({ events: [], next: { kind: 'requeue', afterMs: 30_000 } });
    // As after a restart.
    expect(concluded(SEEN, gone.status)).toMatchObject({ status: gone.status, next: { kind: 'requeue' } });
  });

  test('is not Ready without its objects, says so once, and is looked at once more', () => {
    expect(getCondition(gone.status.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'ObjectsMissing' });
    expect(getCondition(gone.status.conditions, 'Released')?.status).toBe('True');
    expect(gone.events).toMatchObject([{ type: 'Warning', reason: 'ObjectsMissing' }]);
    expect(gone.next).toEqual({ kind: 'requeue', afterMs: 30_000 });
  });

  test('settles', () => {
    const again = concluded(GONE, gone.status, '2026-01-01T01:00:00Z');
    expect(again).toMatchObject({ status: gone.status, events: [] });
    expect(again.next).not.toEqual({ kind: 'requeue', afterMs: 30_000 });
  });

  test('is Ready again once they are back', () => {
    expect(getCondition(concluded(PRESENT, gone.status).status.conditions, 'Ready')?.status).toBe('True');
  });

  test('stays as it was reported while nobody can look', () => {
    expect(concluded(UNKNOWN, gone.status).status).toEqual(gone.status);
    expect(getCondition(concluded(UNKNOWN, DEPLOYED).status.conditions, 'Ready')?.status).toBe('True');
  });
});

test('an object that a correction created is not missing', () => {
  const release = helmRelease({ driftDetection: { mode: 'enabled' } }, { status: DEPLOYED });
  const facts = observed({ release, status: DEPLOYED, missing: GONE });
  const decision = { kind: 'correct', why: '' } as const;
  const plan = {
    observed: facts,
    decision,
    status: DEPLOYED,
    dropsHistory: false,
    events: [],
    progress: facts.progress,
  };
  const correction = { done: ['Deployment/apps/web created'], problem: 'Service/apps/web: quota exceeded' };
  const { status } = conclude(
    plan,
    { kind: 'corrected', correction },
    { status: DEPLOYED, ...TIMING, moment: statusContext() },
  );
  const ready = getCondition(status.conditions, 'Ready');
  expect(ready).toMatchObject({ status: 'False', message: expect.stringContaining('more: Service/apps/web; to') });
});
