import { describe, expect, it, test } from '@jest/globals';
import { flagChoices, NAMESPACE_FLAG, overridesHint, PRUNE_FLAG } from '#console/web/editor/model/cluster-choice.js';
import { helmRelease } from '#controllers/application/model/backends/helm-release.js';
import { kustomization } from '#controllers/application/model/backends/kustomization.js';
import { valueAt } from '#console/web/model/yaml-edit.js';

it('knows what the controller does where nobody says it', () => {
  expect(valueAt(kustomization.defaults, PRUNE_FLAG.keys)).toBe(PRUNE_FLAG.byDefault);
  // As in Flux, nothing is created unless it is asked for.
  expect(valueAt(helmRelease.defaults, NAMESPACE_FLAG.keys) ?? false).toBe(NAMESPACE_FLAG.byDefault);
});

test.each([
  [NAMESPACE_FLAG, false, ['Not set (it must exist)', 'Create it', 'It must exist']],
  [NAMESPACE_FLAG, true, ['Not set (as the template says)', 'Create it', 'It must exist']],
  [PRUNE_FLAG, false, ['Not set (delete it)', 'Delete it', 'Keep it']],
  [PRUNE_FLAG, true, ['Not set (as the template says)', 'Delete it', 'Keep it']],
])('says what holds where nothing is said: %#', (flag, isTemplate, texts) => {
  const choices = flagChoices(flag, { isTemplate });
  expect(choices.map(([value]) => value)).toEqual(['', 'true', 'false']);
  expect(choices.map(([, text]) => text)).toEqual(texts);
});

describe('overrides', () => {
  const install = { createNamespace: true };
  const names = ['a', 'b', 'c', 'd', 'e'];
  test.each<[string, unknown, string]>([
    ['without any', undefined, ''],
    ['that say nothing of it', [{ clusters: { names }, values: {} }, { install: { createNamespace: 'yes' } }], ''],
    [
      'by name and by labels, in their order',
      [{}, { clusters: { names }, install }, { clusters: { selector: {} }, install: { createNamespace: false } }],
      'Overrides: create it on a, b, c, d and 1 more (overrides[1]), ' +
        'it must exist on clusters with its labels (overrides[2]).',
    ],
    [
      'of which there are many',
      Array.from({ length: 6 }, (_, index) => ({ clusters: { names: [`c${index}`] }, install })),
      'Overrides: create it on c0 (overrides[0]), create it on c1 (overrides[1]), create it on c2 (overrides[2]), ' +
        'create it on c3 (overrides[3]) and 2 more.',
    ],
    ['that are nonsense', { clusters: 1 }, ''],
    ['that hold nonsense', [null, 1, { clusters: { names: 1 }, install }], overridden('clusters with its labels', 2)],
  ])('%s', (_, overrides, hint) => {
    expect(overridesHint({ deploy: [{ overrides }] }, ['deploy', 0], NAMESPACE_FLAG)).toBe(hint);
  });
});

function overridden(where: string, index: number): string {
  return `Overrides: create it on ${where} (overrides[${index}]).`;
}
