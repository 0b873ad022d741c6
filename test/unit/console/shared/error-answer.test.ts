import { expect, test } from '@jest/globals';
import { answerTo, statusOf } from '#console/shared/error-answer.js';
import { Refusal } from '#console/shared/refusal.js';
import { connectionError, refusal } from '#runtime/client/responses.js';
import { CancelledError, ConflictError, TransientError } from '#lib/errors.js';

const refused = (code: number) => new TransientError('said', { status: { code, reason: '', causes: [] } });
const tooLarge = Object.assign(new Error('Request body is too large'), { statusCode: 413 });
const conflict = new ConflictError('stale', { status: { code: 409, reason: 'Conflict', causes: [] } });

test.each<[string, unknown, number, string]>([
  ['a refusal of ours', new Refusal(404, 'not found'), 404, 'not found\n'],
  [
    'HTML in a name is text',
    new Refusal(400, '<img src="x" onerror=a&b>'),
    400,
    '&lt;img src="x" onerror=a&amp;b&gt;\n',
  ],
  ['what the API server refuses', refused(422), 422, 'said\n'],
  ['a conflict', conflict, 409, 'stale\n'],
  ['our own credential is refused, which is not that of the user', refused(401), 503, 'said\n'],
  ['no API server', new TransientError('gone'), 503, 'gone\n'],
  ['the end of the process', new CancelledError('stopping'), 503, 'stopping\n'],
  ['a bug, whose message may tell anything', new TypeError('secret'), 500, expect.anything() as unknown as string],
  ['what is no error', 'secret', 500, expect.anything() as unknown as string],
])('%s', (_, error, code, text) => {
  expect(answerTo(error)).toMatchObject({ code, text, isUnexpected: code === 500 });
  expect(answerTo(error).text).not.toContain('secret');
});

test.each<[string, unknown, number, RegExp]>([
  ['a body', tooLarge, 2 * 1024 * 1024, /^the body has more than 2 MiB: .*1\.5 MiB.*`valuesFrom`/],
  ['a body of a route that takes no object', tooLarge, 1_024, /^the body has more than 1024 bytes$/],
  [
    'an object, to etcd',
    new TransientError('cannot create x', { status: { code: 500, reason: 'RequestEntityTooLarge', causes: [] } }),
    ...([0, /^cannot create x: .*1\.5 MiB.*`valuesFrom`/] as const),
  ],
])('what is too large names the limit and the way out: %s', (_, error, limit, message) => {
  const answer = answerTo(error, limit);
  expect(answer).toMatchObject({ code: 413, isUnexpected: false });
  expect(answer.message).toMatch(message);
  expect(answer.text).toBe(`${answer.message}\n`);
});

test.each<[string, Error]>([
  [
    'a host that cannot be reached',
    connectionError(new Error('connect ECONNREFUSED 10.0.0.7:6443'), {
      ...{ attempt: 'cannot get Pod a/b', server: 'https://10.0.0.7:6443', source: undefined },
    }),
  ],
  [
    'a credential of ours that is not accepted',
    refusal({ statusCode: 401, headers: {} }, 'no', {
      ...{ attempt: 'cannot get Pod a/b', server: 'https://10.0.0.7:6443', source: '/secrets/10.0.0.7' },
    }),
  ],
])('of %s, users learn no address, also if something else failed by it, and the log has it', (_, error) => {
  for (const each of [error, new TransientError(`no answer: ${error.message}`, { cause: error })]) {
    expect(each.message).toContain('10.0.0.7');
    const answer = answerTo(each);
    expect(answer).toMatchObject({ code: 503, isUnexpected: true });
    expect(answer.message).toMatch(/^cannot get Pod a\/b: /);
    expect(JSON.stringify(answer)).not.toContain('10.0.0.7');
  }
});

test('what the API server says of single fields is told', () => {
  const causes = [{ field: 'spec.a', message: 'Required value' }];
  const answer = answerTo(new TransientError('said', { status: { code: 422, reason: 'Invalid', causes } }));
  expect(statusOf(answer)).toMatchObject({ code: 422, message: 'said', details: { causes } });
  expect(statusOf(answerTo(refused(422)))).not.toHaveProperty('details');
});
