import { expect, test } from '@jest/globals';
import type { TemplateItem } from '#queries/answers/templates.js';
import { chartText, sharedText } from '#console/web/templates/model/template-words.js';

const template = (given: Partial<TemplateItem>): TemplateItem => ({
  ...{ kind: 'HelmTemplate', namespace: 'platform', name: 'web', state: 'Ready', message: '', revision: 1 },
  ...{ chart: 'web', version: '', path: '', source: '', usedBy: 0, sharedWith: [], savedBy: '', createdAt: '' },
  ...{ uid: '1', labels: {}, moreSharedWith: 0 },
  ...given,
});

test.each<[Partial<TemplateItem>, Record<string, string>]>([
  [{}, { Chart: 'web', Version: 'newest' }],
  [{ version: '6.x' }, { Chart: 'web', Version: '6.x' }],
  [{ kind: 'KustomizationTemplate', path: 'overlays/prod' }, { Path: 'overlays/prod' }],
  [{ kind: 'KustomizationTemplate' }, { Path: '.' }],
])('%j deploys this', (given, facts) => {
  expect(chartText(template(given))).toEqual(facts);
});

test.each<[Partial<TemplateItem>, string]>([
  [{}, ''],
  [{ sharedWith: ['shop', 'namespaces with team=a'] }, 'shop, namespaces with team=a'],
  [{ sharedWith: ['shop'], moreSharedWith: 3 }, 'shop, 3 more'],
])('%j is shared with others', (given, text) => {
  expect(sharedText(template(given))).toBe(text);
});
