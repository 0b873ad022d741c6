import { expect, test } from '@jest/globals';
import { Refusal } from '#console/shared/refusal.js';

test('a refusal carries its code and its cause', () => {
  const cause = new Error('why');
  expect(new Refusal(404, 'not found', { cause })).toMatchObject({ code: 404, message: 'not found', cause });
});
