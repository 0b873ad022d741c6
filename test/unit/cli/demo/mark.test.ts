import { expect, test } from '@jest/globals';
import { isMarked, markOf, selectorOfMark } from '#cli/demo/mark.js';

function namespace(labels?: Record<string, string>) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', ...(labels === undefined ? {} : { labels }) } };
}

const MARK = markOf('uid-1', 'fairlead-demo');

test('a demo finds what it created again', () => {
  expect(isMarked(namespace({ ...markOf('uid-1', 'fairlead-demo') }), MARK)).toBe(true);
  expect(selectorOfMark(MARK)).toMatch(/^app\.kubernetes\.io\/instance=fairlead-demo-[a-z2-7]{10}$/);
});

test.each([
  ['of the same namespace of another host', { ...markOf('uid-2', 'fairlead-demo') }],
  ['of another namespace of the same host', { ...markOf('uid-1', 'other') }],
  ['without labels', undefined],
])('what is %s is not its own', (_, labels) => {
  expect(isMarked(namespace(labels), MARK)).toBe(false);
});
