import { expect, it } from '@jest/globals';
import { differenceLines } from '#cli/diff/revision-diff.js';
import type { RevisionContent } from '#api/v1alpha1/application.js';
import { revisionDifferences } from '#queries/views/revision-diff.js';
import { deploy, SOURCE } from '../../application/model/builders.js';

function content(values: Record<string, unknown>): RevisionContent {
  const entry = deploy('prod', 'eu', { values, valuesFrom: [{ kind: 'Secret', name: 'passwords' }] });
  return { spec: { source: SOURCE, config: { helmRelease: { deploy: [entry] } } }, templates: {} };
}

it('prints a line for each field, harmless for a terminal', () => {
  const differences = revisionDifferences(content({ a: 1, b: 'x' }), content({ a: '\u001b[31m\n', c: null }));
  const lines = differenceLines(differences);
  expect(lines).toEqual([
    'config.helmRelease.deploy[0].values.a: 1 -> "\\u001b[31m\\n"',
    'config.helmRelease.deploy[0].values.b: "x" -> (none)',
  ]);
});
