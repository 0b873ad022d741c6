import { expect, it, test } from '@jest/globals';
import { templateHint, templateSuggestions } from '#console/web/model/template-suggestions.js';

it('names the namespace of a template unless it is that of the Application', () => {
  const templates = [
    { kind: 'HelmTemplate', namespace: 'shop', name: 'web' },
    { kind: 'HelmTemplate', namespace: 'base', name: 'web' },
    { kind: 'KustomizationTemplate', namespace: 'shop', name: 'files' },
  ] as const;
  expect(templateSuggestions(templates, 'shop')).toEqual(['base/web', 'web']);
});

test.each([
  ['web', 'Ready: chart podinfo 1.x, revision 3.'],
  ['web@2', 'Ready: chart podinfo 1.x, revision 3.'],
  ['shop/web', 'Ready: chart podinfo 1.x, revision 3.'],
  ['other/web', ''],
  ['', ''],
])('the hint for the template %j', (template, hint) => {
  const known = { state: 'Ready', chart: 'podinfo', version: '1.x', revision: 3 };
  const templates = [{ kind: 'HelmTemplate', namespace: 'shop', name: 'web', ...known }] as const;
  expect(templateHint(templates, { namespace: 'shop', template })).toBe(hint);
});
