import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isEmptyMetadata, metadataProblem, parseMetadata, printMetadata } from '#lib/kube/namespace-metadata.js';

const labels = (...keys: string[]): Record<string, string> => Object.fromEntries(keys.map((key) => [key, 'x']));

describe('labels and annotations for a namespace', () => {
  it.each<[string, Parameters<typeof metadataProblem>[0]]>([
    ['nothing', { labels: {}, annotations: {} }],
    ['plain keys', { labels: { team: 'a', 'a.b_c-D1': '' }, annotations: {} }],
    ['pod security', { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' }, annotations: {} }],
    ['any text in annotations', { labels: {}, annotations: { 'a/b': 'é\n"{}', 'Upper.Example.com/x': '' } }],
    ['as many keys as allowed', { labels: labels(...Array.from({ length: 64 }, (_, n) => `k${n}`)), annotations: {} }],
  ])('may be %s', (_, metadata) => {
    expect(metadataProblem(metadata)).toBeUndefined();
  });

  it.each<[string, Parameters<typeof metadataProblem>[0], string, RegExp]>([
    ['an empty key', { labels: labels(''), annotations: {} }, 'labels', /^"" is not a valid key/],
    ['two slashes', { labels: labels('a/b/c'), annotations: {} }, 'labels', /"a\/b\/c" is not a valid key/],
    ['an upper-case prefix', { labels: labels('Example.com/a'), annotations: {} }, 'labels', /not a valid key/],
    ['__proto__', { labels: {}, annotations: JSON.parse('{"__proto__":"x"}') as object }, 'annotations', /"__proto__"/],
    ['a name of 64', { labels: labels('a'.repeat(64)), annotations: {} }, 'labels', /not a valid key/],
    ['a long key, cut', { labels: labels('/'.repeat(10_000)), annotations: {} }, 'labels', /^.{0,250}$/],
    ['a bad value', { labels: { a: 'b c' }, annotations: {} }, 'labels', /"a" has the value "b c"/],
    ['a long value', { labels: { a: 'b'.repeat(64) }, annotations: {} }, 'labels', /63 letters/],
    ['a number', { labels: { a: 1 }, annotations: {} }, 'labels', /put it in quotes/],
    ['half a character', { labels: {}, annotations: { a: '\ud800' } }, 'annotations', /not valid Unicode/],
    ['an expression', { labels: {}, annotations: { a: '${{ cluster.name }}' } }, 'annotations', /overrides/],
    [
      "Kubernetes' own label",
      { labels: labels('kubernetes.io/metadata.name'), annotations: {} },
      'labels',
      /by the system/,
    ],
    [
      "kubectl's copy",
      { labels: {}, annotations: labels('kubectl.kubernetes.io/last-applied-configuration') },
      'annotations',
      /by the system/,
    ],
    ['a mark of ours', { labels: labels('gitops.kubesphere.io/x'), annotations: {} }, 'labels', /by the system/],
    ["Helm's", { labels: {}, annotations: labels('meta.helm.sh/release-name') }, 'annotations', /by the system/],
    ["Helm's, in capitals", { labels: {}, annotations: labels('Meta.Helm.sh/x') }, 'annotations', /by the system/],
    [
      'too many keys',
      { labels: {}, annotations: labels(...Array.from({ length: 65 }, (_, n) => `k${n}`)) },
      'annotations',
      /^65 labels and annotations are more than the 64/,
    ],
    ['too many bytes', { labels: labels('a'), annotations: { a: 'é'.repeat(8_192) } }, 'labels', /more than the 16384/],
  ])('are refused with %s', (_, metadata, kind, message) => {
    expect(metadataProblem(metadata)).toEqual({ kind, problem: expect.stringMatching(message) });
  });
});

describe('the text of labels and annotations', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,10}$/);
  const metadata = fc.record({ labels: fc.dictionary(word, word), annotations: fc.dictionary(word, fc.string()) });

  it('is read as what was written, whatever the order', () => {
    fc.assert(
      fc.property(metadata, (given) => {
        fc.pre(metadataProblem(given) === undefined);
        const text = printMetadata(given);
        expect(parseMetadata(text)).toEqual({ labels: { ...given.labels }, annotations: { ...given.annotations } });
        const reversed = Object.fromEntries(Object.entries(given.labels).reverse());
        expect(printMetadata({ ...given, labels: reversed })).toBe(text);
      }),
    );
  });

  it('of nothing is {}', () => {
    expect(printMetadata({ labels: {}, annotations: {} })).toBe('{}');
    const read = parseMetadata('{}');
    expect('problem' in read || isEmptyMetadata(read)).toBe(true);
  });

  it.each(['', '5', '"a"', '[]', 'null', '[{}]', '{"labels":[]}', '{"labels":null}', '{"other":{}}', '{"labels":{}'])(
    'cannot be %s',
    (text) => {
      expect(parseMetadata(text)).toEqual({ problem: 'it is not a JSON object with labels and annotations' });
    },
  );

  it('is bounded before it is read', () => {
    expect(parseMetadata('['.repeat(1_000_000))).toEqual({ problem: 'it has more than 16384 bytes' });
  });

  it('never makes the reader throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseMetadata(text)));
  });
});
