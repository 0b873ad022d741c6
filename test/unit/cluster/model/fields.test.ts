import { describe, expect, test } from '@jest/globals';
import { fieldAt, listAt, readinessBy, textAt } from '#controllers/cluster/model/fields.js';

describe('a field of an object that others write', () => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ['is found below maps', { spec: { name: 'eu' } }, 'eu'],
    ['is absent below a text', { spec: 'eu' }, undefined],
    ['is absent below null', { spec: null }, undefined],
    ['is absent below a list', { spec: ['eu'] }, undefined],
    ['is absent in what is no object', undefined, undefined],
    ['is never inherited', Object.create({ spec: { name: 'eu' } }) as unknown, undefined],
  ];

  test.each(cases)('%s', (_title, object, expected) => expect(fieldAt(object, 'spec', 'name')).toBe(expected));

  test('is no text if it is empty or a number', () => {
    expect([textAt({ a: '' }, 'a'), textAt({ a: 1 }, 'a'), textAt({ a: 'b' }, 'a')]).toEqual([
      undefined,
      undefined,
      'b',
    ]);
  });

  test('is an empty list if it is none', () => {
    expect([listAt({ a: {} }, 'a'), listAt({ a: [1] }, 'a')]).toEqual([[], [1]]);
  });
});

describe('the readiness of a cluster by a condition', () => {
  const cases: readonly (readonly [string, readonly unknown[], object])[] = [
    ['is Ready if it is True', [{ type: 'Ready', status: 'True', message: 'fine' }], { state: 'Ready', message: '' }],
    [
      'is NotReady if it is False, with its message',
      [{ type: 'Ready', status: 'False', reason: 'Down', message: 'no nodes' }],
      { state: 'NotReady', message: 'no nodes' },
    ],
    [
      'has the reason without a message',
      [{ type: 'Ready', status: 'False', reason: 'Down' }],
      { state: 'NotReady', message: 'Down' },
    ],
    [
      'is Unknown if it has no status',
      [{ type: 'Ready' }],
      { state: 'Unknown', message: 'its condition Ready is not True' },
    ],
    [
      'is Unknown without it',
      [null, 'Ready', { type: 'Other', status: 'True' }],
      { state: 'Unknown', message: 'it reports no condition Ready yet' },
    ],
    [
      'has the beginning of a message without end',
      [{ type: 'Ready', status: 'False', message: 'x'.repeat(5_000) }],
      { state: 'NotReady', message: 'x'.repeat(1_024) },
    ],
  ];

  test.each(cases)('%s', (_title, conditions, expected) => {
    expect(readinessBy('Ready', conditions)).toEqual(expected);
  });

  test('is that of the first list which has it', () => {
    const [no, yes] = ['False', 'True'].map((status) => [{ type: 'Ready', status }]);
    expect(readinessBy('Ready', [], yes!, no!).state).toBe('Ready');
  });
});
