import { describe, expect, test } from '@jest/globals';
import type { PlannedChild } from '#queries/answers/plans.js';
import {
  clustersOf,
  fateWords,
  fieldWords,
  lossOf,
  placeWords,
  planKey,
} from '#console/web/change/model/plan-words.js';

function child(name: string, more: Partial<PlannedChild> = {}): PlannedChild {
  const of = { entry: 'spec.x', cluster: 'eu', namespace: 'web', release: 'shop', kind: 'HelmRelease', why: 'y' };
  return { action: 'keep', ...of, name, ...more };
}
const gone = (name: string, more: Partial<PlannedChild> = {}) =>
  child(name, { action: 'delete', entry: '', uninstalls: true, ...more });

describe('what is lost', () => {
  test('is nothing, if nothing is uninstalled', () => {
    expect(lossOf({ children: [child('a'), gone('b', { uninstalls: false })] })).toBeUndefined();
  });

  test('is named with its clusters, each once', () => {
    const children = [gone('a', { cluster: 'us' }), child('b'), gone('c'), gone('d')];
    expect(lossOf({ children })).toBe('This uninstalls 3 releases on eu, us.');
  });

  test('is also what is uninstalled later, by itself', () => {
    const later = gone('a', { action: 'wait', cluster: 'us' });
    expect(lossOf({ children: [later] })).toBe('This uninstalls 1 release on us once nothing holds the removal.');
    expect(lossOf({ children: [later, gone('b')] })).toBe(
      'This uninstalls 1 release on eu, and 1 release on us once nothing holds the removal.',
    );
    const again = child('c', { action: 'change', uninstalls: true });
    expect(lossOf({ children: [again] })).toBe('This uninstalls 1 release on eu, to reinstall.');
    const then = { ...again, action: 'wait', cluster: 'us' } as const;
    expect(lossOf({ children: [again, then] })).toBe(
      'This uninstalls 1 release on eu, to reinstall, and 1 release on us, to reinstall later.',
    );
    expect(lossOf({ children: [{ ...later, uninstalls: false }, child('b', { action: 'wait' })] })).toBeUndefined();
  });
});

test.each<[string, Parameters<typeof fateWords>, string]>([
  ['one', ['create', [child('a')]], '1 release would be created'],
  [
    'many',
    ['uninstall', Array.from({ length: 1_200 }, (_, index) => gone(String(index)))],
    '1,200 releases would be deleted, and what runs there is uninstalled',
  ],
  ['of files', ['keep', [child('a', { kind: 'Kustomization' })]], '1 Kustomization would not change'],
])('the title of %s', (_, given, title) => {
  expect(fateWords(...given).title).toBe(title);
});

test('what would not work is bad, and counted', () => {
  const wrong = child('a', { problems: ['Secret shop/eu does not exist: create it'] });
  const found = fateWords('create', [wrong, child('b')]);
  expect(found).toMatchObject({ title: '2 releases would be created, 1 with a problem', meaning: 'bad' });
  expect(fateWords('create', [child('b')])).toMatchObject({ meaning: 'good' });
  const plan = { problems: [], notes: [] };
  expect(planKey({ ...plan, children: [wrong] })).toBe(planKey({ ...plan, children: [child('a')] }));
});

test('names some of many clusters', () => {
  const children = Array.from({ length: 12 }, (_, index) => child('a', { cluster: `c${10 + index}` }));
  expect(clustersOf(children)).toBe('c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 and 2 more');
});

test.each<[string, Parameters<typeof fieldWords>[0], ReturnType<typeof fieldWords>]>([
  ['that is new', { path: '/spec/values/a~1b/0', new: 1 }, { path: 'spec.values["a/b"][0]', old: '', next: '1' }],
  ['that goes', { path: '/spec/timeout', old: '3m' }, { path: 'spec.timeout', old: '"3m"', next: '' }],
  [
    'that is long',
    { path: '/a', old: null, new: 'x'.repeat(3_000) },
    { path: 'a', old: '', next: `"${'x'.repeat(1_999)}…` },
  ],
])('a field %s', (_, field, words) => {
  expect(fieldWords(field)).toEqual(words);
});

test.each<[Partial<PlannedChild>, string]>([
  [{}, 'web/shop'],
  [{ namespace: '' }, 'shop'],
  [{ release: '' }, 'web/a'],
])('the place of %j', (more, place) => {
  expect(placeWords(child('a', more))).toBe(place);
});

describe('two plans', () => {
  const planned = child('a', { action: 'create' });
  const key = (children: readonly PlannedChild[]) => planKey({ problems: [], children });

  test('are the same in another order, and for another reason', () => {
    expect(key([child('a'), planned])).toBe(key([{ ...planned, why: 'later' }, child('a')]));
  });

  test('differ by what is done, by problems, and from what nobody knows', () => {
    const others = [key([]), key([gone('a')]), key([child('a', { cluster: 'us' })]), planKey(undefined)];
    const problems = [{ field: '', message: 'x' }];
    expect(new Set([key([child('a')]), ...others, planKey({ problems, children: [] })]).size).toBe(6);
  });
});
