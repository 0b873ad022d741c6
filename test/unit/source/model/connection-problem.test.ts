import { expect, test } from '@jest/globals';
import { connectionProblem } from '#controllers/source/http.js';

test.each<[string, unknown, RegExp]>([
  [
    'a server without TLS',
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    /^the server does not speak TLS: use an http:\/\/ URL, or for a registry .* \(ERR_SSL_WRONG_VERSION_NUMBER\)$/,
  ],
  ['a port that nobody listens on', { code: 'ECONNREFUSED' }, /^ECONNREFUSED$/],
  ['an error without a code', new RangeError('x'), /^RangeError$/],
  ['the name of a method', { code: 'toString' }, /^toString$/],
  ['something else', 'odd', /^odd$/],
])('the problem of %s is named', (_, error, expected) => {
  expect(connectionProblem(error)).toMatch(expected);
});
