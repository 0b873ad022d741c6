import { expect, test } from '@jest/globals';
import { shortDigest } from '#lib/text/text.js';

const HEX = '0123456789abcdef'.repeat(4);

test.each([
  ['a digest', `sha256:${HEX}`, 'sha256:0123456789ab…'],
  ['a commit of a branch', `main@sha1:${HEX.slice(0, 40)}`, 'main@sha1:0123456789ab…'],
  ['a tag with a digest', `6.5.0@sha256:${HEX}`, '6.5.0@sha256:0123456789ab…'],
  ['a version', '1.5.0+0123456789abcdef', '1.5.0+0123456789abcdef'],
  ['one that is short', 'sha256:0123456789ab', 'sha256:0123456789ab'],
  ['nothing', '', ''],
])('%s is as short as people read it', (_, revision, short) => {
  expect(shortDigest(revision)).toBe(short);
});
