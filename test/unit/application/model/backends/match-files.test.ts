import { describe, expect, it } from '@jest/globals';
import { directoryOf, matchFiles } from '#controllers/application/model/backends/match-rules.js';
import { copyName } from '#controllers/application/model/spec/resolved-versions.js';
import { matchChildren } from '#controllers/application/model/destinations/identity.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { INHERITED } from '../../../../support/inherited-names.js';
import { applied, entriesOf, files, filesApplication, work } from '../builders.js';

type Files = Parameters<typeof filesApplication>[0][number];

const at = (path: string, name?: string, more: Partial<Files> = {}): Files =>
  files('prod', 'eu', { path, ...(name === undefined ? {} : { name }), ...more });
const made = (...entries: Files[]): Child[] => applied([], work(filesApplication(entries)).steps);
/** Entries written as `NAME=PATH` or `PATH`. */
const named = (text: string): Files[] =>
  text.split(', ').map((entry) => {
    const [path = '', name] = entry.split('=').reverse();
    return at(path, name);
  });
const tenant = (id: string): Partial<Files> => ({ postBuild: { substitute: { tenant: id } } });

/** The step of each entry as `operation path -> path`. */
function steps(entries: Files[], children: readonly Child[]): string[] {
  return work(filesApplication(entries), children).steps.map((step) => {
    const paths = ['live' in step ? step.live : undefined, 'object' in step ? step.object : undefined];
    const shown = paths.flatMap((child) => (child === undefined ? [] : [String(child.spec['path'])]));
    return `${step.op} ${shown.join(' -> ')}`.trim();
  });
}

describe('entries of files whose names change continue the Kustomization of their directory', () => {
  it.each([
    [
      'when a second one comes and both get names',
      './web',
      'web=./web, api=./api',
      'update ./web -> ./web, create ./api',
    ],
    [
      'when all are renamed at once',
      'one=./1, two=./2',
      'first=./1, second=./2',
      'update ./1 -> ./1, update ./2 -> ./2',
    ],
    ['when names change places', 'one=./1, two=./2', 'first=./2, second=./1', 'update ./2 -> ./2, update ./1 -> ./1'],
    ['when names that stay swap their paths', 'a=./a, b=./b', 'a=./b, b=./a', 'update ./b -> ./b, update ./a -> ./a'],
    [
      'when each moves on to the path of the next',
      'one=./1, two=./2',
      'one=./2, two=./3',
      'update ./2 -> ./2, wait ./1',
    ],
    ['when an entry takes the path of a removed one', 'one=./1, two=./2', 'one=./2', 'update ./2 -> ./2, delete ./1'],
    ['unless the entry of that name keeps it', 'one=./1, two=./2', 'one=./2, two=./2', 'update ./1 -> ./2, keep ./2'],
    ['when it is written in another way', './web/', 'web=web, api=./api', 'update ./web/ -> web, create ./api'],
    ['and the last one from the last one', 'one=./1, two=./2', 'a=./1, b=./3', 'update ./1 -> ./1, update ./2 -> ./3'],
  ])('%s', (_, before, after, expected) => {
    expect(steps(named(after), made(...named(before))).join(', ')).toBe(expected);
  });

  it('and, of one directory, from the one with the same fields', () => {
    const entries = [at('./app', 'b', tenant('b')), at('./app', 'a', tenant('a'))];
    const children = made(at('./app', undefined, tenant('a')));
    expect(steps(entries, children)).toEqual(['create ./app', 'update ./app -> ./app']);
  });
});

describe('entries of files that may continue more than one Kustomization', () => {
  it.each<[string, Child[], Files[]]>([
    ['with new names and directories', made(at('./1', 'one'), at('./2', 'two')), [at('./3', 'x'), at('./4', 'y')]],
    ['when one becomes two', made(at('./web')), [at('./apps', 'apps'), at('./infra', 'infra')]],
    [
      'with new names and fields, of one directory',
      made(at('./app', 'one', tenant('a')), at('./app', 'two', tenant('b'))),
      [at('./app', 'x', tenant('c')), at('./app', 'y', tenant('d'))],
    ],
  ])('are rejected, and nothing is deleted: %s', (_, children, entries) => {
    const { steps: plan, rejected } = work(filesApplication(entries), children);
    expect(new Set(plan.map(({ op }) => op))).toEqual(new Set(['wait', 'spare']));
    expect(rejected.map(({ violation }) => violation.reason)).toEqual(['DestinationUnclear', 'DestinationUnclear']);
    expect(rejected[0]?.violation.message).toContain(`spec.fluxApp.spec.config.kustomization[0]: it is unclear`);
  });
});

describe('a duplicate of ks-devops', () => {
  const [child] = made(at('./web'));
  const double = { ...child!, metadata: { ...child!.metadata, name: 'web-twin' } };

  it('is unmatched when the entry continues the first', () => {
    const entries = entriesOf(filesApplication([at('./web', 'web')]));
    const { childOf, unclear } = matchFiles(entries, [child!, double]);
    expect([...childOf.values()]).toEqual([child]);
    expect(unclear.size).toBe(0);
  });
});

describe('the directory of files', () => {
  it.each([
    ['./web', 'web'],
    ['web/', 'web'],
    ['/web/./api', 'web/api'],
    ['./', ''],
    ['', ''],
    [undefined, ''],
    [7, ''],
  ])('of %j is %j', (path, directory) => {
    expect(directoryOf({ path })).toBe(directory);
  });
});

describe('entries of one directory with variables of their own', () => {
  /** The step of each entry as `operation name: tenant -> tenant`. */
  const told = (entries: Files[], children: readonly Child[]): string[] =>
    work(filesApplication(entries), children).steps.map((step) => {
      const both = ['live' in step ? step.live : undefined, 'object' in step ? step.object : undefined];
      const tenants = both.flatMap((child) => (child === undefined ? [] : [tenantOf(child)]));
      return `${step.op} ${'entry' in step ? (step.entry.name ?? '') : ''}: ${tenants.join(' -> ')}`;
    });
  const tenantOf = ({ spec }: Child): string =>
    (spec['postBuild'] as { substitute?: { tenant?: string } } | undefined)?.substitute?.tenant ?? '';
  const one = (name: string, id: string): Files => at('./web', name, tenant(id));

  it.each<[string, Files[], string[]]>([
    [
      'go on with the objects that they want when they swap them',
      [one('a', 'y'), one('b', 'x')],
      ['update a: y -> y', 'update b: x -> x'],
    ],
    [
      'are edited when no other child has what they want',
      [one('a', 'z'), one('b', 'y')],
      ['update a: x -> z', 'keep b: y'],
    ],
    ['wait until what they leave is taken', [one('a', 'y'), one('b', 'z')], ['update a: y -> y', 'wait b: x']],
    ['are edited when both want the same', [one('a', 'y'), one('b', 'y')], ['update a: x -> y', 'keep b: y']],
  ])('%s', (_, entries, expected) => {
    expect(told(entries, made(one('a', 'x'), one('b', 'y')))).toEqual(expected);
  });

  it('get what they want, and prune only what no entry wants', () => {
    const wanted = [one('a', 'y'), one('b', 'z')];
    const once = applied(
      made(one('a', 'x'), one('b', 'y')),
      work(filesApplication(wanted), made(one('a', 'x'), one('b', 'y'))).steps,
    );
    expect(told(wanted, once)).toEqual(['keep a: y', 'update b: x -> z']);
  });
});

describe('entries of one directory in sources of their own', () => {
  const from = (name: string) => ({ kind: 'GitRepository', name, namespace: 'shop' });
  const entries = entriesOf(filesApplication([at('./web', 'a'), at('./web', 'b')]));
  const reading = (...sources: string[]) =>
    entries.map((entry, index) => ({ ...entry, fields: { ...entry.fields, sourceRef: from(sources[index]!) } }));
  const children = made(at('./web', 'a'), at('./web', 'b')).map((child, index) => {
    const sourceRef = from(['x', 'y'][index]!);
    return { ...child, spec: { ...child.spec, sourceRef } };
  });
  const sourcesOf = (...sources: string[]): unknown[] => {
    const wanted = reading(...sources);
    const { childOf } = matchChildren(wanted, children);
    return wanted.map((entry) => childOf.get(entry)?.spec['sourceRef']);
  };

  it('go on with what they want when they swap these', () => {
    expect(sourcesOf('x', 'y')).toEqual([from('x'), from('y')]);
    expect(sourcesOf('y', 'x')).toEqual([from('y'), from('x')]);
  });

  it('go on with what they want when they swap these, at other commits of them', () => {
    const held = (name: string) => copyName(from(name), 'main@sha1:a');
    expect(sourcesOf(held('x'), held('y'))).toEqual([from('x'), from('y')]);
    expect(sourcesOf(held('y'), held('x'))).toEqual([from('y'), from('x')]);
  });

  it('are edited when no other child reads what they want', () => {
    expect(sourcesOf('z', 'y')).toEqual([from('x'), from('y')]);
  });
});

it.each(INHERITED)('a directory called %s is one like any other', (name) => {
  const [path, moved] = [`./${name}`, `./moved/${name}`];
  expect(steps([at(path)], [])).toEqual([`create ${path}`]);
  expect(steps([at(path)], made(at('./a')))).toEqual([`update ./a -> ${path}`]);
  expect(steps([at(moved)], made(at(path)))).toEqual([`update ${path} -> ${moved}`]);
  expect(steps([at(path), at('./b', 'b')], made(at(path, 'a'), at('./b')))).toEqual([
    `update ${path} -> ${path}`,
    'update ./b -> ./b',
  ]);
});

describe('an entry of files finds its own Kustomization', () => {
  const childOf = (entry: Files, children: readonly Child[]): Child | undefined => {
    const entries = entriesOf(filesApplication([entry]));
    return matchChildren(entries, children).childOf.get(entries[0]!);
  };

  it('also while its template cannot be used and it says no path of its own', () => {
    const [root, own] = made(at('', 'x'), at('./apps/y', 'y'));
    expect(childOf(files('prod', 'eu', { name: 'y', template: 'gone' }), [root!, own!])).toBe(own);
  });

  it('and none that is being deleted, though it has the variables that the entry wants now', () => {
    const [own, other] = made(at('./web', 'a', tenant('x')), at('./web', 'b', tenant('y')));
    const leaving = { ...other!, metadata: { ...other!.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(childOf(at('./web', 'a', tenant('y')), [own!, leaving])).toBe(own);
  });
});
