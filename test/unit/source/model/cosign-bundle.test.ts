import { expect, test } from '@jest/globals';
import { bundleOfLayer } from '#controllers/source/cosign/model/keyless.js';
import { cosignPayload, Sigstore } from '../../../support/sigstore.js';

const payload = cosignPayload(`sha256:${'a'.repeat(64)}`);
const annotations = new Sigstore().annotations(payload);
const SIGNATURE = {
  payload: Buffer.from(payload),
  signature: annotations['dev.cosignproject.cosign/signature'] ?? '',
  certificate: annotations['dev.sigstore.cosign/certificate'] ?? '',
  promise: annotations['dev.sigstore.cosign/bundle'] ?? '',
};

test('a layer as a bundle has the entry of the log', () => {
  const { verificationMaterial, content } = bundleOfLayer(SIGNATURE);
  expect(verificationMaterial.tlogEntries).toMatchObject([
    { kindVersion: { kind: 'hashedrekord', version: '0.0.1' }, logIndex: '0', inclusionProof: undefined },
  ]);
  expect(content.$case).toBe('messageSignature');
});

test.each([
  ['a certificate that is none', { certificate: 'x' }],
  ['a promise that is no JSON', { promise: '{' }],
  ['a promise without an entry', { promise: '{}' }],
  ['a promise that is no map', { promise: '[]' }],
  ['no signature', { signature: '' }],
])('%s is refused', (_title, change) => expect(() => bundleOfLayer({ ...SIGNATURE, ...change })).toThrow());
