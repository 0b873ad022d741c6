import { describe, expect, test } from '@jest/globals';
import type { ReleaseStatus } from '#controllers/helmrelease/model/release.js';
import type { Snapshot } from '#controllers/helmrelease/model/snapshot.js';
import { releaseState, type ReleaseState, type StateFacts } from '#controllers/helmrelease/model/state.js';
import { snapshot } from './builders.js';

const DESIRED = { chartName: 'web', chartVersion: '1.0.0', configDigest: 'sha256:a', metadataDigest: undefined };

function facts(change: Partial<StateFacts> = {}): StateFacts {
  return {
    last: { version: 1, status: 'deployed' },
    history: [snapshot({ version: 1 })],
    desired: DESIRED,
    observedMetadataDigest: undefined,
    isKnownToRun: true,
    tests: { enabled: false, ignoreFailures: false },
    ...change,
  };
}

function last(status: ReleaseStatus, version = 1): StateFacts['last'] {
  return { version, status };
}

const failedTest: Snapshot = snapshot({ version: 1, testHooks: { t: { phase: 'Failed' } } });
const goodTest: Snapshot = snapshot({ version: 1, testHooks: { t: { phase: 'Succeeded' } } });
const mixedTests: Snapshot = snapshot({ version: 1, testHooks: { t: { phase: 'Succeeded' }, u: { phase: 'Failed' } } });
const OTHER = { ...DESIRED, configDigest: 'sha256:b' };
const tests = { enabled: true, ignoreFailures: false };

describe('releaseState: as in Flux, the first state that matches', () => {
  test.each<[string, Partial<StateFacts>, ReleaseState]>([
    ['nothing in storage', { last: undefined }, 'Absent'],
    ['an uninstalled release', { last: last('uninstalled') }, 'Absent'],
    ['an uninstalled release that we do not know', { last: last('uninstalled'), history: [] }, 'Absent'],
    ['an uninstalled release that is not the one we remember', { last: last('uninstalled', 3) }, 'Absent'],
    ['a lock on a release that is out of sync', { last: last('pending-upgrade'), desired: OTHER }, 'Locked'],
    ['a failed last action that is out of sync', { last: last('failed'), desired: OTHER }, 'Failed'],
    ['an unknown status', { last: last('unknown') }, 'Unmanaged'],
    ['an install that was cut off', { last: last('pending-install'), history: [] }, 'Locked'],
    ['an upgrade that was cut off', { last: last('pending-upgrade', 2) }, 'Locked'],
    ['a rollback that was cut off', { last: last('pending-rollback', 2) }, 'Locked'],
    ['an uninstall that was cut off', { last: last('uninstalling') }, 'Locked'],
    ['a release that we did not make', { history: [] }, 'Unmanaged'],
    ['a revision made by hand', { last: last('deployed', 2) }, 'Unmanaged'],
    ['a failed revision made by hand', { last: last('failed', 2) }, 'Unmanaged'],
    ['a superseded last revision', { last: last('superseded') }, 'Unmanaged'],
    ['a failed last action', { last: last('failed') }, 'Failed'],
    ['another chart', { desired: { ...DESIRED, chartName: 'shop' } }, 'OutOfSync'],
    ['another chart version', { desired: { ...DESIRED, chartVersion: '1.0.1' } }, 'OutOfSync'],
    ['other values', { desired: { ...DESIRED, configDigest: 'sha256:b' } }, 'OutOfSync'],
    [
      'other common metadata, not known to run',
      { desired: { ...DESIRED, metadataDigest: 'sha256:m' }, isKnownToRun: false },
      'OutOfSync',
    ],
    [
      'other post renderers, not known to run',
      { desired: { ...DESIRED, postRenderersDigest: 'sha256:p' }, isKnownToRun: false },
      'OutOfSync',
    ],
    [
      'the post renderers and common metadata that were rolled out, not known to run',
      {
        desired: { ...DESIRED, metadataDigest: 'm', postRenderersDigest: 'p' },
        observedMetadataDigest: 'm',
        observedPostRenderersDigest: 'p',
        isKnownToRun: false,
      },
      'InSync',
    ],
    [
      'post renderers that run, though nobody noted them',
      { desired: { ...DESIRED, postRenderersDigest: 'x' } },
      'InSync',
    ],
    ['common metadata that runs, though nobody noted it', { desired: { ...DESIRED, metadataDigest: 'x' } }, 'InSync'],
    ['tests that never ran on a release that is out of sync', { tests, desired: OTHER }, 'OutOfSync'],
    ['one failed test of several', { tests, history: [mixedTests] }, 'Failed'],
    ['tests that succeeded', { tests, history: [goodTest] }, 'InSync'],
    ['tests that never ran and would be ignored', { tests: { enabled: true, ignoreFailures: true } }, 'Untested'],
    ['tests that never ran', { tests }, 'Untested'],
    ['a failed test', { tests, history: [failedTest] }, 'Failed'],
    ['a failed test that is ignored', { tests: { ...tests, ignoreFailures: true }, history: [failedTest] }, 'InSync'],
    ['a failed test with tests disabled', { history: [failedTest] }, 'InSync'],
    ['tests that found no hooks', { tests, history: [snapshot({ version: 1, testHooks: {} })] }, 'InSync'],
    ['everything as wanted', {}, 'InSync'],
  ])('%s', (_name, change, expected) => {
    expect(releaseState(facts(change)).state).toBe(expected);
  });

  test('says what differs', () => {
    expect(releaseState(facts({ desired: { ...DESIRED, chartVersion: '2.0.0' } })).why).toBe(
      'chart version 1.0.0 -> 2.0.0',
    );
  });
});
