import { describe, expect, test } from '@jest/globals';
import { identityCheck, keylessVerifier } from '#controllers/flux/source/model/cosign-keyless.js';
import { Sigstore } from '#test/support/sigstore.js';

const SIGNER = { issuer: 'https://issuer.example.com', subject: 'ci@example.com' };

describe('a signer', () => {
  test.each([
    ['is anybody without identities', [], true],
    ['is found anywhere in a text', [{ issuer: 'example', subject: 'example' }], true],
    [
      'is one of several',
      [
        { issuer: 'other', subject: '.*' },
        { issuer: '.*', subject: '^ci@' },
      ],
      true,
    ],
    [
      'must have issuer and subject of one identity',
      [
        { issuer: '.*', subject: 'nobody' },
        { issuer: 'nobody', subject: '.*' },
      ],
      false,
    ],
    ['is not all of a pattern that ends before', [{ issuer: '^https://issuer$', subject: '' }], false],
  ])('%s', (_title, identities, isAccepted) => {
    expect(identityCheck(identities)(SIGNER) === undefined).toBe(isAccepted);
  });
  test('takes a time that no pattern makes long', () => {
    const check = identityCheck([{ issuer: '', subject: '^(([a-z])+.)+[A-Z]([a-z])+$' }]);
    expect(check({ issuer: '', subject: 'a'.repeat(50_000) })).toContain('does not accept');
  });
  test.each(['(', '(?=x)', 'a'.repeat(5_000)])('of a pattern that is none: %.10s', (issuer) => {
    expect(() => identityCheck([{ issuer, subject: '' }])).toThrow(RangeError);
  });
});

describe('a trust root', () => {
  test('is a trusted_root.json', () => expect(() => keylessVerifier(new Sigstore().trustedRoot())).not.toThrow());
  test.each([
    '',
    '[1]',
    '{}',
    'null',
    '{"certificateAuthorities":[{}]}',
    '{"tlogs":[{"publicKey":{"rawBytes":"AAAA"}}]}',
  ])('is not %s', (text) => expect(() => keylessVerifier(text)).toThrow(RangeError));
});
