import { describe, expect, test } from '@jest/globals';
import { trackDigest } from '#controllers/helmrelease/model/chart-metadata.js';

const DIGEST = `sha256:0123456789abcdef${'0'.repeat(48)}`;

describe('as in Flux, the version of a chart', () => {
  test.each([
    ['has the digest of its artifact', '1.2.3', `1.2.3@${DIGEST}`, '1.2.3+0123456789ab'],
    ['has it without a tag', '1.2.3', DIGEST, '1.2.3+0123456789ab'],
    ['has it with a tag that is no version', '1.2.3', `latest@${DIGEST}`, '1.2.3+0123456789ab'],
    ['has it in place of its build metadata', '1.2.3+build.1', `1.2.3_build.1@${DIGEST}`, '1.2.3+0123456789ab'],
    ['may differ from its tag in build metadata', '1.2.3+a', `1.2.3_b@${DIGEST}`, '1.2.3+0123456789ab'],
    ['keeps its prerelease', '1.2.3-rc.1', `1.2.3-rc.1@${DIGEST}`, '1.2.3-rc.1+0123456789ab'],
    ['loses its v, and gets what it lacks', 'v1.2', `1.2.0@${DIGEST}`, '1.2.0+0123456789ab'],
  ])('%s', (_title, version, revision, expected) => {
    expect(trackDigest(version, revision)).toEqual({ version: expected, digest: DIGEST });
  });

  test.each(['1.2.3', '1.2.3+1', ''])('stays for the revision %j, which has no digest', (revision) => {
    expect(trackDigest('1.2.3', revision)).toBeUndefined();
  });

  test.each([
    ['is none', 'newest', DIGEST, /^version "newest" in Chart\.yaml is not a semantic version: correct it/],
    ['is too long', `1.0.0-${'a'.repeat(1_000)}`, DIGEST, /^version "1\.0\.0-a{94}" in Chart/],
    [
      'is not the one of its tag',
      '1.2.3',
      `1.2.4@${DIGEST}`,
      /^artifact revision "1\.2\.4" does not match chart version "1\.2\.3": push/,
    ],
    ['is not the one of its short tag', '1.2.3', `1@${DIGEST}`, /does not match/],
    ['has a short digest', '1.2.3', '1.2.3@sha256:0123', /ends in no digest$/],
    ['has a digest of other characters', '1.2.3', '1.2.3@sha256:../../../../etc', /ends in no digest$/],
    ['has an empty digest', '1.2.3', 'a:b:', /ends in no digest$/],
  ])('is refused when it %s', (_title, version, revision, problem) => {
    expect(trackDigest(version, revision)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
