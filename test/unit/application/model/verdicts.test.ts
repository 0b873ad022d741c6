import { describe, expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import {
  firstFound,
  foundFor,
  isRemoval,
  type Step,
  writtenBy,
} from '#controllers/application/model/child/verdicts.js';
import { application, applied, deploy, work } from './builders.js';

const [live] = applied([], work(application([deploy('prod')])).steps) as [Child];
const { entry, object } = work(application([deploy('prod')]), [live]).wanted[0]!;
const update = { op: 'update', entry, object, live, why: '', isAdoption: false } as const;

it.each<[string, Step, boolean, boolean]>([
  ['a new child', { op: 'create', entry, object, why: '' }, false, false],
  ['an update', update, false, true],
  ['an update that uninstalls first', { ...update, uninstalls: 'it moves' }, true, true],
  ['a child that stays', { op: 'keep', entry, live, why: '' }, false, false],
  ['what is installed once', { op: 'unmanage', entry, live, why: '' }, false, true],
  ['a deletion', { op: 'delete', live, why: '' }, true, true],
  ['a suspension before a deletion', { op: 'suspend', live, why: '' }, true, false],
  ['what is left alone', { op: 'spare', live, why: '' }, false, false],
])('%s', (_, step, removes, writes) => {
  expect(isRemoval(step)).toBe(removes);
  expect(writtenBy([step]).has(live)).toBe(writes);
});

describe('what is found', () => {
  it('is what the first check finds that finds anything, and later ones are not asked', () => {
    const asked: number[] = [];
    const found = firstFound([1, 2, 3], (each) => {
      asked.push(each);
      return each === 2 ? 'two' : undefined;
    });
    expect([found, asked]).toEqual(['two', [1, 2]]);
    expect(firstFound([1], (): string | undefined => undefined)).toBeUndefined();
  });

  it('is kept by its object, without those for which nothing is', () => {
    expect(foundFor(['a', 'b'], (each) => (each === 'a' ? 0 : undefined))).toEqual(new Map([['a', 0]]));
  });
});
