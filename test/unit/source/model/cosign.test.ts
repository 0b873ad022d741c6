import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { signatureProblems, type FoundSignature, type Trust } from '#controllers/source/cosign/model/signatures.js';
import { signatureLayers } from '#controllers/source/cosign/model/format.js';
import { parseManifest } from '#controllers/source/oci/model/manifest.js';
import { newPair } from '../../../support/der.js';
import { cosignPayload, Sigstore, statement, type SignOptions } from '../../../support/sigstore.js';

/** Made by the real cosign: tools/cosign/generate.sh. */
function recorded(name: string): string {
  return readFileSync(`test/fixtures/cosign/${name}`, 'utf8');
}

const DIGEST = recorded('digest');
const OTHER = `sha256:${'0'.repeat(64)}`;
const KINDS = ['ecdsa256', 'ecdsa384', 'ecdsa521', 'rsa', 'ed25519'];
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function trusting(...names: readonly string[]): Trust {
  return { kind: 'keys', keys: Object.fromEntries(names.map((name) => [`${name}.pub`, recorded(`${name}.pub`)])) };
}

const bundleOf = (name: string): FoundSignature => ({ kind: 'bundle', text: recorded(`${name}.bundle.json`) });

/** In the order of KINDS, in which they were signed. */
function recordedLayers(payload = recorded('payload.json')): FoundSignature[] {
  const layers = signatureLayers(parseManifest(recorded('signatures.json')));
  return layers.map(({ signature }) => ({ kind: 'layer', payload: base64(payload), signature }));
}

function problemsOf(trust: Trust, signatures: readonly FoundSignature[], digest = DIGEST): string[] | undefined {
  return signatureProblems({ digest, signatures, trust });
}

describe('signatures that the real cosign made with a key', () => {
  test.each(KINDS.map((name, index) => [name, index] as const))('%s', (name, index) => {
    const trust = trusting(name);
    const layer = recordedLayers()[index] as FoundSignature; // one for each kind
    expect(problemsOf(trust, [layer])).toBeUndefined();
    expect(problemsOf(trust, [bundleOf(name)])).toBeUndefined();
    for (const found of [layer, bundleOf(name)]) {
      expect(problemsOf(trust, [found], OTHER)).toEqual(['it signs another artifact']);
      expect(problemsOf(trusting('stranger'), [found])).toEqual(['none of the keys made it']);
    }
  });

  test('one signature by one of the keys is enough', () => {
    expect(problemsOf(trusting('stranger', 'rsa'), [bundleOf('ed25519'), ...recordedLayers()])).toBeUndefined();
  });
  test('no signature is none', () => expect(problemsOf(trusting('rsa'), [])).toEqual([]));
  test('a payload that was changed is not what was signed', () => {
    const changed = recorded('payload.json').replace('"optional":null', '"optional":{"a":"b"}');
    expect(problemsOf(trusting(...KINDS), recordedLayers(changed))).toEqual(
      KINDS.map(() => 'none of the keys made it'),
    );
  });
  test('nor is a statement', () => {
    const bundle = JSON.parse(recorded('rsa.bundle.json')) as { dsseEnvelope: { payload: string } }; // as cosign wrote it
    bundle.dsseEnvelope.payload = base64(statement(DIGEST));
    const text = JSON.stringify(bundle);
    expect(problemsOf(trusting('rsa'), [{ kind: 'bundle', text }])).toEqual(['none of the keys made it']);
  });
  test('a key that is none is named', () => {
    const trust: Trust = { kind: 'keys', keys: { 'ours.pub': 'ssh-ed25519 AAAA' } };
    expect(problemsOf(trust, recordedLayers())).toEqual([expect.stringMatching(/^ours\.pub is not one public key/)]);
  });
  test.each([
    ['no JSON', '{'],
    ['no bundle', '{}'],
    ['a bundle without a signature', JSON.stringify({ ...JSON.parse(recorded('rsa.bundle.json')), dsseEnvelope: {} })],
  ])('%s is no signature, and does not hide another one', (_title, text) => {
    expect(problemsOf(trusting('rsa'), [{ kind: 'bundle', text }])).toHaveLength(1);
    expect(problemsOf(trusting('rsa'), [{ kind: 'bundle', text }, bundleOf('rsa')])).toBeUndefined();
  });
});

describe('a keyless signature', () => {
  const sigstore = new Sigstore();
  const anybody: Trust = { kind: 'keyless', trustedRoot: sigstore.trustedRoot(), identities: [] };

  function layer(options: SignOptions = {}, payload = cosignPayload(DIGEST)): FoundSignature {
    const annotations = sigstore.annotations(payload, options);
    return {
      kind: 'layer',
      payload: base64(payload),
      signature: annotations['dev.cosignproject.cosign/signature'] ?? '',
      certificate: annotations['dev.sigstore.cosign/certificate'] ?? '',
      promise: annotations['dev.sigstore.cosign/bundle'] ?? '',
    };
  }
  const bundle = (options: SignOptions = {}, payload = statement(DIGEST)): FoundSignature => ({
    kind: 'bundle',
    text: sigstore.bundle(payload, options),
  });

  test('is not an attestation, here of the public services, which cosign keeps in its own tests', () => {
    const trustedRoot = recorded('trusted_root.json');
    const text = recorded('keyless.bundle.json');
    const digest = 'sha256:732112270d7e59418a8c080b134b24cabd67d250d0d0147a97ed95ba5c280aa4';
    const trust: Trust = { kind: 'keyless', trustedRoot, identities: [] };
    expect(problemsOf(trust, [{ kind: 'bundle', text }], digest)).toEqual([
      'it is an attestation (https://cosign.sigstore.dev/attestation/v1), not a signature of cosign',
    ]);
  });

  describe.each([
    ['in a layer', layer],
    ['in a bundle', bundle],
  ])('%s', (_title, make) => {
    test('is trusted', () => expect(problemsOf(anybody, [make()])).toBeUndefined());
    test.each<[string, SignOptions, RegExp]>([
      ['made after its certificate expired', { minutes: 11 }, /certificate/],
      ['made before its certificate', { minutes: -0.5 }, /certificate/],
      ['with a certificate of another authority', { authority: newPair() }, /certificate/],
      ['with a certificate that no log published', { certificateLog: newPair() }, /SCT/],
      ['that is in no log', { signatureLog: newPair() }, /inclusion/],
    ])('is not when %s', (_case, options, problem) => {
      expect(problemsOf(anybody, [make(options)])).toEqual([expect.stringMatching(problem)]);
    });
    test('is not for another artifact', () => {
      expect(problemsOf(anybody, [make()], OTHER)).toEqual(['it signs another artifact']);
    });
    test.each([
      ['both match', '^https://issuer\\.', '^ci@example\\.com$', true],
      ['the issuer is another one', 'other', '.*', false],
      ['the subject is another one', '.*', '^ci@example\\.org$', false],
    ])('is by an accepted signer when %s', (_case, issuer, subject, isAccepted) => {
      const problems = problemsOf({ ...anybody, identities: [{ issuer, subject }] }, [make()]);
      if (isAccepted) expect(problems).toBeUndefined();
      else expect(problems).toEqual([expect.stringMatching(/does not accept "ci@example.com" of "https:\/\/issuer/)]);
    });
    test('is nothing for those who trust keys', () => {
      expect(problemsOf(trusting('rsa'), [make()])).toEqual(['none of the keys made it']);
    });
  });

  test.each([
    ['a key', { certificate: undefined }, 'it was made with a key'],
    ['no log', { promise: undefined }, 'it has no entry of a transparency log'],
  ])('is not one with %s', (_title, without, problem) => {
    const { kind, ...fields } = layer() as Extract<FoundSignature, { kind: 'layer' }>;
    const found = JSON.parse(JSON.stringify({ kind, ...fields, ...without })) as FoundSignature; // without what is undefined
    expect(problemsOf(anybody, [found])).toEqual([problem]);
  });
  test('whose bundle was made with a key is refused', () => {
    expect(problemsOf(anybody, [bundleOf('rsa')])).toEqual([expect.stringMatching(/key|timestamps/)]);
  });
  test.each([
    ['a trust root', { trustedRoot: '{"tlogs":[{}]}' }, /trusted_root\.json/],
    ['a pattern', { identities: [{ issuer: '(', subject: '.*' }] }, /is not a regular expression/],
    ['all of a pattern', { identities: [{ issuer: '.*', subject: '' }] }, /matchOIDCIdentity\[0\]\.subject is empty/],
  ])('needs %s that is one', (_title, change, problem) => {
    expect(problemsOf({ ...anybody, ...change }, [layer()])).toEqual([expect.stringMatching(problem)]);
  });
});
