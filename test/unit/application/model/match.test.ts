import { describe, expect, it } from '@jest/globals';
import { matchChildren } from '#controllers/application/model/destinations/identity.js';
import type { Child } from '#controllers/application/model/child/types.js';
import {
  application,
  applied,
  deploy,
  type Deploy,
  entriesOf,
  files,
  filesApplication,
  legacyChild,
  work,
  workApproved,
} from './builders.js';

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

  it('by the name of the child when its fields were changed', () => {
    const [child] = made(deploy('prod', 'eu'));
    const edited = { ...child!, spec: { ...child!.spec, releaseName: 'other' } };
    expect(matched([deploy('prod', 'eu')], [edited])).toEqual([[child!.metadata.name], []]);
  });

  it('by its release before another entry finds it by its name: to move it would uninstall what is wanted', () => {
    const [child] = made(deploy('prod', 'eu', { name: 'main' }));
    const entries = [deploy('prod', 'eu'), deploy('test', 'eu', { name: 'main' })];
    expect(matched(entries, [child!])).toEqual([[child!.metadata.name, undefined], []]);
  });

  it('by its release when two names change places', () => {
    const [one, two] = [
      deploy('prod', 'eu', { name: 'one', releaseName: 'r1' }),
      deploy('prod', 'eu', { name: 'two', releaseName: 'r2' }),
    ];
    const children = made(one, two);
    const names = children.map(({ metadata }) => metadata.name);
    const swapped = [
      { ...one, name: 'two' },
      { ...two, name: 'one' },
    ];
    expect(matched(swapped, children)).toEqual([names, []]);
  });

  it('by release and name before one that was moved to its release', () => {
    const entries = [
      deploy('prod', 'eu', { name: 'a', releaseName: 'r1' }),
      deploy('prod', 'eu', { name: 'b', releaseName: 'r2' }),
    ];
    const [a, b] = made(...entries);
    const moved = { ...a!, spec: { ...a!.spec, releaseName: 'r2' } };
    expect(matched(entries, [moved, b!])).toEqual([[a!.metadata.name, b!.metadata.name], []]);
  });

  it('by its name when an entry without one has taken its release, whichever stands first', () => {
    const children = made(deploy('prod', 'eu'), deploy('test', 'eu', { name: 'one' }));
    const [prod, test] = children.map(({ metadata }) => metadata.name);
    const twice = [deploy('prod', 'eu', { name: 'one' }), deploy('prod', 'eu')];
    expect(matched(twice, children)).toEqual([[test, prod], []]);
    expect(matched(twice.reverse(), children)).toEqual([[prod, test], []]);
  });

  it('whichever of the default keys of its kubeconfig Secret is written down', () => {
    const keyed = (key: string): Deploy => ({
      destination: { targetNamespace: 'prod', kubeConfig: { secretRef: { name: 'eu', key } } },
    });
    const children = made(deploy('prod', 'eu'));
    for (const key of ['value', 'value.yaml']) expect(matched([keyed(key)], children)[1]).toEqual([]);
    expect(matched([keyed('other')], children)[1]).toHaveLength(1);
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

  it('is not matched by an entry with another release', () => {
    expect(matched([deploy('prod', 'eu', { releaseName: 'mine' })], [child])).toEqual([[undefined], ['web7x']]);
  });

  it('is not found by a destination whose key only reads the same', () => {
    const twin = legacyChild('web7x', 'a-b-c', { targetNamespace: 'b-c', kubeConfig: { secretRef: { name: 'a' } } });
    expect(matched([deploy('c', 'a-b')], [twin])).toEqual([[undefined], ['web7x']]);
  });

  it.each<[string, Deploy, string, Child['spec']]>([
    ['of the host', { destination: {} }, '', {}],
    [
      'of a member',
      { destination: { kubeConfig: { secretRef: { name: 'eu' } } } },
      'eu-',
      { kubeConfig: { secretRef: { name: 'eu' } } },
    ],
  ])('%s without target namespace is found by an entry without one', (_, entry, key, spec) => {
    expect(matched([entry], [legacyChild('web7x', key, spec)])).toEqual([['web7x'], []]);
  });

  it('goes to one entry only', () => {
    const second = { ...child, metadata: { ...child.metadata, name: 'web9z' } };
    expect(matched([deploy('prod', 'eu')], [second, child])).toEqual([['web7x'], ['web9z']]);
  });
});

describe('files', () => {
  type Files = Parameters<typeof filesApplication>[0];
  const childrenFor = (entries: Files): Child[] => applied([], work(filesApplication(entries)).steps);
  const opsFor = (after: Files, children: readonly Child[]): string[] =>
    workApproved(filesApplication(after), children).steps.map(({ op }) => op);

  it.each<[string, Files, Files]>([
    ['another path', [files('prod', 'eu')], [files('prod', 'eu', { path: './other' })]],
    ['a name', [files('prod', 'eu')], [files('prod', 'eu', { name: 'main' })]],
    ['another name', [files('prod', 'eu', { name: 'one' })], [files('prod', 'eu', { name: 'two' })]],
    ['no name any more', [files('prod', 'eu', { name: 'one' })], [files('prod', 'eu')]],
    ['another namespace under their name', [files('a', 'eu', { name: 'x' })], [files('b', 'eu', { name: 'x' })]],
  ])('keep their child when they get %s', (_, before, after) => {
    expect(opsFor(after, childrenFor(before))).toEqual(['update']);
  });

  it.each<[string, Files, Files]>([
    ['another cluster', [files('prod', 'eu')], [files('prod', 'us')]],
    ['another namespace', [files('prod', 'eu')], [files('test', 'eu')]],
  ])('get a new child for %s, once the old one is gone', (_, before, after) => {
    expect(opsFor(after, childrenFor(before))).toEqual(['wait', 'delete']);
    expect(opsFor(after, [])).toEqual(['create']);
  });

  it('twice at one destination are distinguished by their names', () => {
    const entries = [
      files('prod', 'eu', { name: 'one', path: './1' }),
      files('prod', 'eu', { name: 'two', path: './2' }),
    ];
    const children = childrenFor(entries);
    expect(new Set(children.map(({ metadata }) => metadata.name)).size).toBe(2);
    expect(opsFor([...entries].reverse(), children)).toEqual(['keep', 'keep']);
  });

  it('never find the child of a chart, nor a chart theirs: the old one goes first', () => {
    const releases = made(deploy('prod', 'eu'));
    expect(opsFor([files('prod', 'eu')], releases)).toEqual(['wait', 'delete']);
    const back = work(application([deploy('prod', 'eu')]), childrenFor([files('prod', 'eu')]));
    expect(back.steps.map(({ op }) => op)).toEqual(['wait', 'delete']);
  });
});
