import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { runCommand } from '#sandbox/command.js';
import { ensureTools } from '#sandbox/tools.js';

/** The versions that a go.mod requires, by module. */
function required(goMod: string): Map<string, string> {
  const lines = goMod.matchAll(/^\s*(?:require )?(\S+) (v\S+)/gm);
  return new Map([...lines].map(([, module = '', version = '']) => [module, version]));
}

/** The versions that a program was linked with, by module, as Go notes them in it. */
async function linked(program: string): Promise<Map<string, string>> {
  const notes = await runCommand('go', ['version', '-m', program]);
  const lines = notes.matchAll(/^\t(?:dep|=>)\t(\S+)\t(v\S+)/gm);
  return new Map([...lines].map(([, module = '', version = '']) => [module, version]));
}

/** Released versions of the libraries of a Go module, which is in the module cache since it was built. */
async function released(folder: string, module: string): Promise<Map<string, string>> {
  const cwd = path.resolve('tools', folder);
  const file = (await runCommand('go', ['list', '-m', '-f', '{{.GoMod}}', module], { cwd })).trim();
  return required(await readFile(file, 'utf8'));
}

/** What helm prints tables and manual pages with, and the network: none of it decides what a chart renders to. */
const APART_FROM_RENDERING = [
  'github.com/clipperhouse/stringish',
  'github.com/clipperhouse/uax29/v2',
  'github.com/cpuguy83/go-md2man/v2',
  'github.com/mattn/go-runewidth',
  'golang.org/x/net',
];

test.each([
  ['helm', 'sandbox', 'helm.sh/helm/v4', APART_FROM_RENDERING],
  ['kustomize', 'kustomize', 'sigs.k8s.io/kustomize/kustomize/v5', []],
] as const)('%s renders with the libraries of its release', async (tool, folder, module, apart) => {
  const { [tool]: program } = await ensureTools([tool]);
  const [actual, expected] = await Promise.all([linked(program), released(folder, module)]);
  actual.delete(module);
  expect(actual.size).toBeGreaterThan(20);
  const different = [...actual].filter(([name, version]) => expected.get(name) !== version);
  expect(different.map(([name]) => name).sort()).toEqual([...apart]);
});
