import { expect, test } from '@jest/globals';
import { sharingIn } from '#console/shared/sharing.js';

test.each<[unknown, object]>([
  [{ add: ['a', 'a', 'b-1'] }, { add: ['a', 'b-1'], remove: [] }],
  [{ remove: ['a'] }, { add: [], remove: ['a'] }],
])('%j is read', (body, sharing) => {
  expect(sharingIn(body)).toEqual(sharing);
});

test.each<[unknown, string]>([
  [undefined, 'the body is not an object'],
  [[], 'the body is not an object'],
  [{}, 'name a namespace'],
  [{ add: [], remove: [] }, 'name a namespace'],
  [{ ad: ['a'] }, '"ad" is no field'],
  [{ add: 'a' }, 'add: it must be a list'],
  [{ add: Array.from({ length: 51 }, (_, at) => `n${at}`) }, 'up to 50'],
  [{ remove: [1] }, 'remove: each must be the name'],
  [{ add: [''] }, 'add: each must be the name'],
  [{ add: ['A'] }, 'add: each must be the name'],
  [{ add: ['../a'] }, 'add: each must be the name'],
  [{ add: ['a'.repeat(64)] }, 'add: each must be the name'],
])('%j is refused', (body, says) => {
  expect(() => sharingIn(body)).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(says) }));
});
