import { describe, expect, test } from '@jest/globals';
import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import { objectChange } from '#engine/dry-run/change-set.js';
import { withoutDryRun } from '#engine/dry-run/report.js';
import { concludeDryRun, concludeDryRunError, hidesOld } from '#engine/flux/model/dry-run.js';
import { getCondition } from '#lib/kube/conditions.js';
import { ConflictError, TransientError, WaitingError } from '#lib/errors.js';

const NOW = '2026-01-01T00:00:00Z';
const moment = { generation: 2, now: NOW };
const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'ReconciliationSucceeded',
  message: 'Applied revision: a',
} as const;
const applied: KustomizationStatus = {
  observedGeneration: 1,
  lastAppliedRevision: 'a',
  inventory: { entries: [{ id: 'shop_web__ConfigMap', v: 'v1' }] },
  conditions: [{ ...READY, lastTransitionTime: NOW }],
};

function kustomization(status: KustomizationStatus, annotations: Record<string, string> = {}): Kustomization {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'shop', namespace: 'shop', generation: 2, annotations },
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'shop' } },
    status,
  };
}

function change(action: 'created' | 'failed') {
  return objectChange({ action, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } } });
}

function published(status: KustomizationStatus, action: 'created' | 'failed' = 'created', annotations = {}) {
  const computed = { changes: [change(action)], unchanged: 1, revision: 'b', moment };
  return concludeDryRun(kustomization(status, annotations), status, computed);
}

describe('a dry run', () => {
  test('leaves everything else in the status unchanged', () => {
    const { status } = published(applied);
    expect(status.dryRun).toMatchObject({
      observedGeneration: 2,
      revision: 'b',
      summary: { created: 1, unchanged: 1 },
    });
    expect(withoutDryRun(status)).toEqual(applied);
  });

  test('is one condition and one event, which names the change set', () => {
    const { status, events } = published(applied);
    const said = getCondition(status.conditions, 'DryRun');
    const short = status.dryRun?.digest.slice('sha256:'.length, 'sha256:'.length + 10) ?? '?';
    expect(said).toMatchObject({ status: 'True', reason: 'DryRunSucceeded', observedGeneration: 2 });
    expect(said?.message).toBe(
      '1 created, 1 unchanged; nothing is written while the annotation gitops.kubesphere.io/dry-run is set ' +
        `(change set ${short})`,
    );
    expect(events).toEqual([{ type: 'Normal', reason: 'DryRunSucceeded', message: said?.message }]);
  });

  test('that says the same again is no news', () => {
    const { status } = published(applied);
    expect(published(status)).toMatchObject({ status, events: [] });
  });

  test('of what the cluster rejects is a failure, with its change set', () => {
    const { status, events } = published(applied, 'failed');
    expect(getCondition(status.conditions, 'DryRun')).toMatchObject({ status: 'False', reason: 'DryRunFailed' });
    expect(events).toMatchObject([{ type: 'Warning' }]);
    expect(status.dryRun?.summary.failed).toBe(1);
  });

  test('of what was never applied says so in Ready, as long as nothing else does', () => {
    const { status } = published({ observedGeneration: -1 });
    expect(getCondition(status.conditions, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'DryRun' });
    expect(status.observedGeneration).toBe(-1);
    const failed = published(status, 'failed').status;
    expect(getCondition(failed.conditions, 'Ready')?.message).toBe(getCondition(failed.conditions, 'DryRun')?.message);
  });

  test('answers requestedAt, and leaves forceAt and resetAt to the pass that writes', () => {
    const annotations = Object.fromEntries(
      ['requestedAt', 'forceAt', 'resetAt'].map((name) => [`reconcile.fluxcd.io/${name}`, '1']),
    );
    const { status } = published(applied, 'created', annotations);
    expect(status).toMatchObject({ lastHandledReconcileAt: '1' });
    expect(Object.keys(status)).not.toContain('lastHandledForceAt');
    expect(Object.keys(status)).not.toContain('lastHandledResetAt');
  });

  test.each([
    ['an error is a warning', new TransientError('no such file'), 'Warning'],
    ['a wait is none', new WaitingError('BuildFailed', 'no such file', { retryAfterMs: 1 }), 'Normal'],
  ] as const)('that ends early shows no old change set: %s', (_title, error, type) => {
    const before = published(applied).status;
    const problem = { reason: 'BuildFailed', message: 'no such file' };
    const failure = { error, problem: { ...problem, stalled: false }, isLostArtifact: false };
    const { status, events, next } = concludeDryRunError(kustomization(before), failure, { status: before, moment });
    expect(status).not.toHaveProperty('dryRun');
    expect(getCondition(status.conditions, 'DryRun')).toMatchObject({ status: 'False', ...problem });
    expect(getCondition(status.conditions, 'Ready')).toMatchObject(READY);
    expect(events).toEqual([{ type, ...problem }]);
    expect(concludeDryRunError(kustomization(status), failure, { status, moment })).toEqual({
      status,
      events: [],
      next,
    });
  });

  test('that meets a conflict over its own object reports nothing', () => {
    const failure = { error: new ConflictError('a'), problem: { reason: 'a', message: 'a', stalled: false } };
    const given = { status: applied, moment };
    const { status, events } = concludeDryRunError(
      kustomization(applied),
      { ...failure, isLostArtifact: false },
      given,
    );
    expect({ status, events }).toEqual({ status: applied, events: [] });
  });
});

test.each<[string, boolean, KustomizationStatus]>([
  ['the current spec is applied', false, { ...applied, observedGeneration: 2 }],
  ['an earlier spec is applied', true, applied],
  ['the current spec failed', true, { observedGeneration: 2, conditions: [] }],
  ['nothing is known', true, {}],
])('old values where %s are hidden: %s', (_sentence, expected, status) => {
  expect(hidesOld(kustomization(status))).toBe(expected);
});
