import { describe, expect, test } from '@jest/globals';
import {
  describeSnapshot,
  ociDigestOf,
  previousSuccess,
  recordSnapshot,
  snapshotOf,
  testHooksOf,
  truncateHistory,
} from '#controllers/helmrelease/model/snapshot.js';
import { record, snapshot } from './builders.js';

const failedTest = { t: { phase: 'Failed' } };

describe('snapshotOf', () => {
  test('says what storage says, in whole seconds and without apiVersion', () => {
    expect(snapshotOf(record(), { configDigest: 'sha256:a' }, 'install')).toEqual({
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      name: 'web',
      namespace: 'apps',
      version: 1,
      status: 'deployed',
      chartName: 'web',
      chartVersion: '1.0.0',
      appVersion: '2.3',
      configDigest: 'sha256:a',
      firstDeployed: '2026-01-01T00:00:00Z',
      lastDeployed: '2026-01-02T00:00:00Z',
      action: 'install',
    });
  });

  test('another manifest is another digest', () => {
    const digest = (manifest: string): string =>
      snapshotOf(record({ manifest }), { configDigest: 'sha256:a' }, 'install').digest;
    expect(digest('a')).not.toBe(digest('b'));
  });
});

test.each([
  ['the version that was attempted last', '1.0.0', 'sha256:b'],
  ['another version', '1.0.1', undefined],
])('a revision with %s came from that artifact', (_name, lastAttemptedRevision, expected) => {
  const status = { lastAttemptedRevision, lastAttemptedRevisionDigest: 'sha256:b' };
  const ociDigest = ociDigestOf(record(), status);
  expect(ociDigest).toBe(expected);
  const { ociDigest: recorded } = snapshotOf(record(), { configDigest: 'sha256:a', ociDigest }, 'upgrade');
  expect(recorded).toBe(expected);
});

test('testHooksOf lists the tests that ran, in whole seconds', () => {
  const ran = { started_at: '2026-01-01T00:00:00.5Z', completed_at: '2026-01-01T00:00:01Z', phase: 'Failed' } as const;
  const hooks: NonNullable<Parameters<typeof testHooksOf>[0]['hooks']> = [
    { name: 'check', events: ['test'], last_run: ran },
    { name: 'later', events: ['test'], last_run: { phase: '' } },
    { name: 'before', events: ['pre-install'], last_run: ran },
  ];
  expect(testHooksOf(record({ hooks }))).toEqual({
    check: { lastStarted: '2026-01-01T00:00:00Z', lastCompleted: '2026-01-01T00:00:01Z', phase: 'Failed' },
  });
  expect(testHooksOf(record())).toEqual({});
});

test('describeSnapshot names release, revision and chart', () => {
  expect(describeSnapshot(snapshot({ version: 3 }))).toBe('apps/web.v3 with chart web@1.0.0');
});

describe('previousSuccess', () => {
  test.each([
    [
      'the one before',
      [
        { version: 2, status: 'failed' },
        { version: 1, status: 'superseded' },
      ],
      false,
      1,
    ],
    [
      'not a failed one',
      [{ version: 3 }, { version: 2, status: 'failed' }, { version: 1, status: 'superseded' }],
      false,
      1,
    ],
    ['never the latest', [{ version: 1 }], false, undefined],
    ['not one with failing tests', [{ version: 2 }, { version: 1, testHooks: failedTest }], false, undefined],
    ['one with failing tests that are ignored', [{ version: 2 }, { version: 1, testHooks: failedTest }], true, 1],
  ])('is %s', (_name, history, ignore, expected) => {
    expect(previousSuccess(history.map(snapshot), ignore)?.version).toBe(expected);
  });
});

describe('recordSnapshot', () => {
  test('puts a new revision in front and supersedes the deployed one', () => {
    const history = recordSnapshot([snapshot({ version: 1 })], snapshot({ version: 2 }));
    expect(history.map(({ version, status }) => [version, status])).toEqual([
      [2, 'deployed'],
      [1, 'superseded'],
    ]);
  });

  test('of an entry of Flux that it supersedes the digest no longer counts, of others it does', () => {
    const byFlux = [3, 2].map((version) =>
      snapshot({ apiVersion: 'v2', version, status: version === 3 ? 'deployed' : 'superseded' }),
    );
    const [, second, third] = recordSnapshot(byFlux, snapshot({ version: 4 }));
    expect(second).toEqual(snapshot({ version: 3, status: 'superseded' }));
    expect(third).toEqual(byFlux[1]);
  });

  test('replaces the entry of the same revision', () => {
    const history = recordSnapshot([snapshot({ version: 1 })], snapshot({ version: 1, status: 'failed' }));
    expect(history).toEqual([snapshot({ version: 1, status: 'failed' })]);
  });

  test('a failed revision supersedes nothing', () => {
    const [, old] = recordSnapshot([snapshot({ version: 1 })], snapshot({ version: 2, status: 'failed' }));
    expect(old?.status).toBe('deployed');
  });

  test('of a release that keeps failing contains the latest revisions, and the successful one to roll back to', () => {
    let history = [snapshot({ version: 1 })];
    for (let version = 2; version <= 40; version += 1) {
      history = recordSnapshot(history, snapshot({ version, status: 'failed' }));
    }
    expect(history.map(({ version }) => version)).toEqual([40, 39, 38, 37, 36, 1]);
  });

  test('does not change its argument', () => {
    const history = Object.freeze([Object.freeze(snapshot())]);
    expect(() => recordSnapshot(history, snapshot({ version: 2 }))).not.toThrow();
  });
});

describe('truncateHistory', () => {
  test('keeps the latest down to the previous good one', () => {
    const history = [4, 3, 2, 1].map((version) =>
      snapshot({ version, status: version === 3 ? 'failed' : 'superseded' }),
    );
    expect(truncateHistory(history, false).map(({ version }) => version)).toEqual([4, 3, 2]);
  });

  test('keeps five when none was good', () => {
    const history = [7, 6, 5, 4, 3, 2, 1].map((version) => snapshot({ version, status: 'failed' }));
    expect(truncateHistory(history, false)).toHaveLength(5);
  });
});
