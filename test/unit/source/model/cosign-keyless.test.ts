import { readFileSync } from 'node:fs';
import { bundleFromJSON } from '@sigstore/bundle';
import { describe, expect, test } from '@jest/globals';
import { identityCheck, keylessVerifier, type Identity } from '#controllers/source/cosign/model/keyless.js';
import { newPair } from '../../../support/der.js';
import { Sigstore, statement, type SignOptions } from '../../../support/sigstore.js';

const SIGNER = { issuer: 'https://issuer.example.com', subject: 'ci@example.com' };

const verifierOf = (root: string, identities: readonly Identity[] = []): ReturnType<typeof keylessVerifier> =>
  keylessVerifier(root, identityCheck(identities));

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
    ['is not all of a pattern that ends before', [{ issuer: '^https://issuer$', subject: '.*' }], false],
  ])('%s', (_title, identities, isAccepted) => {
    expect(identityCheck(identities)(SIGNER) === undefined).toBe(isAccepted);
  });
  test('takes a time that no pattern makes long', () => {
    const check = identityCheck([{ issuer: '.*', subject: '^(([a-z])+.)+[A-Z]([a-z])+$' }]);
    expect(check({ issuer: '', subject: 'a'.repeat(50_000) })).toContain('does not accept');
  });
  test.each(['(', '(?=x)', 'a'.repeat(5_000)])('of a pattern that is none: %.10s', (issuer) => {
    expect(() => identityCheck([{ issuer, subject: '.*' }])).toThrow(RangeError);
  });
  test.each([
    ['issuer', { issuer: '', subject: '^ci@' }],
    ['subject', { issuer: '^https:', subject: '' }],
  ])('is not anybody for an empty %s', (field, identity) => {
    const message = `spec.verify.matchOIDCIdentity[1].${field} is empty, which accepts everybody: say whom you trust`;
    expect(() => identityCheck([{ issuer: 'a', subject: 'b' }, identity])).toThrow(new RangeError(message));
  });
});

describe('a trust root', () => {
  test('is a trusted_root.json', () => expect(() => verifierOf(new Sigstore().trustedRoot())).not.toThrow());
  test.each([
    '',
    '[1]',
    '{}',
    'null',
    '{"certificateAuthorities":[{}]}',
    '{"tlogs":[{"publicKey":{"rawBytes":"AAAA"}}]}',
  ])('is not %s', (text) => expect(() => verifierOf(text)).toThrow(RangeError));
});

describe('a bundle', () => {
  const sigstore = new Sigstore();
  const digest = `sha256:${'a'.repeat(64)}`;
  const problemOf = (change: (text: string) => string, options?: SignOptions, identities?: readonly Identity[]) =>
    verifierOf(
      sigstore.trustedRoot(),
      identities,
    )(bundleFromJSON(JSON.parse(change(sigstore.bundle(statement(digest), options)))));
  const asItIs = (text: string): string => text;
  /** The entries of a log in a bundle, made from its only one. */
  const withEntries = (make: (entry: Entry) => readonly Entry[]) => (text: string) => {
    const bundle = JSON.parse(text) as { verificationMaterial: { tlogEntries: readonly [Entry] } }; // as it was made
    const { verificationMaterial: material } = bundle;
    const tlogEntries = make(material.tlogEntries[0]);
    return JSON.stringify({ ...bundle, verificationMaterial: { ...material, tlogEntries } });
  };
  interface Entry {
    readonly integratedTime: string;
    readonly inclusionProof: { readonly checkpoint: { readonly envelope: string } };
  }
  const signedOften = ({ inclusionProof, ...entry }: Entry): readonly Entry[] => {
    const envelope = inclusionProof.checkpoint.envelope + '\u2014 rekor.example.com AAAAAAAA\n'.repeat(32);
    return [{ ...entry, inclusionProof: { ...inclusionProof, checkpoint: { envelope } } }];
  };

  test('is trusted', () => expect(problemOf(asItIs)).toBeUndefined());
  test.each<[string, (text: string) => string, SignOptions, string]>([
    [
      'with a pattern for a name in a checkpoint',
      asItIs,
      { logName: '(([a-z])+.)+[A-Z]([a-z])+$' },
      'a checkpoint of its log has an odd name',
    ],
    [
      'with a checkpoint of many signatures',
      withEntries(signedOften),
      {},
      'a checkpoint of its log has more than 32 signatures',
    ],
    [
      'with many entries of logs',
      withEntries((entry) => Array.from({ length: 33 }, (_, at) => ({ ...entry, integratedTime: String(1 + at) }))),
      {},
      'it has more than 32 entries of logs',
    ],
  ])('%s is not verified', (_title, change, options, problem) => {
    expect(problemOf(change, options)).toBe(problem);
  });
  test('of a signer who is not accepted is not verified', () => {
    const others = [{ issuer: '.*', subject: '^ci@example\\.org$' }];
    expect(problemOf(asItIs, { authority: newPair() }, others)).toContain('does not accept "ci@example.com"');
  });
  test('of the public services, which cosign keeps in its own tests, is trusted', () => {
    const recorded = (name: string): string => readFileSync(`test/fixtures/cosign/${name}`, 'utf8');
    const identities = [{ issuer: '^https://github.com/login/oauth$', subject: '@soyland.com$' }];
    const bundle = bundleFromJSON(JSON.parse(recorded('keyless.bundle.json')));
    expect(verifierOf(recorded('trusted_root.json'), identities)(bundle)).toBeUndefined();
    expect(() => verifierOf(sigstore.trustedRoot())(bundle)).toThrow();
  });
});
