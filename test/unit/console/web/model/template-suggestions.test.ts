import { expect, it } from '@jest/globals';
import { templateSuggestions } from '#console/web/model/template-suggestions.js';

it('names the namespace of a template unless it is that of the Application', () => {
  const templates = [
    { kind: 'HelmTemplate', namespace: 'shop', name: 'web' },
    { kind: 'HelmTemplate', namespace: 'base', name: 'web' },
    { kind: 'KustomizationTemplate', namespace: 'shop', name: 'files' },
  ] as const;
  expect(templateSuggestions(templates, 'shop')).toEqual(['base/web', 'web']);
});
