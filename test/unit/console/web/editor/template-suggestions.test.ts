import { expect, it, test } from '@jest/globals';
import {
  namedTemplate,
  pinnedSuggestions,
  templateHint,
  templateSuggestions,
} from '#console/web/editor/model/suggestions.js';

it('names the namespace of a template unless it is that of the Application', () => {
  const templates = [
    { kind: 'HelmTemplate', namespace: 'shop', name: 'web' },
    { kind: 'HelmTemplate', namespace: 'base', name: 'web' },
    { kind: 'KustomizationTemplate', namespace: 'shop', name: 'files' },
  ] as const;
  expect(templateSuggestions(templates, { kind: 'HelmTemplate', namespace: 'shop' })).toEqual(['base/web', 'web']);
  expect(templateSuggestions(templates, { kind: 'KustomizationTemplate', namespace: 'shop' })).toEqual(['files']);
});

test.each([
  ['web', 'Ready: chart podinfo 1.x, revision 3.'],
  ['web@2', 'Ready: chart podinfo 1.x, revision 3.'],
  ['shop/web', 'Ready: chart podinfo 1.x, revision 3.'],
  ['other/web', ''],
  ['', ''],
])('the hint for the template %j', (template, hint) => {
  const known = { state: 'Ready' as const, chart: 'podinfo', version: '1.x', path: '', revision: 3 };
  const templates = [{ kind: 'HelmTemplate', namespace: 'shop', name: 'web', ...known }] as const;
  expect(templateHint(namedTemplate(templates, { kind: 'HelmTemplate', namespace: 'shop', template }))).toBe(hint);
});

test.each([
  ['./deploy', 1, 'Stalled: files in ./deploy, revision 1.'],
  ['', 0, 'Stalled: the root of its source, no revision yet.'],
])('the hint for a template of the files in %j', (path, revision, hint) => {
  const known = { state: 'Stalled' as const, chart: '', version: '', path, revision };
  const named = { kind: 'KustomizationTemplate', namespace: 'shop' } as const;
  const templates = [{ ...named, name: 'web', ...known }];
  expect(templateHint(namedTemplate(templates, { ...named, template: 'web@1' }))).toBe(hint);
  expect(namedTemplate(templates, { ...named, kind: 'HelmTemplate', template: 'web' })).toBeUndefined();
});

test.each<[string, unknown, readonly string[]]>([
  ['web', { items: [{ revision: 9 }, { revision: 10 }] }, ['web@10', 'web@9']],
  ['base/web@9', { items: [{ revision: 9 }, { revision: '8' }, null] }, ['base/web@9']],
  ['web', undefined, []],
  ['web', { items: 1 }, []],
])('the revisions of %j that can be chosen from %j', (template, answer, suggestions) => {
  expect(pinnedSuggestions(template, answer)).toEqual(suggestions);
});
