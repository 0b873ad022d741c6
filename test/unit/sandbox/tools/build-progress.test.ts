import { describe, expect, test } from '@jest/globals';
import { BuildProgress, isPackageLine, packageCost, withoutKnown } from '#sandbox/tools/build-progress.js';

function buildPackage(identity: string, bytes = 0) {
  return [identity, { cost: packageCost(bytes, 0), identity }] as const;
}

/** Modules with packages of one cost each, and no program to link. */
function works(...counts: number[]) {
  return counts.map((count, index) => ({
    packages: new Map(Array.from({ length: count }, (_, number) => buildPackage(`m${index}/p${number}`))),
    programs: 0,
  }));
}

/** Compiles so many packages of each module, completely where `isBuilt`. */
function progressed(all: ReturnType<typeof works>, done: readonly number[]): BuildProgress {
  const progress = new BuildProgress(all, 1_000);
  all.forEach((work, index) => {
    const paths = [...work.packages.keys()].slice(0, done[index] ?? 0);
    for (const path of paths) progress.compiled(work, path);
    if (paths.length === work.packages.size) progress.built(work);
  });
  return progress;
}

describe('progress of all builds together', () => {
  test.each<[string, number[], number, string]>([
    ['has no estimate at first', [10, 0], 21_000, 'compiling: 3 %'],
    ['says how long it takes at a steady pace', [100, 0], 241_000, 'compiling: 33 %, about 8 min left'],
    ['goes on with the second module', [100, 100], 481_000, 'compiling: 66 %, about 4 min left'],
    ['never goes below ten seconds', [100, 199], 61_000, 'compiling: 99 %, about 10 s left'],
    ['ends', [100, 200], 61_000, 'compiling: 100 %, about 10 s left'],
  ])('%s', (_, done, nowMs, line) => {
    expect(progressed(works(100, 200), done).line(nowMs)).toBe(line);
  });

  test('counts a large package for more than a small one, and a program', () => {
    const packages = new Map([buildPackage('large', 3_000_000), buildPackage('small')]);
    const work = { packages, programs: 2 };
    const progress = new BuildProgress([work], 0);
    progress.compiled(work, 'small');
    expect(progress.line(1_000)).toBe('compiling: 0 %');
    progress.compiled(work, 'large');
    expect(progress.line(60_000)).toBe('compiling: 50 %, about 60 s left');
  });

  test('does not count what it has not counted before, and never goes back', () => {
    const all = works(4, 4);
    const progress = new BuildProgress(all, 0);
    progress.compiled(all[0]!, 'another');
    expect(progress.line(1_000)).toBe('compiling: 0 %');
    progress.compiled(all[0]!, 'm0/p0');
    progress.compiled(all[0]!, 'm0/p0');
    expect(progress.line(10_000)).toBe('compiling: 12 %, about 70 s left');
    // Another process has built it meanwhile.
    progress.built(all[0]!);
    expect(progress.line(10_000)).toBe('compiling: 50 %, about 10 s left');
  });

  test('is complete where nothing is left', () => {
    expect(new BuildProgress([], 0).line(0)).toBe('compiling: 100 %, about 10 s left');
  });
});

test('does not count what an earlier build of the same command compiles', () => {
  const [first, second] = works(3, 2);
  const known = new Set<string>();
  expect(withoutKnown(first!, known)).toEqual(first);
  const shared = { packages: new Map([...first!.packages, ...second!.packages]), programs: 1 };
  expect(withoutKnown(shared, known)).toEqual({ packages: second!.packages, programs: 1 });
});

test('a package that imports many others costs more', () => {
  expect(packageCost(5_000, 0)).toBe(15_000);
  expect(packageCost(5_000, 1_000)).toBe(475_000);
});

describe('isPackageLine', () => {
  test.each([
    ['k8s.io/api/core/v1', true],
    ['fmt', true],
    ['vendor/golang.org/x/net/http2/hpack', true],
    ['gopkg.in/inf.v0', true],
    ['# k8s.io/api/core/v1', false],
    ['./main.go:12:2: undefined: x', false],
    ['go: downloading k8s.io/api v0.35.4', false],
    ['', false],
  ])('%j: %s', (line, isPackage) => {
    expect(isPackageLine(line)).toBe(isPackage);
  });
});
