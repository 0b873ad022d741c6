import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Root of the repository; jest runs there. */
export const ROOT = path.resolve('.');

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.fairlead', 'coverage']);

/** Every file below `folder`, as a path relative to the root, with `/` between its parts. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries
    .filter(({ name }) => !SKIPPED.has(name))
    .flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(name) : [name];
    })
    .sort();
}

export function textOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

export function linesOf(file: string): number {
  return textOf(file).trimEnd().split('\n').length;
}

/** The folders of the product, lowest first. */
export const SOURCE_FOLDERS = [
  ...['api', 'lib', 'runtime', 'engine', 'controllers', 'manager', 'queries', 'console', 'cli'],
  ...['sandbox', 'config', 'bench'],
];

/** The TypeScript sources of the product. */
export function sourceFiles(): string[] {
  return SOURCE_FOLDERS.flatMap(filesBelow).filter((file) => /\.tsx?$/.test(file));
}

export function testFiles(): string[] {
  return filesBelow('test').filter((file) => file.endsWith('.ts'));
}

/** The texts in a program, with a gap for each value. */
export function literalsIn(code: string): string[] {
  const literals = [...code.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g)];
  return literals.map(([, template, text]) => (template ?? text ?? '').replaceAll(/\$\{[^}]*\}/g, '\0'));
}
