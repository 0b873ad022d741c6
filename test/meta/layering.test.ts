import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

interface Failure {
  stdout?: string;
}

/** The violations as dependency-cruiser prints them; empty when there are none. */
async function violations(): Promise<string> {
  try {
    await execute('npm', ['run', '-s', 'layering']);
    return '';
  } catch (error: unknown) {
    // execFile rejects with an Error that carries what the program wrote.
    return (error as Failure).stdout ?? String(error);
  }
}

test('imports go one way: see .dependency-cruiser.cjs for who may import whom', async () => {
  expect(await violations()).toBe('');
}, 120_000);
