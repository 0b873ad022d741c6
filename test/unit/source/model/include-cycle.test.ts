import { expect, test } from '@jest/globals';
import { includeCycle } from '#controllers/source/git/include.js';
import type { GitRepository } from '#controllers/source/model/source.js';

function including(name: string, names: readonly string[]): GitRepository {
  const include = names.map((each) => ({ repository: { name: each } }));
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name },
    spec: { interval: '1m', url: 'https://host/a', include },
  };
}

/** The cycle of `a`, where each repository includes the letters that it has. */
function cycleOf(includes: Readonly<Record<string, string>>): string[] | undefined {
  const find = (name: string): GitRepository | undefined =>
    includes[name] === undefined ? undefined : including(name, Array.from(includes[name]));
  const first = find('a');
  return first && includeCycle(first, find);
}

test.each([
  ['none', { a: '' }, undefined],
  ['what does not exist', { a: 'x' }, undefined],
  ['two ways to one', { a: 'bc', b: 'd', c: 'd', d: '' }, undefined],
  ['itself', { a: 'a' }, ['a', 'a']],
  ['each other', { a: 'b', b: 'a' }, ['a', 'b', 'a']],
  ['a long way round', { a: 'xb', b: 'c', c: 'da', d: '' }, ['a', 'b', 'c', 'a']],
  ['the shorter of two', { a: 'bc', b: 'c', c: 'a' }, ['a', 'c', 'a']],
  ['a cycle of others', { a: 'b', b: 'c', c: 'b' }, undefined],
])('%s', (_title, includes, cycle) => expect(cycleOf(includes)).toEqual(cycle));

test('a name that is mentioned many times takes no more memory than one', () => {
  const chain = (name: string): GitRepository =>
    including(name, name === '300' ? [] : Array<string>(20_000).fill(String(Number(name) + 1)));
  expect(includeCycle(chain('0'), chain)).toBeUndefined();
});
