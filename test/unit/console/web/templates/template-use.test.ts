import { expect, test } from '@jest/globals';
import {
  isTyped,
  NOTHING_TYPED,
  placeProblems,
  useBody,
  type UsePlace,
} from '#console/web/templates/model/use-form.js';

const PLACE: UsePlace = { namespace: 'shop', name: 'web', targetNamespace: '', isPinned: false };

test.each<[Partial<UsePlace>, string[]]>([
  [{}, []],
  [{ name: 'web.1', targetNamespace: 'prod' }, []],
  [{ name: '', namespace: '' }, ['namespace', 'name']],
  [{ name: 'Web', namespace: 'a.b', targetNamespace: '-' }, ['namespace', 'name', 'targetNamespace']],
])('%j has problems in %j', (place, fields) => {
  expect(placeProblems({ ...PLACE, ...place }).map(({ field }) => field)).toEqual(fields);
});

test('what is empty is required, and nothing is said of its letters', () => {
  const messages = placeProblems({ ...PLACE, name: '', namespace: 'a.b' }).map(({ message }) => message);
  expect(messages).toEqual(['it must be the name of a namespace: lower-case letters, digits and -', 'it is required']);
});

test.each<[Partial<UsePlace>, { revision: number; values: Record<string, unknown> }, object]>([
  [{}, { revision: 2, values: {} }, {}],
  [
    { isPinned: true, targetNamespace: 'prod' },
    { revision: 2, values: {} },
    { targetNamespace: 'prod', revision: 2 },
  ],
  [{ isPinned: true }, { revision: 0, values: { a: 1 } }, { values: { a: 1 } }],
])('%j with %j asks for %j', (place, more, body) => {
  expect(useBody({ ...PLACE, ...place }, more)).toEqual({ namespace: 'shop', name: 'web', ...body });
});

test('what somebody would miss is kept', () => {
  expect(isTyped(NOTHING_TYPED)).toBe(false);
  expect(isTyped({ ...NOTHING_TYPED, entered: { replicas: '' } })).toBe(true);
  for (const place of [{ name: 'web' }, { isPinned: true }]) {
    expect(isTyped({ ...NOTHING_TYPED, place: { ...NOTHING_TYPED.place, ...place } })).toBe(true);
  }
});
