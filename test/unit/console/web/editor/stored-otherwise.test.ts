import { expect, test } from '@jest/globals';
import { storedOtherwise } from '#console/web/editor/model/application-text.js';
import { parseJson } from '#lib/json/lossless-json.js';

const LARGE = parseJson('12345678901234567890');

test.each<[string, unknown, unknown, [string, string][]]>([
  ['all as it is', { a: 1, l: [{ b: 1 }] }, { a: 1, l: [{ b: 1 }], more: 1 }, []],
  ['not a misspelt field', { l: [{ b: 1, tpyo: 2 }] }, { l: [{ b: 1 }] }, [['spec.l[0].tpyo', '']]],
  ['not a map', { m: { x: 1 } }, {}, [['spec.m', '']]],
  ['what says nothing', { m: null, n: { x: null } }, { n: {} }, []],
  ['another form of a value', { n: '1' }, { n: 1 }, [['spec.n', '1']]],
  ['a number as far as it can', { n: LARGE }, { n: 12345678901234567000 }, [['spec.n', '12345678901234567000']]],
  ['a number of 64 bits', { n: LARGE }, { n: LARGE }, []],
])('stores %s', (_, sent, kept, fields) => {
  expect(storedOtherwise(sent, kept, ['spec'])).toEqual(fields.map(([field, stored]) => ({ field, stored })));
});
