import { describe, expect, it } from '@jest/globals';
import {
  afterRequests,
  ignoresWindows,
  pauseOf,
  requestWarnings,
  retryOf,
} from '#controllers/application/model/rollout/requests.js';
import type { RolloutRecord } from '#controllers/application/model/rollout/types.js';
import { record, stage } from './builders.js';

const NONE = { approved: undefined, retry: undefined, ignoreWindows: undefined, abort: undefined, paused: undefined };
const BACK = record({ rolledBack: { stage: 'a', to: 1, why: 'it failed' } });

describe('a request to retry', () => {
  const again = (given: RolloutRecord, retry: string | undefined) => afterRequests(given, { ...NONE, retry }, 1);

  it('forgets that the revision was rolled back', () => {
    expect(again(BACK, '2')).toEqual(record({ retried: '2' }));
    expect(again(BACK, '2@once more')).toEqual(record({ retried: '2@once more' }));
  });

  it('is fulfilled once', () => {
    const failed = { ...BACK, retried: '2' };
    expect(again(failed, '2')).toEqual(failed);
    expect(again(failed, '2@2')).toEqual(record({ retried: '2@2' }));
  });

  it('may be repeated after it was removed', () => {
    expect(again(again({ ...BACK, retried: '2' }, undefined), '2')).toEqual(record({ retried: '2' }));
  });

  it.each(['1', '3', '', 'x', '2 ', '-2', '2.0', '@2'])('of %p does nothing', (text) => {
    expect(again(BACK, text)).toEqual(BACK);
  });

  it('is remembered in few characters', () => {
    expect(again(BACK, `2@${'x'.repeat(100_000)}`).retried).toHaveLength(100);
  });
});

it('closed windows are ignored for one revision', () => {
  expect(['2', '1', '02', undefined].map((text) => ignoresWindows({ ...NONE, ignoreWindows: text }, '2'))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

describe('a request to abort', () => {
  const aborted = (given: RolloutRecord, abort: string | undefined) => afterRequests(given, { ...NONE, abort }, 1);

  it('sends the whole rollout back, and is remembered', () => {
    expect(aborted(record(), '2')).toEqual(record({ aborted: '2', rolledBack: { to: 1, why: 'it was aborted' } }));
    expect(aborted(BACK, '2')).toEqual(record({ aborted: '2', rolledBack: { to: 1, why: 'it was aborted' } }));
    expect(afterRequests(record(), { ...NONE, abort: '2' }, undefined).rolledBack).toEqual({ why: 'it was aborted' });
  });

  it('is fulfilled once, so that it can be retried', () => {
    const given = aborted(record(), '2');
    const again = afterRequests(given, { ...NONE, abort: '2', retry: '2' }, 1);
    expect(again).toEqual(record({ aborted: '2', retried: '2' }));
    expect(afterRequests(again, { ...NONE, abort: '2', retry: '2' }, 1)).toEqual(again);
    expect(afterRequests(again, { ...NONE, abort: '2@now', retry: '2' }, 1).rolledBack).toBeDefined();
  });

  it('wins against one to retry', () => {
    expect(afterRequests(BACK, { ...NONE, abort: '2', retry: '2' }, 1).rolledBack).toEqual({
      to: 1,
      why: 'it was aborted',
    });
  });

  it('of a rollout that is complete does nothing', () => {
    const given = record({ completedAt: '2026-01-01T11:30:00Z' });
    expect(aborted(given, '2')).toEqual(given);
  });

  it.each(['1', '3', '', 'x', 'true', '2 '])('of %p does nothing', (text) => {
    expect(aborted(record(), text)).toEqual(record());
  });

  it('is forgotten with its annotation, and remembered in few characters', () => {
    expect(aborted(aborted(record(), '2'), undefined).aborted).toBeUndefined();
    expect(aborted(record(), `2@${'x'.repeat(100_000)}`).aborted).toHaveLength(100);
  });
});

it.each([
  [undefined, false, undefined],
  ['false', false, undefined],
  ['true', false, 'the annotation gitops.kubesphere.io/pause-rollout is set'],
  ['yes', false, 'the annotation gitops.kubesphere.io/pause-rollout is set'],
  ['', false, 'the annotation gitops.kubesphere.io/pause-rollout is set'],
  ['false', true, 'spec.rollout.paused is set'],
])('a rollout is paused or not: annotation %p, field %p', (text, paused, why) => {
  expect(pauseOf({ paused }, { ...NONE, paused: text })?.why).toBe(why);
});

it('what was retried once is retried with another text', () => {
  expect([record(), record({ retried: '2' }), record({ retried: '2@2' })].map(retryOf)).toEqual(['2', '2@2', '2']);
});

describe('a warning of an approval', () => {
  const stages = [
    stage('canary'),
    stage('prod', { approval: true }),
    stage('last', { approval: true }),
    { name: 'rest' },
  ];
  const warn = (approved: string, waiting?: string, started: string[] = []): string[] => {
    const view = { stages, revision: 2, waiting, hasStarted: (name: string) => started.includes(name) };
    return requestWarnings({ ...NONE, approved }, record(), view);
  };

  it.each([
    ['prod', 'approve-stage "prod" is not STAGE@REVISION'],
    ['@2', 'approve-stage "@2" is not STAGE@REVISION'],
    ['prod@two', 'approve-stage "prod@two" is not STAGE@REVISION'],
    ['test@2', 'approve-stage "test@2": there is no such stage, only "canary", "prod", "last", "rest"'],
    ['canary@2', 'approve-stage "canary@2": the stage waits for no approval now'],
    [
      'last@2',
      'approve-stage "last@2": the stage does not wait for an approval yet, and will wait for another one only without a proof',
    ],
    ['prod@1', 'approve-stage "prod@1" is not for revision 2: use "prod@2"'],
  ])('%s', (text, warning) => expect(warn(text, 'prod@2')).toEqual([warning]));

  it('is not given for what is approved, nor of an old one while nothing waits', () => {
    expect(warn('prod@2', 'prod@2')).toEqual([]);
    expect(warn('prod@2@unproven', 'prod@2@unproven')).toEqual([]);
    expect(warn('prod@2', undefined, ['prod'])).toEqual([]);
    expect(warn('prod@1')).toEqual([]);
  });

  it('is short', () => expect(warn(`${'x'.repeat(100_000)}@2`)[0]?.length).toBeLessThan(200));
});

describe('a warning of a retry', () => {
  const view = { stages: [], revision: 2, waiting: undefined, hasStarted: () => false };
  const warn = (retry: string, given: RolloutRecord): string[] => requestWarnings({ ...NONE, retry }, given, view);

  it.each<[string, RolloutRecord, string[]]>([
    ['2', record(), ['retry-rollout "2": the revision is not rolled back']],
    ['1', record(), []],
    ['2', record({ retried: '2' }), []],
    ['x', record(), ['retry-rollout "x" is not the number of a revision']],
    ['1', BACK, ['retry-rollout "1": revision 2 is rolled back, use "2"']],
    [
      '2',
      { ...BACK, retried: '2' },
      ['retry-rollout "2" was fulfilled, and the revision is rolled back again: use another text, e.g. "2@2"'],
    ],
  ])('%s', (text, given, warnings) => expect(warn(text, given)).toEqual(warnings));
});

it('a request to ignore windows that means nothing is a warning', () => {
  const view = { stages: [], revision: 2, waiting: undefined, hasStarted: () => false };
  const warn = (ignoreWindows: string) => requestWarnings({ ...NONE, ignoreWindows }, record(), view);
  expect([warn('2'), warn('1')]).toEqual([[], []]);
  expect(warn('now')).toEqual(['ignore-windows "now" is not the number of a revision']);
});

describe('a warning of an abort, or a pause', () => {
  const view = { stages: [], revision: 2, waiting: undefined, hasStarted: () => false };
  const complete = record({ completedAt: '2026-01-01T11:30:00Z' });

  it.each<[string, RolloutRecord, string[]]>([
    ['2', record({ aborted: '2' }), []],
    ['1', record({ aborted: '1' }), []],
    ['1', record(), ['abort-rollout "1" is not for revision 2: use "2"']],
    ['x', record(), ['abort-rollout "x" is not the number of a revision']],
    ['2', complete, ['abort-rollout "2": the rollout is complete, pin-revision goes back to an earlier revision']],
  ])('%s', (abort, given, warnings) => expect(requestWarnings({ ...NONE, abort }, given, view)).toEqual(warnings));

  it.each<[string, string[]]>([
    ['true', []],
    ['false', []],
    ['on', ['pause-rollout "on" is neither "true" nor "false": the rollout is paused']],
  ])('%s', (paused, warnings) => expect(requestWarnings({ ...NONE, paused }, record(), view)).toEqual(warnings));
});
