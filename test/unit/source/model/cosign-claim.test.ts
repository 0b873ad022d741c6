import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { payloadProblem, signedBytes, statementProblem } from '#controllers/source/cosign/model/format.js';
import { cosignPayload, statement } from '../../../support/sigstore.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const IN_TOTO = 'application/vnd.in-toto+json';

describe('a payload', () => {
  test.each([
    ['signs its artifact', cosignPayload(DIGEST), undefined],
    ['signs another artifact', cosignPayload(OTHER), 'it signs another artifact'],
    [
      'is of another type',
      cosignPayload(DIGEST, 'atomic container signature'),
      'what was signed is no signature of cosign',
    ],
    [
      'has no type',
      JSON.stringify({ critical: { image: { 'docker-manifest-digest': DIGEST } } }),
      'what was signed is no',
    ],
    ['is no JSON', DIGEST, 'what was signed is no'],
  ])('%s', (_title, text, problem) => {
    const found = payloadProblem(Buffer.from(text), DIGEST);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});

describe('a statement', () => {
  test.each([
    ['is about its artifact', IN_TOTO, statement(DIGEST), undefined],
    ['of the version before', IN_TOTO, statement(DIGEST, 'https://in-toto.io/Statement/v0.1'), undefined],
    [
      'says something else about its artifact',
      IN_TOTO,
      statement(DIGEST, undefined, 'https://cosign.sigstore.dev/attestation/vuln/v1'),
      'it is an attestation (https://cosign.sigstore.dev/attestation/vuln/v1), not a signature of cosign',
    ],
    ['is about another artifact', IN_TOTO, statement(OTHER), 'it signs another artifact'],
    [
      'names the digest by another algorithm',
      IN_TOTO,
      statement(DIGEST.replace('sha256', 'sha512')),
      'it signs another',
    ],
    ['has no subject', IN_TOTO, JSON.stringify({ _type: 'https://in-toto.io/Statement/v1' }), 'it signs another'],
    [
      'is of another type',
      IN_TOTO,
      statement(DIGEST, 'https://example.com/Statement'),
      'what was signed is no statement',
    ],
    ['is in an envelope of another type', 'text/plain', statement(DIGEST), 'what was signed is no statement'],
  ])('%s', (_title, payloadType, text, problem) => {
    const found = statementProblem({ payloadType, payload: Buffer.from(text) }, DIGEST);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
  test('is signed with its type', () => {
    expect(signedBytes({ payloadType: 'a/b', payload: Buffer.from('ü') }).toString()).toBe('DSSEv1 3 a/b 2 ü');
  });
});

test('any JSON is refused without an error', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const payload = Buffer.from(text);
      expect(payloadProblem(payload, DIGEST)).toBeDefined();
      expect(statementProblem({ payloadType: IN_TOTO, payload }, DIGEST)).toBeDefined();
    }),
  );
});
