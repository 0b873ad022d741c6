import { describe, expect, test } from '@jest/globals';
import { shortenReleaseName } from '#api/flux/release-name.js';
import { releaseNameOf } from '#controllers/flux/helmrelease/model/release-name.js';

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
