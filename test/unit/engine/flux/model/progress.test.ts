import { describe, expect, test } from '@jest/globals';
import {
  notReady,
  preparing,
  progressing,
  retrying,
  stalledBy,
  type PassMoment,
  type ProgressStatus,
} from '#engine/flux/model/progress.js';

const first = { generation: 1, now: '2026-01-01T00:00:00Z' };
const later = { generation: 2, now: '2026-01-02T00:00:00Z' };
const NEW: ProgressStatus = {};
const problem = { reason: 'SourceNotReady', message: 'HelmChart is not ready' };

function texts({ conditions = [] }: ProgressStatus): string[] {
  return conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`).sort();
}

describe('a pass', () => {
  test('that works says what it does in Reconciling and Ready, and is not stalled', () => {
    const status = progressing(stalledBy(NEW, first, problem), later, 'Fulfilling prerequisites');
    expect(texts(status)).toEqual([
      'Ready=Unknown Progressing: Fulfilling prerequisites',
      'Reconciling=True Progressing: Fulfilling prerequisites',
    ]);
    expect(status.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2]);
    expect(status.observedGeneration).toBe(1);
  });

  test('that will be tried again is Reconciling, and its generation is not observed', () => {
    const status = notReady(stalledBy(NEW, first, problem), later, { ...problem, stalled: false });
    expect(texts(status)).toEqual([
      'Ready=False SourceNotReady: HelmChart is not ready',
      'Reconciling=True ProgressingWithRetry: HelmChart is not ready',
    ]);
    expect(status.observedGeneration).toBe(1);
  });

  test('that nothing is tried after is Stalled and observed', () => {
    const status = notReady(progressing(NEW, first, 'x'), first, { ...problem, stalled: true });
    expect(texts(status)).toEqual([
      'Ready=False SourceNotReady: HelmChart is not ready',
      'Stalled=True SourceNotReady: HelmChart is not ready',
    ]);
    expect(status.observedGeneration).toBe(1);
  });

  test('before a retry is Reconciling with the message of Ready', () => {
    const failed = notReady(NEW, first, { ...problem, stalled: true });
    expect(texts(retrying(failed, first))).toEqual(texts(notReady(NEW, first, { ...problem, stalled: false })));
  });

  test('that changes nothing gives the same status', () => {
    const before = notReady(NEW, first, { ...problem, stalled: true });
    expect(notReady(before, { ...first, now: later.now }, { ...problem, stalled: true })).toEqual(before);
  });
});

describe('a generation', () => {
  const ready: ProgressStatus = {
    observedGeneration: 1,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Done',
        message: '',
        lastTransitionTime: first.now,
        observedGeneration: 1,
      },
    ],
  };
  const failing = (reason: string): ProgressStatus => notReady(ready, later, { reason, message: 'm', stalled: false });

  test.each<[string, ProgressStatus, PassMoment, 'always' | 'beyond waits' | 'never']>([
    ['before the first pass', NEW, first, 'always'],
    ['that is observed and well', ready, first, 'never'],
    ['that is new', ready, later, 'always'],
    ['that is new and in work', progressing(ready, later, 'x'), later, 'never'],
    ['that nothing is tried for', notReady(ready, later, { ...problem, stalled: true }), later, 'never'],
    ['that is tried again after a failure: it stays said', failing('ClusterUnreachable'), later, 'never'],
    [
      'that waited for its source: that says nothing of what comes then',
      failing('SourceNotReady'),
      later,
      'beyond waits',
    ],
    ['that waited for another release', failing('DependencyNotReady'), later, 'beyond waits'],
    ['that waited for its values', failing('ValuesError'), later, 'beyond waits'],
  ])('%s is said to be in work: %#', (_name, status, moment, expected) => {
    const words = progressing(status, moment, 'Fulfilling prerequisites');
    const waits = ['SourceNotReady', 'DependencyNotReady', 'ValuesError'];
    expect(preparing(status, moment, [])).toEqual(expected === 'always' ? words : undefined);
    expect(preparing(status, moment, waits)).toEqual(expected === 'never' ? undefined : words);
  });
});
