import { describe, expect, test } from '@jest/globals';
import { filesBelow, textOf } from './repository.js';

const RECORD = 'docs/decisions/0007-dependencies.md';

function entries(): [string, string][] {
  const found = textOf(RECORD).matchAll(/^- `([^`]+)` (\S+): \S/gm);
  return [...found].map(([, name = '', version = '']) => [name, version]);
}

function npmPackages(): [string, string][] {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  return Object.entries({ ...dependencies, ...devDependencies });
}

/** The packages that a go.mod names as tools. */
function toolsOf(goMod: string): string[] {
  const block = /^tool \(([^)]*)\)/m.exec(goMod)?.[1] ?? /^tool (\S+)/m.exec(goMod)?.[1] ?? '';
  return block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

interface Requirement {
  readonly name: string;
  readonly version: string;
  readonly indirect: boolean;
}

function requirementsOf(goMod: string): Requirement[] {
  const lines = goMod.matchAll(/^\s*(?:require )?(\S+) (v\S+)( \/\/ indirect)?$/gm);
  return [...lines].map(([, name = '', version = '', indirect]) => ({
    name,
    version,
    indirect: indirect !== undefined,
  }));
}

/** What a go.mod requires for its own sake: the modules of its tools, and those that programs of ours import. */
function chosenIn(goMod: string): [string, string][] {
  const tools = toolsOf(goMod);
  const isOfTool = (name: string): boolean => tools.some((tool) => tool === name || tool.startsWith(`${name}/`));
  const chosen = requirementsOf(goMod).filter(({ name, indirect }) => !indirect || isOfTool(name));
  return chosen.map(({ name, version }) => [name, version]);
}

function goModules(): [string, string][] {
  const files = filesBelow('tools').filter((file) => file.endsWith('/go.mod'));
  return files.flatMap((file) => chosenIn(textOf(file)));
}

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('dependencies', () => {
  test.each([...npmPackages(), ...goModules()])('%s %s has one reason in the decision record', (name, version) => {
    expect(entries().filter(([each]) => each === name)).toEqual([[name, version]]);
  });

  test('the decision record names no dependency that is gone', () => {
    const present = new Set([...npmPackages(), ...goModules()].map(([name]) => name));
    expect(entries().filter(([name]) => !present.has(name))).toEqual([]);
  });

  test('the oracles have the versions of the sandbox, so that a library of both is compiled once', () => {
    const sandbox = new Map(requirementsOf(textOf('tools/sandbox/go.mod')).map(({ name, version }) => [name, version]));
    const shared = requirementsOf(textOf('tools/oracles/go.mod')).filter(({ name }) => sandbox.has(name));
    expect(shared.length).toBeGreaterThan(50);
    expect(shared.filter(({ name, version }) => sandbox.get(name) !== version)).toEqual([]);
  });

  test('npm versions are exact', () => {
    expect(npmPackages().filter(([, version]) => !/^(npm:\S+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('the lock knows the packages of every platform, without which `npm ci` refuses it', () => {
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const names = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
    const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    expect(names.filter((name) => !locked.has(name))).toEqual([]);
  });
});
