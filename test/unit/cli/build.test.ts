import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

const COMPILING = /^Compiling Fairlead/;
const SETTINGS = {
  compilerOptions: { module: 'nodenext', target: 'es2022', types: [], outDir: 'dist', rootDir: '.', sourceMap: true },
  include: ['api', 'cli'],
};

/** `npm run build` in a package of its own with two small sources. */
describe('a build', () => {
  let root: string;
  const at = (file: string): string => path.join(root, file);
  const write = (file: string, text: string): void => writeFileSync(at(file), text);
  const outputOf = (file: string): string => readFileSync(at(`dist/${file}`), 'utf8');
  const build = (): { status: number | null; said: string } => {
    const script = path.join(PACKAGE_ROOT, 'cli/build.js');
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: root, encoding: 'utf8' });
    return { status, said: stderr };
  };
  const rebuilt = { status: 0, said: expect.stringMatching(COMPILING) };

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'fairlead-build-'));
    for (const folder of ['api', 'cli']) mkdirSync(at(folder));
    symlinkSync(path.join(PACKAGE_ROOT, 'node_modules'), at('node_modules'));
    write('tsconfig.json', JSON.stringify(SETTINGS));
    write('package.json', '{ "type": "module" }');
    write('package-lock.json', '{}');
    write('api/one.ts', 'export const one = 1;\n');
    write('cli/two.ts', 'export const two = 2;\n');
    expect(build()).toEqual(rebuilt);
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('does nothing when nothing changed', () => {
    write('dist/api/one.js', 'as it was');
    expect(build()).toEqual({ status: 0, said: '' });
    expect(outputOf('api/one.js')).toBe('as it was');
  });

  test('compiles what changed, and settles again', () => {
    write('api/one.ts', 'export const one = 11;\n');
    expect(build()).toEqual(rebuilt);
    expect(outputOf('api/one.js')).toContain('one = 11');
    expect(build()).toEqual({ status: 0, said: '' });
  });

  test.each(['tsconfig.json', 'package-lock.json'])('compiles after a change of %s', (file) => {
    write(file, `${readFileSync(at(file), 'utf8')}\n`);
    expect(build()).toEqual(rebuilt);
  });

  test('removes what was compiled from a source that is gone', () => {
    rmSync(at('cli/two.ts'));
    expect(build()).toEqual(rebuilt);
    expect(['dist/cli/two.js', 'dist/cli/two.js.map'].filter((file) => existsSync(at(file)))).toEqual([]);
  });

  test('brings back an output that somebody removed', () => {
    rmSync(at('dist/api/one.js'));
    expect(build()).toEqual(rebuilt);
    expect(outputOf('api/one.js')).toContain('one = 1');
  });

  test('trusts nothing that an interrupted build left', () => {
    rmSync(at('dist/.compiled-from'));
    write('dist/api/one.js', 'export const o');
    expect(build()).toEqual(rebuilt);
    expect(outputOf('api/one.js')).toContain('one = 1');
  });

  test('bundles the program, whose modules keep their addresses', () => {
    const declared = 'declare global { interface ImportMeta { url: string } }\n';
    write('api/one.ts', `${declared}export const one = import.meta.url;\n`);
    write('cli/two.ts', `${declared}export const two = import.meta.url;\n`);
    const print = `console.log(JSON.stringify([one, (await import('./two.js')).two]));`;
    write(
      'cli/program.ts',
      `import { one } from '../api/one.js';\ndeclare const console: { log(text: string): void };\n${print}\n`,
    );
    expect(build()).toEqual(rebuilt);
    rmSync(at('dist/api'), { recursive: true });
    rmSync(at('dist/cli/two.js'));
    const { stdout } = spawnSync(process.execPath, [at('dist/cli/main.js')], { encoding: 'utf8' });
    const addressOf = (file: string): string => pathToFileURL(at(`dist/${file}`)).href;
    expect(JSON.parse(stdout)).toEqual([addressOf('api/one.js'), addressOf('cli/two.js')]);
    // The program, and what it reads later.
    const files = readdirSync(at('dist/cli')).filter((file) => /^(main|two-.*)\.js$/.test(file));
    expect(files).toHaveLength(2);
    for (const file of files) {
      rmSync(at(`dist/cli/${file}`));
      expect(build()).toEqual(rebuilt);
      expect(existsSync(at(`dist/cli/${file}`))).toBe(true);
    }
    expect(build()).toEqual({ status: 0, said: '' });
  });

  test('fails each time while a source is wrong', () => {
    write('api/one.ts', 'export const one: string = 1;\n');
    expect(build().status).not.toBe(0);
    expect(build().status).not.toBe(0);
    write('api/one.ts', 'export const one = 1;\n');
    expect(build()).toEqual(rebuilt);
  });
});
