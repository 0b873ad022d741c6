import { describe, expect, test } from '@jest/globals';
import { currentTarget, desiredTarget, targetChange } from '#controllers/flux/helmrelease/model/target.js';
import { helmRelease, snapshot } from './builders.js';

test('a release lands in its own namespace unless the spec says otherwise', () => {
  expect(desiredTarget(helmRelease())).toEqual({ releaseName: 'web', namespace: 'shop', storageNamespace: 'shop' });
  expect(desiredTarget(helmRelease({ targetNamespace: 'apps', storageNamespace: 'helm' }))).toEqual({
    releaseName: 'apps-web',
    namespace: 'apps',
    storageNamespace: 'helm',
  });
});

test('where it is comes from the status', () => {
  const release = helmRelease({}, { status: { history: [snapshot()], storageNamespace: 'helm' } });
  expect(currentTarget(release)).toEqual({ releaseName: 'web', namespace: 'apps', storageNamespace: 'helm' });
  expect(currentTarget(helmRelease())).toBeUndefined();
});

describe('targetChange', () => {
  const at = { releaseName: 'web', namespace: 'apps', storageNamespace: 'apps' };
  test.each([
    ['nothing before the first install', undefined, at, undefined],
    ['nothing when it stays', at, at, undefined],
    ['the release name', at, { ...at, releaseName: 'shop' }, 'release name web -> shop'],
    ['the target namespace', at, { ...at, namespace: 'x' }, 'target namespace apps -> x'],
    ['the storage namespace', at, { ...at, storageNamespace: 'x' }, 'storage namespace apps -> x'],
  ])('names %s', (_name, current, desired, expected) => {
    expect(targetChange(current, desired)).toBe(expected);
  });
});
