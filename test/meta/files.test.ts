import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { filesBelow, linesOf, SOURCE_FOLDERS, sourceFiles, testFiles, textOf } from './repository.js';

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config|\.d)?\.(tsx?|js|cjs)$/;
const VAGUE = /^(utils?|helpers?|common|misc)\./;
/** Rules without I/O. */
const PURE = /(^|\/)model\/|^console\/shared\//;
/** A module of types, or of the engine's contracts, has no behaviour to test. */
const TYPES_ONLY = /(^|\/)types\.ts$/;

function isVague(file: string): boolean {
  // Flux itself calls the parts that its kinds share `common`.
  return VAGUE.test(path.basename(file)) && file !== 'api/flux/common.ts';
}

/** The sources that a test imports, by their names from the root. */
function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/from '#([\w./-]+)\.js'/g)].map(([, name = '']) => `${name}.ts`);
}

describe('files', () => {
  test('are named in kebab-case', () => {
    const named = [...sourceFiles(), ...testFiles()];
    expect(named.filter((file) => !KEBAB_CASE.test(path.basename(file)))).toEqual([]);
  });

  test('are named after what they hold', () => {
    expect([...sourceFiles(), ...testFiles()].filter(isVague)).toEqual([]);
  });

  test('stay readable: 300 lines, 600 in tests', () => {
    expect(sourceFiles().filter((file) => linesOf(file) > 300)).toEqual([]);
    expect(testFiles().filter((file) => linesOf(file) > 600)).toEqual([]);
  });

  test('of a model are imported by a unit test', () => {
    const imported = new Set(
      testFiles()
        .filter((file) => file.startsWith('test/unit/'))
        .flatMap(importsOf),
    );
    const models = sourceFiles().filter((file) => PURE.test(file) && !TYPES_ONLY.test(file));
    expect(models.filter((file) => !imported.has(file))).toEqual([]);
  });

  test('of the Application controller leave the kinds of children to its backends', () => {
    const outside = sourceFiles().filter(
      (file) => file.startsWith('controllers/application/') && !file.includes('/model/backends/'),
    );
    const asks = /['"`](HelmRelease|Kustomization)['"`]|(helmRelease|kustomization)Resource/;
    expect(outside.length).toBeGreaterThan(40);
    expect(outside.filter((file) => asks.test(textOf(file)))).toEqual([]);
  });

  test('hold no path of a developer and no open task', () => {
    const texts = [...SOURCE_FOLDERS, 'docs', 'samples'].flatMap(filesBelow);
    const found = texts.filter((file) => /\/home\/\w+|\/Users\/\w+|\bTODO\b|\bFIXME\b/.test(textOf(file)));
    expect(found).toEqual([]);
  });
});
