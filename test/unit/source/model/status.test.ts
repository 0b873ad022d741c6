import { describe, expect, test } from '@jest/globals';
import type { HelmChartStatus } from '#api/flux/helm-chart.js';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import {
  failed,
  isAsVerified,
  isRoutine,
  isSettled,
  statusPatch,
  succeeded,
} from '#controllers/source/model/status.js';
import type { SourceStatus } from '#controllers/source/model/source.js';

const NEW: SourceStatus = {};
const CONTEXT = { generation: 2, now: '2026-01-02T00:00:00Z' };
const LATER = { generation: 2, now: '2026-01-03T00:00:00Z' };
const STORED = { reason: 'Succeeded', message: 'stored', stored: true };

function summary({ conditions = [] }: SourceStatus): string[] {
  return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

describe('the status after a pass', () => {
  test('success: Ready and in storage, every trouble forgotten', () => {
    const before = failed(NEW, CONTEXT, { reason: 'GitOperationFailed', message: 'x', outlook: 'retrying' });
    const after = succeeded(before, CONTEXT, STORED);
    expect(summary(after)).toEqual(['Ready=True Succeeded', 'ArtifactInStorage=True Succeeded']);
    expect(after.observedGeneration).toBe(2);
  });

  test('a failure that may pass: not observed, what was stored stays in storage', () => {
    const before = succeeded({ observedGeneration: 1 }, { ...CONTEXT, generation: 1 }, STORED);
    const after = failed(before, CONTEXT, { reason: 'GitOperationFailed', message: 'x', outlook: 'retrying' });
    expect(summary(after).sort()).toEqual([
      'ArtifactInStorage=True Succeeded',
      'FetchFailed=True GitOperationFailed',
      'Ready=False GitOperationFailed',
      'Reconciling=True ProgressingWithRetry',
    ]);
    expect(after.observedGeneration).toBe(1);
  });

  test('a failure that stays: Stalled and observed', () => {
    const after = failed(NEW, CONTEXT, { reason: 'ValuesFilesError', message: 'x', outlook: 'stalled' });
    expect(summary(after).sort()).toEqual([
      'BuildFailed=True ValuesFilesError',
      'Ready=False ValuesFilesError',
      'Stalled=True ValuesFilesError',
    ]);
    expect(after.observedGeneration).toBe(2);
  });

  test('one step at a time: another failure takes the place of the last', () => {
    const built = failed(NEW, CONTEXT, { reason: 'ChartPackageError', message: 'x', outlook: 'stalled' });
    const fetched = failed(built, CONTEXT, { reason: 'ChartPullError', message: 'y', outlook: 'retrying' });
    expect(summary(fetched).sort()).toEqual([
      'FetchFailed=True ChartPullError',
      'Ready=False ChartPullError',
      'Reconciling=True ProgressingWithRetry',
    ]);
  });

  test('a signature that is not trusted: it was fetched, but not verified', () => {
    const verified = { reason: 'Succeeded', message: 'verified' };
    const before = succeeded(NEW, CONTEXT, { ...STORED, verified });
    expect(summary(before)).toContain('SourceVerified=True Succeeded');
    const after = failed(before, CONTEXT, { reason: 'InvalidTagSignature', message: 'x', outlook: 'retrying' });
    expect(summary(after).sort()).toEqual([
      'ArtifactInStorage=True Succeeded',
      'Ready=False InvalidTagSignature',
      'Reconciling=True ProgressingWithRetry',
      'SourceVerified=False InvalidTagSignature',
    ]);
    expect(summary(succeeded(after, CONTEXT, STORED)).join()).not.toContain('SourceVerified');
  });

  test.each([
    ['success', (status: SourceStatus, context: typeof CONTEXT) => succeeded(status, context, STORED)],
    [
      'failure',
      (status: SourceStatus, context: typeof CONTEXT) =>
        failed(status, context, { reason: 'Failed', message: 'x', outlook: 'retrying' }),
    ],
  ])('the same %s later is no change', (_what, next) => {
    const once = next({}, CONTEXT);
    expect(statusPatch(once, next(once, LATER))).toBeUndefined();
  });

  test('only a true Ready of this generation is settled', () => {
    const ready = succeeded(NEW, CONTEXT, STORED);
    expect(isSettled(ready, 2)).toBe(true);
    expect(isSettled(ready, 3)).toBe(false);
    expect(isSettled(failed(ready, CONTEXT, { reason: 'x', message: 'x', outlook: 'stalled' }), 2)).toBe(false);
    expect(isSettled(undefined, 2)).toBe(false);
  });
});

test.each<[string, boolean, { requested?: string; handled?: string; generation?: number }]>([
  ['routine', true, {}],
  ['routine after a request that was handled', true, { requested: 'then', handled: 'then' }],
  ['asked for again', false, { requested: 'now', handled: 'then' }],
  ['asked for first', false, { requested: 'now' }],
  ['the first of another spec', false, { generation: 3 }],
])('a pass is %s', (_title, expected, { requested = '', handled = '', generation = 2 }) => {
  const status = succeeded(handled === '' ? NEW : { lastHandledReconcileAt: handled }, CONTEXT, STORED);
  const annotations = requested === '' ? {} : { [REQUESTED_AT_ANNOTATION]: requested };
  expect(isRoutine({ metadata: { name: 'app', generation, annotations }, status })).toBe(expected);
});

test('a patch names what differs, and null for what went', () => {
  expect(statusPatch({ a: 1, b: { c: 1 }, gone: 1 }, { b: { c: 1 }, a: 2, nothing: undefined })).toEqual({
    a: 2,
    gone: null,
  });
  expect(statusPatch({ b: { x: 1, y: 2 } }, { b: { y: 2, x: 1 } })).toBeUndefined();
});

describe('a chart is stored as it was verified when it is one', () => {
  const spec = { chart: 'app', interval: '1m', sourceRef: { kind: 'HelmRepository', name: 'r' } } as const;
  const verify = { provider: 'cosign' } as const;
  const stored = (observedSourceArtifactRevision: string, generation: number, isSigned = true): HelmChartStatus =>
    succeeded<HelmChartStatus>(
      { observedSourceArtifactRevision },
      { ...CONTEXT, generation },
      {
        ...STORED,
        verified: isSigned ? { reason: 'Succeeded', message: 'verified' } : undefined,
      },
    );
  const refused = { reason: 'VerificationError', message: 'x', outlook: 'stalled' } as const;

  test.each<[string, HelmChartStatus | undefined, boolean]>([
    ['that was verified: yes', stored('1.0.0@sha256:2', 2), true],
    ['of bytes that were pushed before: no', stored('1.0.0@sha256:1', 2), false],
    ['that was stored without a signature: no', stored('1.0.0@sha256:2', 2, false), false],
    ['that was verified as the spec asked before: no', stored('1.0.0@sha256:2', 1), false],
    ['whose next pass could not verify: no', failed(stored('1.0.0@sha256:2', 1, false), CONTEXT, refused), false],
    ['that is not there yet: no', undefined, false],
  ])('%s', (_title, status, isSame) => {
    const chart = { kind: 'HelmChart', metadata: { name: 'app', generation: 2 }, ...(status && { status }) } as const;
    const signed = { apiVersion: 'source.toolkit.fluxcd.io/v1', ...chart, spec: { ...spec, verify } };
    expect(isAsVerified(signed, '1.0.0@sha256:2')).toBe(isSame);
    expect(isAsVerified({ ...signed, spec }, '1.0.0@sha256:2')).toBe(true);
  });
});
