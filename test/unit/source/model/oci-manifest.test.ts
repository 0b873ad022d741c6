import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseLayer, chooseManifest, parseManifest } from '#controllers/source/oci/model/manifest.js';

const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
const layer = (mediaType: string, digit = '0') => ({ mediaType, digest: digestOf(digit), size: 1 });

describe('a manifest', () => {
  test('of an image', () => {
    const layers = [layer('a'), layer('b', '1')];
    const annotations = { b: '2', a: '1', number: 3 };
    expect(parseManifest(JSON.stringify({ layers, annotations }))).toEqual({
      kind: 'image',
      layers,
      annotations: { a: '1', b: '2' },
    });
  });
  test('of a list of images', () => {
    const manifests = [{ ...layer('a'), platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } }, layer('b')];
    expect(parseManifest(JSON.stringify({ manifests }))).toEqual({
      kind: 'index',
      manifests: [
        { ...layer('a'), platform: 'linux/arm64' },
        { ...layer('b'), platform: undefined },
      ],
    });
  });
  test('with what its descriptors say besides', () => {
    const annotations = { a: '1', number: 3 };
    const layers = [{ ...layer('a'), annotations }];
    expect(parseManifest(JSON.stringify({ layers }))).toMatchObject({ layers: [{ annotations: { a: '1' } }] });
    const manifests = [{ ...layer('a'), artifactType: 't' }];
    expect(parseManifest(JSON.stringify({ manifests }))).toMatchObject({ manifests: [{ artifactType: 't' }] });
  });
  test('has no more annotations than fit into a status', () => {
    const annotations = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, 'x'.repeat(1_000)]));
    const manifest = parseManifest(JSON.stringify({ layers: [], annotations }));
    expect(JSON.stringify(manifest).length).toBeLessThan(20_000);
  });
  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['neither', '{}'],
    ['a digest that is none', JSON.stringify({ layers: [{ ...layer('a'), digest: 'sha256:../../x' }] })],
    ['a negative size', JSON.stringify({ layers: [{ ...layer('a'), size: -1 }] })],
    ['a size that is no number', JSON.stringify({ layers: [{ ...layer('a'), size: '1' }] })],
    ['old schema 1', JSON.stringify({ schemaVersion: 1, fsLayers: [] })],
  ])('is not: %s', (_title, text) => expect(parseManifest(text)).toBeUndefined());
  test('whatever the text is', () => {
    fc.assert(fc.property(fc.json(), (text) => void parseManifest(text)));
  });
});

describe('of an index', () => {
  const image = (platform: string | undefined, digit: string) => ({ ...layer('i', digit), platform });
  test.each([
    ['the only image, whatever it is for', [image('linux/arm64', '1')], digestOf('1')],
    ['the one for linux/amd64', [image('linux/arm64', '1'), image('linux/amd64', '2')], digestOf('2')],
    ['none without one for linux/amd64', [image('linux/arm64', '1'), image(undefined, '2')], undefined],
  ])('%s', (_title, manifests, digest) => {
    expect(chooseManifest({ kind: 'index', manifests })?.digest).toBe(digest);
  });
});

describe('the layer', () => {
  const layers = [layer('a', '1'), layer('b', '2'), layer('b', '3')];
  test.each([
    ['is the first', undefined, '1'],
    ['is the first for an empty media type', { mediaType: '' }, '1'],
    ['is the first of its media type', { mediaType: 'b' }, '2'],
  ])('%s', (_title, selector, digit) => {
    expect(chooseLayer(layers, selector)).toMatchObject({ layer: { digest: digestOf(digit) } });
  });
  test('that is not there is reported with what is', () => {
    expect(chooseLayer(layers, { mediaType: 'c' })).toEqual({
      problem: 'has no layer of media type "c" (spec.layerSelector), only "a", "b"',
    });
    expect(chooseLayer([], undefined)).toEqual({ problem: 'has no layers' });
  });
});
