import { describe, expect, test } from '@jest/globals';
import {
  currentTarget,
  desiredTarget,
  reasonToMove,
  targetChange,
  unaskedReplacement,
  releaseNameOf,
} from '#engine/flux/model/release-target.js';
import { shortenReleaseName } from '#api/flux/helm-release.js';
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

describe('a release must move', () => {
  const at = snapshot({ name: 'shop-web', namespace: 'shop' });
  const spec = { releaseName: 'shop-web' };
  const inPlace = { ...spec, upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' as const } };
  test.each([
    ['not before the first install', undefined, spec, 'web', undefined],
    ['not while it stays', at, spec, 'web', undefined],
    ['when its target changes', at, { releaseName: 'new' }, 'web', 'release name shop-web -> new'],
    ['when its chart is another', at, spec, 'api', 'chart name web -> api'],
    ['but for another chart not under InPlaceUpdate', at, inPlace, 'api', undefined],
  ] as const)('%s', (...[, latest, change, chartName, expected]) => {
    const status = { storageNamespace: 'shop', ...(latest === undefined ? {} : { history: [latest] }) };
    expect(reasonToMove(helmRelease(change, { status }), chartName)).toBe(expected);
  });
});

describe('a chart whose files say another name', () => {
  const at = snapshot({ name: 'shop-web', namespace: 'shop' });
  type Kind = 'HelmRepository' | 'GitRepository' | 'Bucket';
  const chart = (named: string, kind: Kind) => ({
    chart: { spec: { chart: named, sourceRef: { kind, name: 'charts' } } },
  });
  const held = 'the chart is named api now, and that of release shop/shop-web web';
  const strategy = (name: 'InPlaceUpdate' | 'Reinstall') => ({ upgrade: { chartNameChangeStrategy: name } });
  test.each([
    ['is held', { ...chart('charts/web', 'GitRepository') }, 3, at, held],
    ['is held if the spec always named it', { ...chart('api', 'HelmRepository') }, 3, at, held],
    ['is held if the spec was edited, and does not name it', { ...chart('next', 'HelmRepository') }, 2, at, held],
    [
      'is held if the spec was edited, and its folder has that name',
      chart('./charts/api', 'GitRepository'),
      2,
      at,
      held,
    ],
    ['is held if the spec was edited, and its folder of a bucket has it', chart('api', 'Bucket'), 2, at, held],
    ['replaces it if the spec was edited to name it', { ...chart('api', 'HelmRepository') }, 2, at, undefined],
    ['replaces it if the spec says so', strategy('Reinstall'), 3, at, undefined],
    ['upgrades it if the spec says so', strategy('InPlaceUpdate'), 3, at, undefined],
    ['is not in the way of another release name', { releaseName: 'new' }, 3, at, undefined],
    ['is nothing to one that is uninstalled', {}, 3, { ...at, status: 'uninstalled' }, undefined],
  ] as const)('%s', (...[, change, attempted, latest, expected]) => {
    const status = { storageNamespace: 'shop', history: [latest], lastAttemptedGeneration: attempted };
    const metadata = { name: 'web', namespace: 'shop', generation: 3 };
    const release = helmRelease({ releaseName: 'shop-web', ...change }, { metadata, status });
    const problem = unaskedReplacement(release, 'api');
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(expected);
    expect(unaskedReplacement(release, 'web')).toBeUndefined();
  });

  test('is held if the spec was edited to refer to another artifact', () => {
    const status = { storageNamespace: 'shop', history: [at], lastAttemptedGeneration: 2 };
    const metadata = { name: 'web', namespace: 'shop', generation: 3 };
    const chartRef = { kind: 'OCIRepository' as const, name: 'api' };
    const spec = { interval: '10m', releaseName: 'shop-web', chartRef };
    const release = { ...helmRelease({}, { metadata, status }), spec };
    expect(unaskedReplacement(release, 'api')).toContain(held);
  });
});

describe('releaseNameOf', () => {
  const metadata = { name: 'web' };
  test.each([
    ['the name alone', {}, 'web'],
    ['the target namespace in front', { targetNamespace: 'prod' }, 'prod-web'],
    ['the name that is asked for', { targetNamespace: 'prod', releaseName: 'shop' }, 'shop'],
  ])('is %s', (_name, spec, expected) => {
    expect(releaseNameOf({ metadata, spec })).toBe(expected);
  });
});

describe('shortenReleaseName', () => {
  test('keeps 53 characters', () => {
    expect(shortenReleaseName('a'.repeat(53))).toBe('a'.repeat(53));
  });

  test('keeps 40 characters and 12 of the sha256 of longer names', () => {
    expect(shortenReleaseName('a'.repeat(54))).toBe(`${'a'.repeat(40)}-a3f01b693925`);
  });
});
