import { expect, test } from '@jest/globals';
import type { ReadTemplate } from '#queries/answers/templates.js';
import { addingRefused, sharingBody, sharingRefused } from '#console/web/templates/model/template-words.js';

const TEMPLATE = {
  kind: 'HelmTemplate' as const,
  ...{ namespace: 'shop', name: 'web', may: { patch: true } },
  spec: { sharedWith: { namespaces: ['a'] } } as unknown as ReadTemplate['spec'],
};

test.each<[string, RegExp]>([
  ['b', /^$/],
  ['', /first/],
  ['A B', /lower-case/],
  ['shop', /its own namespace/],
  ['a', /nothing changes/],
])('%j is added or not', (namespace, refused) => {
  expect(addingRefused(TEMPLATE, namespace)).toMatch(refused);
});

test('one namespace is added or removed', () => {
  expect(sharingBody({ namespace: 'b', isAdded: true })).toEqual({ add: ['b'] });
  expect(sharingBody({ namespace: 'b', isAdded: false })).toEqual({ remove: ['b'] });
});

test('who may not patch the template is told so, whatever he types', () => {
  const refused = 'You may not do this: it needs `patch` of helmtemplates.';
  const theirs = { ...TEMPLATE, may: { patch: false } };
  expect(['b', '', 'A B'].map((namespace) => addingRefused(theirs, namespace))).toEqual([refused, refused, refused]);
  expect([sharingRefused(theirs), sharingRefused(TEMPLATE)]).toEqual([refused, '']);
});
