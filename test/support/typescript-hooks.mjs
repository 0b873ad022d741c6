/**
 * Module hooks of Node for tests without jest's sandbox. They compile TypeScript when it is loaded, resolve `./x.js` to
 * `./x.ts`, and resolve `@jest/globals` to the file of this folder.
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

/** The URL of a source of ours for an import, which may be a `.ts` file; undefined for packages and others. */
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
