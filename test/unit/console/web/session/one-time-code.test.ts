import { expect, test } from '@jest/globals';
import { oneTimeCode } from '#console/web/session/model/one-time-code.js';

test.each([
  ['/login', '#code', 'code'],
  ['/login', '', ''],
  ['/', '#code', undefined],
  ['/login/', '#code', undefined],
  ['/applications/shop/login', '#code', undefined],
])('the code of %s%s is %j', (pathname, hash, code) => {
  expect(oneTimeCode({ pathname, hash })).toBe(code);
});
