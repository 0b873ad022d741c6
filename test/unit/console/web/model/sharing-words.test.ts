import { expect, test } from '@jest/globals';
import type { Template } from '#api/v1alpha1/template.js';
import { addingRefused, sharingBody } from '#console/web/model/sharing-words.js';

const TEMPLATE = {
  metadata: { name: 'web', namespace: 'shop' },
  spec: { sharedWith: { namespaces: ['a'] } },
} as unknown as Template;

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
