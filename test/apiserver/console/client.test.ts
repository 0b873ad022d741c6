import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import openapi, { astToString } from 'openapi-typescript';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { asAdmin } from './as-admin.js';

const { call } = asAdmin('client');

/** As somebody would write it who has nothing but `/openapi.json`. */
const PROGRAM = `
import type { paths } from './fairlead.js';

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

type List = Answer<'/api/v1/applications'>;
type Detail = Answer<'/api/v1/namespaces/{namespace}/applications/{name}'>;
type State = Detail['destinations'][number]['state'];

export function failing(list: List): string[] {
  return list.items.filter(({ state }) => state === 'Failed' || state === 'Stalled').map(({ name }) => name);
}

export const worst: readonly State[] = ['Unreachable', 'Stalled', 'Failed'];

// @ts-expect-error: it is misspelt.
export const misspelt: State = 'Faild';

export function where({ destinations }: Detail): string[] {
  // @ts-expect-error: a destination has no such field.
  return destinations.map((each) => each.clusterName);
}

export async function read(): Promise<string[]> {
  const answer = await fetch('https://fairlead.example.com/api/v1/applications');
  return failing((await answer.json()) as List);
}
`;

const run = promisify(execFile);

it('a client that is generated from /openapi.json compiles, and a misspelt state does not', async () => {
  const { code, text } = await call('/openapi.json');
  expect(code).toBe(200);
  const types = astToString(await openapi(text));
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-client-'));
  try {
    await writeFile(path.join(folder, 'fairlead.d.ts'), types);
    await writeFile(path.join(folder, 'program.ts'), PROGRAM);
    const compiler = path.join(PACKAGE_ROOT, 'node_modules/typescript-native/bin/tsc');
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext'];
    const args = [compiler, ...flags, '--types', '', '--lib', 'es2022,dom', path.join(folder, 'program.ts')];
    // The compiler prints what is wrong, and then it fails.
    await expect(run(process.execPath, args, { cwd: folder })).resolves.toEqual({ stdout: '', stderr: '' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
