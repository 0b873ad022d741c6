/**
 * Module hooks of Node for tests that run without jest's sandbox: TypeScript is compiled as it is loaded, `./x.js` finds
 * `./x.ts`, and `@jest/globals` is the one of this folder.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';
import { transform } from '@swc/core';

const ROOT = path.resolve(import.meta.dirname, '../..');
const GLOBALS = new URL('./light-globals.mjs', import.meta.url).href;
const OPTIONS = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/** The source that an import means, if it is one of ours: imports say `.js`, as the build makes it. */
function sourceOf(specifier, parentURL) {
  if (!specifier.endsWith('.js')) return undefined;
  if (specifier.startsWith('#')) return pathToFileURL(path.join(ROOT, specifier.slice(1)));
  return specifier.startsWith('.') && parentURL !== undefined ? new URL(specifier, parentURL) : undefined;
}

export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true };
  const source = sourceOf(specifier, context.parentURL);
  if (source !== undefined && source.protocol === 'file:' && !source.pathname.includes('/node_modules/')) {
    const url = source.href.replace(/\.js$/, '.ts');
    if (existsSync(fileURLToPath(url))) return { url, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  const file = url.split('?')[0];
  if (!file.startsWith('file:') || !file.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(file);
  const { code } = await transform(await readFile(filename, 'utf8'), { ...OPTIONS, filename, swcrc: false });
  return { format: 'module', source: code, shortCircuit: true };
}
