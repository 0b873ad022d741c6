import { describe, expect, it } from '@jest/globals';
import { kustomization as backend } from '#controllers/application/model/backends/kustomization.js';
import type { ChildStatus } from '#controllers/application/model/child/types.js';
import { applied, files, filesApplication, work } from '../builders.js';

describe('a Kustomization', () => {
  const [kustomization] = applied([], work(filesApplication([files('prod', 'eu', { name: 'main' })])).steps);

  it('stands for its destination, its Application and its entry', () => {
    const key = backend.liveKey(kustomization!);
    expect(key).toEqual({
      kind: 'Kustomization',
      cluster: 'Secret/eu/value',
      storageNamespace: 'prod',
      releaseName: 'web/main',
    });
  });

  it.each<[string, ChildStatus, boolean]>([
    ['while what runs is what was asked for', { lastAppliedRevision: 'a', lastAttemptedRevision: 'a' }, true],
    ['not while another revision is applied', { lastAppliedRevision: 'a', lastAttemptedRevision: 'b' }, false],
    ['not before the first', {}, false],
  ])('is merely looked at again %s', (_, status, expected) => {
    const child = { ...kustomization!, status: { observedGeneration: 1, ...status } };
    expect(backend.isPeriodicReconcile(child)).toBe(expected);
  });

  it('keeps others from its place only when it is that of an Application', () => {
    const { name } = kustomization!.metadata;
    expect([kustomization!, { ...kustomization!, metadata: { name } }].map(backend.isHolder)).toEqual([true, false]);
  });
});
