import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commonMetadataDigest, postRenderersDigest } from '#controllers/helmrelease/model/observed-digests.js';
import type { HelmReleaseSpec } from '#controllers/helmrelease/model/types.js';
import { differences, useOracle, type Answer } from './oracle.js';

type Observed = Pick<HelmReleaseSpec, 'postRenderers' | 'commonMetadata'>;

/** Text that JSON, HTML and scripts escape, each in its own way. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', '<a href="b">&', '\u2028\u2029\u0085', '\b\f\n\r\t\u0000\u001f\u007f', 'é😀', 'op: replace\n'),
);
const present = { requiredKeys: [] };
const map = fc.dictionary(text, text);
const target = fc.record(
  {
    ...{ labelSelector: text, annotationSelector: text, name: text, namespace: text },
    ...{ kind: text, version: text, group: text },
  },
  present,
);
const patch = fc.record({ target, patch: text }, { requiredKeys: ['patch'] });
const image = fc.record({ digest: text, newTag: text, newName: text, name: text }, { requiredKeys: ['name'] });
const kustomize = fc.record({ images: fc.array(image), patches: fc.array(patch) }, present);
const cases: fc.Arbitrary<Observed> = fc.record(
  {
    postRenderers: fc.array(fc.record({ kustomize }, present)),
    commonMetadata: fc.record({ labels: map, annotations: map }, present),
  },
  present,
);

const ask = useOracle('observed');

test('post renderers and common metadata have the digests that Flux gives them', async () => {
  const theirs = (answer: Answer): unknown => answer;
  const ours = (spec: Observed): unknown => ({
    postRenderers: postRenderersDigest(spec) ?? '',
    commonMetadata: commonMetadataDigest(spec) ?? '',
  });
  expect(await differences({ ask, cases, theirs, ours })).toEqual([]);
});
