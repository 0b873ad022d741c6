import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  bundleLayer,
  bundleManifests,
  signatureLayers,
  signatureTag,
} from '#controllers/source/cosign/model/format.js';
import { parseManifest, type Manifest } from '#controllers/source/oci/model/manifest.js';

const recorded = (name: string): Manifest | undefined =>
  parseManifest(readFileSync(`test/fixtures/cosign/${name}`, 'utf8'));
const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const PAYLOAD = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE = 'dev.cosignproject.cosign/signature';

const layer = (mediaType: string) => ({ mediaType, digest: `sha256:${'0'.repeat(64)}`, size: 1 });
const image = (...layers: ReturnType<typeof layer>[]): Manifest => ({ kind: 'image', layers, annotations: {} });
const index = (artifactType?: string): Manifest => ({
  kind: 'index',
  manifests: [{ ...layer('m'), platform: undefined, ...(artifactType === undefined ? {} : { artifactType }) }],
});

test('the tag of signatures', () => expect(signatureTag('sha256:12')).toBe('sha256-12.sig'));

test('the signatures that the real cosign wrote', () => {
  const found = signatureLayers(recorded('signatures.json'));
  expect(found).toHaveLength(5);
  for (const { signature, layer: payload } of found) {
    expect(signature).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(payload).toMatchObject({ mediaType: PAYLOAD, size: 235 });
  }
});

test.each([
  ['no manifest', undefined],
  ['an index', index()],
  ['a layer of another type', image({ ...layer('text/plain'), annotations: { [SIGNATURE]: 'x' } } as never)],
  ['a layer without a signature', image({ ...layer(PAYLOAD), annotations: { [`${SIGNATURE}s`]: 'x' } } as never)],
])('%s has no signatures', (_title, manifest) => expect(signatureLayers(manifest)).toEqual([]));

test('the certificate and the promise of the log are annotations, too', () => {
  const annotations = {
    [SIGNATURE]: 's',
    'dev.sigstore.cosign/certificate': 'c',
    'dev.sigstore.cosign/bundle': 'p',
  };
  const manifest = image({ ...layer(PAYLOAD), annotations } as never);
  expect(signatureLayers(manifest)).toMatchObject([{ signature: 's', certificate: 'c', promise: 'p' }]);
});

test.each([
  ['those that the real cosign wrote', recorded('referrers.json'), 5],
  ['one that says so', index(BUNDLE), 1],
  ['one that says nothing', index(), 1],
  ['none that is something else', index('application/spdx+json'), 0],
  ['none in an image', image(), 0],
])('bundles among referrers: %s', (_title, manifest, count) => expect(bundleManifests(manifest)).toHaveLength(count));

test('bundles: first those that say that they are signatures, the newest before the others', () => {
  const bundleOf = (size: number, predicate?: string) => ({
    ...{ ...layer('m'), size, platform: undefined, artifactType: BUNDLE },
    ...(predicate !== undefined && { annotations: { 'dev.sigstore.bundle.predicateType': predicate } }),
  });
  const sign = 'https://sigstore.dev/cosign/sign/v1';
  const manifests = [bundleOf(1), bundleOf(2, sign), bundleOf(3, sign), bundleOf(4, 'https://slsa.dev/provenance/v1')];
  const found = bundleManifests({ kind: 'index', manifests });
  expect(found.map(({ size }) => size)).toEqual([3, 2, 4, 1]);
});

test.each([
  ['its only layer', image(layer(BUNDLE)), BUNDLE],
  ['none of several', image(layer(BUNDLE), layer(BUNDLE)), undefined],
  ['none of another type', image(layer('text/plain')), undefined],
  ['none of an index', index(), undefined],
])('the bundle of a manifest is %s', (_title, manifest, type) => expect(bundleLayer(manifest)?.mediaType).toBe(type));
