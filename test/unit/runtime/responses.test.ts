import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import type { AnswerLimits } from '#runtime/client/answer-limits.js';
import { FairSum } from '#lib/fair-sum.js';
import { connectionError, readBody, refusal, type Attempt } from '#runtime/client/responses.js';
import { apiStatusOf, CancelledError, ConflictError, TransientError } from '#lib/errors.js';

const ATTEMPT: Attempt = { attempt: 'cannot apply ConfigMap a/b', server: 'https://api.test:6443', source: undefined };

function status(code: number, reason: string, rest: object = {}): string {
  return JSON.stringify({ kind: 'Status', code, reason, message: `said ${reason}`, ...rest });
}

function refused(
  code: number,
  text: string,
  options: { headers?: Record<string, string>; source?: string } = {},
): Error {
  return refusal({ statusCode: code, headers: options.headers ?? {} }, text, { ...ATTEMPT, source: options.source });
}

describe('what an answer of an API server means', () => {
  it.each([null, 'text', { kind: 1, name: [] }])('copes with details %j', (details) => {
    const error = refused(404, status(404, 'NotFound', { details }));
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ reason: 'NotFound', status: { code: 404 } });
    expect(apiStatusOf(error)).not.toHaveProperty('subject');
  });

  it('is a ConflictError only where the object was stale', () => {
    expect(refused(409, status(409, 'Conflict'))).toBeInstanceOf(ConflictError);
    expect(refused(409, status(409, 'AlreadyExists'))).toMatchObject({
      name: 'TransientError',
      reason: 'AlreadyExists',
      status: { code: 409 },
    });
  });

  it.each([
    ['a header', { 'retry-after': '3' }, '', 3_000],
    ['the body', {}, status(429, 'TooManyRequests', { details: { retryAfterSeconds: 2 } }), 2_000],
    [
      'the header, rather than the body',
      { 'retry-after': '3' },
      status(429, 'x', { details: { retryAfterSeconds: 2 } }),
      3_000,
    ],
    ['nowhere', {}, status(429, 'TooManyRequests'), undefined],
    ['a header that is no number', { 'retry-after': 'soon' }, '', undefined],
  ])('takes Retry-After from %s', (_place, headers, text, retryAfterMs) => {
    expect(refused(429, text, { headers })).toHaveProperty('retryAfterMs', retryAfterMs);
  });

  it.each([
    ['etcdserver: request is too large', 'RequestEntityTooLarge'],
    [
      'rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)',
      'RequestEntityTooLarge',
    ],
    ['etcdserver: leader changed', 'HTTP500'],
  ])('names the reason of what etcd does not take: %s', (message, reason) => {
    expect(refused(500, JSON.stringify({ kind: 'Status', code: 500, message }))).toMatchObject({ reason });
  });

  it('keeps the object that the server names', () => {
    const details = { kind: 'namespaces', name: 'shop' };
    expect(refused(404, status(404, 'NotFound', { details }))).toMatchObject({
      status: { code: 404, subject: { resource: 'namespaces', name: 'shop' } },
    });
  });

  it('keeps the fields that the server complains about', () => {
    const causes = [{ field: 'spec.replicas', message: 'must be positive', reason: 'FieldValueInvalid' }];
    expect(refused(422, status(422, 'Invalid', { details: { causes } }))).toMatchObject({
      message: 'cannot apply ConfigMap a/b: said Invalid',
      status: { code: 422, causes: [{ field: 'spec.replicas', message: 'must be positive' }] },
    });
  });

  it('quotes the beginning of what is no Status, and names the code where there is nothing', () => {
    expect(refused(502, '<html>Bad Gateway</html>')).toMatchObject({
      message: 'cannot apply ConfigMap a/b: <html>Bad Gateway</html>',
      reason: 'HTTP502',
    });
    expect(refused(500, 'x'.repeat(10_000)).message.length).toBeLessThan(600);
    expect(refused(503, '').message).toBe('cannot apply ConfigMap a/b: HTTP 503');
  });

  it('cuts what is said at length, and takes only texts', () => {
    const long = 'x'.repeat(1_000_000);
    const said = refused(
      422,
      status(422, long, { message: long, details: { causes: [{ field: long, message: long }] } }),
    );
    expect(JSON.stringify([said.message, apiStatusOf(said)]).length).toBeLessThan(100_000);
    const odd = { message: { a: 1 }, reason: ['x'], details: { causes: {}, retryAfterSeconds: {} } };
    expect(refused(500, JSON.stringify(odd))).toMatchObject({ reason: 'HTTP500', status: { causes: [] } });
    expect(refused(500, JSON.stringify({ details: { causes: [null, 7] } }))).toBeInstanceOf(TransientError);
  });

  it('names the source of a credential that is not accepted, and only of that', () => {
    const source = 'Secret shop/member';
    expect(refused(401, status(401, 'Unauthorized'), { source }).message).toContain(
      'the credential of Secret shop/member is not accepted; renew it',
    );
    expect(refused(403, status(403, 'Forbidden'), { source }).message).not.toContain(source);
  });
});

describe('a request without an answer', () => {
  it('is a TransientError that names the server', () => {
    const error = connectionError(new Error('ECONNREFUSED'), ATTEMPT);
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({
      message: 'cannot apply ConfigMap a/b: https://api.test:6443 cannot be reached: ECONNREFUSED',
      reason: 'Unreachable',
      status: undefined,
    });
  });

  it('is a CancelledError when its caller gave it up', () => {
    expect(connectionError(new Error('aborted'), { ...ATTEMPT, signal: AbortSignal.abort() })).toBeInstanceOf(
      CancelledError,
    );
  });
});

describe('an answer that comes in parts', () => {
  /** Each part is one of a larger piece, which is used for something else afterwards. */
  async function* parts(count: number): AsyncGenerator<Buffer> {
    const read = Buffer.alloc(65_536);
    for (let index = 0; index < count; index += 1) {
      read.fill(97 + index);
      yield await Promise.resolve(read.subarray(0, 1));
    }
  }

  function answer(count: number): Dispatcher.ResponseData {
    const body = Object.assign(parts(count), { destroy: () => undefined });
    return { statusCode: 200, headers: {}, body } as unknown as Dispatcher.ResponseData; // nothing else is read
  }

  it('keeps no more than its own bytes', async () => {
    expect(await readBody(answer(5), ATTEMPT)).toBe('abcde');
  });

  it('counts the memory that it takes', async () => {
    const held = (most: number): Promise<string> =>
      readBody(answer(1_000), {
        ...ATTEMPT,
        limits: { inAll: { sum: new FairSum(most), tenant: 'a' } } as AnswerLimits,
      }); // the others are for lists
    await expect(held(900)).rejects.toMatchObject({ reason: 'AnswerTooLong' });
    await expect(held(2_000)).resolves.toHaveLength(1_000);
  });
});
