import { describe, expect, test } from '@jest/globals';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { hidesValues } from '#controllers/flux/kustomization/model/dry-run.js';

describe('a dry run of a Kustomization', () => {
  test.each<[string, Pick<KustomizationSpec, 'decryption' | 'postBuild'>, boolean]>([
    ['shows values of plain files', {}, false],
    ['shows values of ConfigMaps', { postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'a' }] } }, false],
    [
      'hides values that may come from a Secret',
      { postBuild: { substituteFrom: [{ kind: 'Secret', name: 'a' }] } },
      true,
    ],
    ['hides values that may be decrypted', { decryption: { provider: 'sops' } }, true],
  ])('%s', (_title, spec, expected) => {
    expect(hidesValues(spec)).toBe(expected);
  });
});
