import { describe, expect, test } from '@jest/globals';
import { setPath, SetPathError, type SetMode } from '#controllers/helmrelease/model/set-path.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

function set(assignment: string, mode: SetMode = 'typed', into: Record<string, unknown> = {}): unknown {
  setPath(into, assignment, mode);
  return into;
}

describe('setPath', () => {
  test.each<[string, string, unknown]>([
    ['a nested key', 'a.b=c', { a: { b: 'c' } }],
    ['several keys', 'a=1,b=true', { a: 1, b: true }],
    ['null', 'a=null', { a: null }],
    ['an empty value', 'a=', { a: '' }],
    ['zero', 'a=0', { a: 0 }],
    ['a leading zero as text', 'a=0644', { a: '0644' }],
    ['a decimal as text', 'a=1.5', { a: '1.5' }],
    ['an escaped dot', 'a\\.b=c', { 'a.b': 'c' }],
    ['an escaped comma', 'a=b\\,c', { a: 'b,c' }],
    ['a list', 'a={1,x}', { a: [1, 'x'] }],
    ['an empty list', 'a={}', { a: [''] }],
    ['a word in capitals', 'a=TRUE', { a: true }],
    ['a signed number', 'a=+5', { a: 5 }],
    ['nothing for an empty key', '=x', {}],
    ['an equals sign in a value', 'a=b=c', { a: 'b=c' }],
    ['items out of order', 'a[1]=x,a[0].b=y', { a: [{ b: 'y' }, 'x'] }],
    ['a map over a list item', 'a[0]=x,a[0].c=1', { a: [{ c: 1 }] }],
    ['an index', 'a[1]=x', { a: [null, 'x'] }],
    ['a map in a list', 'a[0].b=x', { a: [{ b: 'x' }] }],
    ['an index of an index', 'a[0][1]=x', { a: [[null, 'x']] }],
    ['an index with a sign', 'a[+1]=x', { a: [null, 'x'] }],
    ['nothing into a new item of a list when the text ends with an empty value', 'a[0].b=', { a: [] }],
    ['an empty value into a list', 'a[0]=', { a: [''] }],
    ['nothing below an empty key', '.a=x', {}],
    ['nothing when the text ends inside an index', 'a[0', {}],
    ['behind a list without a comma', 'a={x}b=y', { a: ['x'], b: 'y' }],
  ])('writes %s', (_name, assignment, expected) => {
    expect(set(assignment)).toEqual(expected);
  });

  test.each<[string, string, SetMode, unknown]>([
    ['string mode keeps words', 'a=true', 'string', { a: 'true' }],
    ['string mode keeps numbers', 'a=12', 'string', { a: '12' }],
  ])('%s', (_name, assignment, mode, expected) => {
    expect(set(assignment, mode)).toEqual(expected);
  });

  test('keeps what is beside the path', () => {
    expect(set('a.b=2', 'typed', { a: { b: 1, c: 3 }, d: 4 })).toEqual({ a: { b: 2, c: 3 }, d: 4 });
  });

  test.each([
    ['a key without a value', 'a'],
    ['a second key without a value', 'a=b,c'],
    ['a list that does not end', 'a={b'],
    ['an index that is no number', 'a[x]=1'],
    ['an index out of bounds', 'a[99999999]=1'],
    ['a key below a scalar', 'a=1,a.b=2'],
    ['an index below a scalar', 'a=1,a[0]=2'],
    ['a map that stays empty', 'a.=1,b=2'],
    ['an index below null', 'a=null,a[0]=2'],
    ['a key below null', 'a=null,a.b=2'],
    ['more keys than helm follows', `${'a.'.repeat(31)}b=1`],
    ['text behind an index', 'a[0]x=1'],
    ['a polluting key', '__proto__.x=1'],
  ])('refuses %s', (_name, assignment) => {
    expect(() => set(assignment)).toThrow(SetPathError);
  });
});

describe('a text of a megabyte', () => {
  test.each<[string, string]>([
    ['that sets one item after the other', Array.from({ length: 65_000 }, (_, index) => `a[${index}]=1`).join(',')],
    ['of long lists in long lists', `a${'[65536]'.repeat(1_000)}=1`],
    ['of long lists', Array.from({ length: 1_000 }, (_, index) => `a${index}[65536]=1`).join(',')],
  ])('is refused %s, at once', (_name, text) => {
    const refused = (): void => expect(() => setPath({}, text, 'typed')).toThrow('its lists are too long');
    expect(cpuMsOf(refused)).toBeLessThan(5_000);
  });

  test('may be one number', () => {
    const values: Record<string, unknown> = {};
    setPath(values, `a=${'1'.repeat(1_000_000)}`, 'typed');
    expect(values['a']).toHaveLength(1_000_000);
  });
});
