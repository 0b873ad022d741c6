import { describe, expect, it } from '@jest/globals';
import { entriesOf } from '../../../../controllers/application/model/entries.js';
import { matchChildren } from '../../../../controllers/application/model/match.js';
import type { Child } from '../../../../controllers/application/model/types.js';
import { application, applied, deploy, legacyChild, work, type Deploy } from './builders.js';

const made = (...entries: Deploy[]): Child[] => applied([], work(application(entries)).steps);

/** For each entry the name of its child, or nothing; then the children that are left. */
function matched(entries: Deploy[], children: readonly Child[]): (string | undefined)[][] {
  const list = entriesOf(application(entries));
  const { childOf, unmatched } = matchChildren(list, children);
  return [list.map((entry) => childOf.get(entry)?.metadata.name), unmatched.map(({ metadata }) => metadata.name)];
}

describe('an entry finds its child', () => {
  it.each<[string, Deploy, Deploy]>([
    ['by its release', deploy('prod', 'eu'), deploy('prod', 'eu', { timeout: '1m' })],
    ['by its release when it gets a name', deploy('prod', 'eu'), deploy('prod', 'eu', { name: 'main' })],
    [
      'by its name when its release moves',
      deploy('prod', 'eu', { name: 'main' }),
      deploy('test', 'eu', { name: 'main', releaseName: 'new' }),
    ],
  ])('%s', (_, before, after) => {
    const children = made(before);
    expect(matched([after], children)).toEqual([[children[0]!.metadata.name], []]);
  });

  it('by the name of the child when somebody changed its fields', () => {
    const [child] = made(deploy('prod', 'eu'));
    const edited = { ...child!, spec: { ...child!.spec, releaseName: 'other' } };
    expect(matched([deploy('prod', 'eu')], [edited])).toEqual([[child!.metadata.name], []]);
  });

  it('by its name before another entry finds it by its release', () => {
    const [child] = made(deploy('prod', 'eu', { name: 'main' }));
    const entries = [deploy('prod', 'eu'), deploy('test', 'eu', { name: 'main' })];
    expect(matched(entries, [child!])).toEqual([[undefined, child!.metadata.name], []]);
  });
});

describe('an entry finds no child', () => {
  it.each<[string, Deploy, Deploy]>([
    ['on another cluster', deploy('prod', 'eu'), deploy('prod', 'us')],
    ['of its name on another cluster', deploy('prod', 'eu', { name: 'a' }), deploy('prod', 'us', { name: 'a' })],
    ['of another release', deploy('prod', 'eu'), deploy('prod', 'eu', { releaseName: 'new' })],
  ])('%s', (_, before, after) => {
    const children = made(before);
    expect(matched([after], children)).toEqual([[undefined], [children[0]!.metadata.name]]);
  });
});

describe('a child of ks-devops', () => {
  const child = legacyChild('web7x', 'eu-prod', {
    targetNamespace: 'prod',
    kubeConfig: { secretRef: { name: 'eu' } },
  });

  it('is found by its destination', () => {
    expect(matched([deploy('prod', 'eu')], [child])).toEqual([['web7x'], []]);
  });

  it('is found by nobody who states another release', () => {
    expect(matched([deploy('prod', 'eu', { releaseName: 'mine' })], [child])).toEqual([[undefined], ['web7x']]);
  });

  it('is not found by a destination whose key only reads the same', () => {
    const twin = legacyChild('web7x', 'a-b-c', { targetNamespace: 'b-c', kubeConfig: { secretRef: { name: 'a' } } });
    expect(matched([deploy('c', 'a-b')], [twin])).toEqual([[undefined], ['web7x']]);
  });

  it('goes to one entry only', () => {
    const second = { ...child, metadata: { ...child.metadata, name: 'web9z' } };
    expect(matched([deploy('prod', 'eu')], [second, child])).toEqual([['web7x'], ['web9z']]);
  });
});
