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

/**
 * The module that holds the `tool` of a go.mod, with its required version; all that a program of ours itself imports.
 */
function goModules(): [string, string][] {
  const files = filesBelow('tools').filter((file) => file.endsWith('/go.mod'));
  return files.flatMap((file) => {
    const text = textOf(file);
    const tool = /^tool \(?\s*(\S+)/m.exec(text)?.[1];
    const lines = tool === undefined ? /^\s*(?:require )?(\S+) (v\S+)$/gm : /^\s*(?:require )?(\S+) (v\S+)/gm;
    const required = [...text.matchAll(lines)].map(([, name = '', version = '']): [string, string] => [name, version]);
    if (tool === undefined) return required;
    const owner = required.find(([name]) => tool === name || tool.startsWith(`${name}/`));
    if (owner === undefined) throw new Error(`${file}: nothing required provides the tool ${tool}`);
    return [owner];
  });
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
