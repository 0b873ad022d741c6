import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import {
  commonMetadataDigest,
  postRenderersDigest,
  withObserved,
  withObservedOf,
} from '#controllers/helmrelease/model/observed-digests.js';
import * as steps from '#controllers/helmrelease/model/status.js';
import { helmRelease, snapshot, statusContext } from './builders.js';

// What Flux's own types give; test/oracles has many more.
test('post renderers have the digest of Go’s JSON: fields as in the source, text safe for HTML, a newline', () => {
  const patch = { target: { group: 'apps', kind: 'Deployment' }, patch: '<a>&' };
  const kustomize = { images: [{ name: 'x', newTag: '2' }], patches: [patch] };
  const expected = 'sha256:5329f92a4a3bdacce255a2b7d51dce35c213548e9fec1f963686c80eb7a1f0c3';
  expect(postRenderersDigest({ postRenderers: [{ kustomize }] })).toBe(expected);
});

test('common metadata has its keys sorted, and empty maps left out', () => {
  const expected = 'sha256:1c1fafdb41dba8d161861440e884be3e37ad8d900b89c7bf75c4e11c2d7adef8';
  expect(commonMetadataDigest({ commonMetadata: { labels: { b: '1', a: '2' }, annotations: {} } })).toBe(expected);
});

test('an empty list has a digest, and nothing at all has none', () => {
  const expected = 'sha256:37517e5f3dc66819f61f5a7bb8ace1921282415f10551d2defa5c3eb0985b570';
  expect(postRenderersDigest({ postRenderers: [] })).toBe(expected);
  expect([postRenderersDigest({}), commonMetadataDigest({})]).toEqual([undefined, undefined]);
});

describe('what is remembered before a rollback', () => {
  const context = statusContext();
  const patched = (patch: string): ReturnType<typeof helmRelease>['spec'] =>
    helmRelease({ postRenderers: [{ kustomize: { patches: [{ patch }] } }] }).spec;
  const proven = snapshot({ version: 1, status: 'superseded' });
  const began = withObserved({ history: [proven] }, patched('old'));
  const tested = snapshot({ version: 2 });
  const deployed = withObserved(
    steps.released(began, context, { action: 'upgrade', snapshot: tested, clearFailures: false }),
    patched('new'),
  );
  const failed = steps.releaseFailed(began, context, {
    action: 'upgrade',
    attempted: tested,
    error: 'it broke',
    snapshot: snapshot({ version: 2, status: 'failed' }),
  });
  const observed = (status: HelmReleaseStatus): unknown[] => [
    status.observedPostRenderersDigest,
    status.observedCommonMetadataDigest,
  ];

  test.each<[string, HelmReleaseStatus, HelmReleaseStatus | undefined, unknown[]]>([
    [
      'is that of the target, where the pass began with it: what was deployed since did not prove itself',
      deployed,
      began,
      [postRenderersDigest(patched('old')), undefined],
    ],
    ['is that of the target, too, which had none', deployed, { history: [proven] }, [undefined, undefined]],
    ['matches nothing where another process deployed it', deployed, deployed, ['unknown', 'unknown']],
    ['matches nothing where the pass began with no status', deployed, undefined, ['unknown', 'unknown']],
    ['stays after an upgrade that failed itself', failed, began, [postRenderersDigest(patched('old')), undefined]],
  ])('%s', (_name, status, before, expected) => {
    expect(observed(withObservedOf(status, { target: proven, began: before }))).toEqual(expected);
  });
});
