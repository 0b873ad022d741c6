import { describe, expect, test } from '@jest/globals';
import { dataOf, leavesOf, SecretTexts } from '#engine/flux/model/secret-texts.js';
import { TransientError } from '#lib/errors.js';
import { RawNumber } from '#lib/json/lossless-json.js';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

test('leaves are texts and numbers, each once, also of what contains itself', () => {
  const tree: Record<string, unknown> = { a: ['x', 'x', 5, true, null], b: { c: new RawNumber('9007199254740993') } };
  tree['self'] = tree;
  const { values, keys } = leavesOf(tree);
  expect([...values].sort()).toEqual(['5', '9007199254740993', 'x']);
  expect([...keys].sort()).toEqual(['a', 'b', 'c', 'self']);
});

test.each<[string, unknown, string[]]>([
  ['a Secret', { apiVersion: 'v1', kind: 'Secret', data: { a: encoded('x') }, stringData: { b: 'y' } }, ['x', 'y']],
  ['a list of Secrets', { apiVersion: 'v1', kind: 'SecretList', items: [{ data: { a: encoded('x') } }] }, ['x']],
  ['a list', { kind: 'List', items: [{ apiVersion: 'v1', kind: 'Secret', stringData: { b: 'y' } }, {}, null] }, ['y']],
  ['another kind', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'x' } }, []],
  ['a text', 'x', []],
])('the data of %s', (_what, object, expected) => {
  expect(dataOf(object)).toEqual(expected);
});

describe('SecretTexts', () => {
  test('asks its sources only when a text is masked, and the last one of a name counts', () => {
    const secrets = new SecretTexts();
    let asked = 0;
    const source = (secret: string) => () => {
      asked += 1;
      return { secret: [secret] };
    };
    secrets.add('a', source('first'));
    secrets.add('a', source('second'));
    expect(asked).toBe(0);
    expect(secrets.mask('first second')).toBe('first *****');
    secrets.add('b', source('first'));
    expect(secrets.mask('first second')).toBe('***** *****');
    expect(asked).toBe(3);
  });

  test('shows a doubtful text that a public one has as a word', () => {
    const secrets = new SecretTexts();
    secrets.add('chart', () => ({ public: ['{{ .Values.auth.password }}'] }));
    secrets.add('values', () => ({ doubtful: ['auth', 'pass', 'CANARYKEY'] }));
    expect(secrets.mask("at '/auth': 'CANARYKEY', 'pass' not allowed")).toBe(
      "at '/auth': '*****', '*****' not allowed",
    );
  });

  test('masks an error and its causes in place', () => {
    const secrets = new SecretTexts();
    secrets.add('values', () => ({ secret: ['s3cret'] }));
    const cause = new Error('no s3cret');
    const error = new TransientError('bad s3cret', { cause, reason: 'R' });
    expect(secrets.maskError(error)).toBe(error);
    expect([error.message, cause.message, error.reason]).toEqual(['bad *****', 'no *****', 'R']);
    expect(`${error.stack}${cause.stack}`).not.toContain('s3cret');
    expect(secrets.maskError('no error')).toBe('no error');
  });

  test('masks around an error that cannot be written', () => {
    const secrets = new SecretTexts();
    secrets.add('values', () => ({ secret: ['aborted'] }));
    const aborted = AbortSignal.abort().reason as Error;
    const error = new TransientError('it was aborted', { cause: aborted });
    expect(secrets.maskError(error)).toBe(error);
    expect(error.message).toBe('it was *****');
  });

  test('is not kept busy by words that a public text is full of', () => {
    const secrets = new SecretTexts();
    const words = Array.from({ length: 100 }, (_, index) => 'a'.repeat(index + 4));
    secrets.add('chart', () => ({ public: ['a'.repeat(900_000)] }));
    secrets.add('values', () => ({ doubtful: words }));
    const startedAt = performance.now();
    expect(secrets.mask(`it is ${'a'.repeat(10)} b`)).toBe('it is ***** b');
    expect(secrets.mask('Secret x not found')).toBe('Secret x not found');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
