import { expect, it, test } from '@jest/globals';
import { problemAt, refusedBy } from '#console/web/editor/model/refusal.js';

const PATTERN = 'Invalid value: "X": spec.b in body should match';
const STATUS = {
  message: 'Application "x" is invalid',
  details: {
    causes: [
      { field: 'spec.list[0].name', message: 'Required value' },
      { field: '' },
      null,
      { field: '<nil>', message: 'not checked' },
      { field: 'spec.b', message: PATTERN },
    ],
  },
};

test.each<[string, string, object]>([
  [
    'a Status',
    JSON.stringify(STATUS),
    {
      text: STATUS.message,
      fields: [
        { field: 'spec.list[0].name', message: 'Required value' },
        { field: 'spec.b', message: 'Invalid value: "X": should match' },
      ],
    },
  ],
  ['a text', 'not found', { text: 'not found', fields: [] }],
  ['a list', '[1]', { text: '[1]', fields: [] }],
  ['odd causes', '{"message":"no","details":{"causes":"x"}}', { text: 'no', fields: [] }],
])('reads %s', (_, text, refused) => {
  expect(refusedBy({ text })).toEqual(refused);
});

it('finds what was said of a field, and of what is in it', () => {
  const fields = [
    { field: 'spec.a', message: 'one' },
    { field: 'spec.a.b', message: 'two' },
    { field: 'spec.ab', message: 'three' },
    { field: 'spec.a[1]', message: 'four' },
  ];
  expect(problemAt(fields, 'spec.a')).toBe('one; two; four');
  expect(problemAt(fields, 'spec.b')).toBeUndefined();
});
