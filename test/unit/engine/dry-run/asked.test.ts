import { expect, test } from '@jest/globals';
import { asksForDryRun } from '#engine/dry-run/report.js';

test.each<[string, Record<string, string> | undefined, boolean]>([
  ['no annotation asks for none', undefined, false],
  ['another annotation asks for none', { 'gitops.kubesphere.io/dry': 'true' }, false],
  ['"true" asks for one', { 'gitops.kubesphere.io/dry-run': 'true' }, true],
  ['"false" asks for none', { 'gitops.kubesphere.io/dry-run': 'false' }, false],
  ['"False" asks for none', { 'gitops.kubesphere.io/dry-run': ' False ' }, false],
  ['a misspelled value asks for one', { 'gitops.kubesphere.io/dry-run': 'ture' }, true],
  ['an empty value asks for one', { 'gitops.kubesphere.io/dry-run': '' }, true],
])('%s', (_title, annotations, expected) => {
  expect(asksForDryRun({ metadata: { name: 'web', ...(annotations && { annotations }) } })).toBe(expected);
});
