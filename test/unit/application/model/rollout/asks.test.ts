import { describe, expect, it } from '@jest/globals';
import { afterRetry, ignoresWindows, requestWarnings } from '#controllers/application/model/rollout/asks.js';
import type { RolloutRecord } from '#controllers/application/model/rollout/types.js';
import { record, stage } from './builders.js';

const NONE = { approved: undefined, retry: undefined, ignoreWindows: undefined };
const BACK = record({ rolledBack: { stage: 'a', to: 1, why: 'it failed' } });

describe('a request to retry', () => {
  const again = (given: RolloutRecord, retry: string | undefined) => afterRetry(given, { ...NONE, retry });

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
  expect(['2', '1', '02', undefined].map((text) => ignoresWindows({ ...NONE, ignoreWindows: text }, 2))).toEqual([
    true,
    false,
    false,
    false,
  ]);
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
    ['canary@2', 'approve-stage "canary@2": the stage needs no approval'],
    [
      'last@2',
      'approve-stage "last@2": the stage does not wait for an approval yet, and will not wait for another one',
    ],
    ['prod@1', 'approve-stage "prod@1" is not for revision 2: use "prod@2"'],
  ])('%s', (text, warning) => expect(warn(text, 'prod')).toEqual([warning]));

  it('is not given for what is approved, nor of an old one while nothing waits', () => {
    expect(warn('prod@2', 'prod')).toEqual([]);
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
