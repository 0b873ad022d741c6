import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ProcessEndedError, Processes, startOnFreePort } from '#sandbox/world/processes.js';
import { eventually } from '../../support/world.js';

let dir: string;
let processes: Processes;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-processes-'));
  processes = await Processes.open(dir);
});

afterEach(async () => {
  await processes.stop();
  await rm(dir, { recursive: true, force: true });
});

function script(name: string, text: string): Parameters<Processes['start']>[0] {
  return { name, program: '/bin/sh', args: ['-c', text], env: {} };
}

test('a process that ends by itself is reported with the end of its log', async () => {
  const { ended } = processes.start(script('broken', 'echo first; echo the port is taken >&2; exit 3'));
  await expect(ended).rejects.toThrow(/^broken exited \(exit code 3\); the end of its log:\nfirst\nthe port is taken$/);
});

test('a program that does not exist is reported', async () => {
  const { ended } = processes.start({ name: 'none', program: '/nowhere/none', args: [], env: {} });
  await expect(ended).rejects.toThrow(/^none exited \(.*ENOENT/);
});

test('a process that ignores SIGTERM is killed, and the folder goes', async () => {
  processes.start(script('stubborn', 'trap "" TERM; echo deaf now; exec sleep 60'));
  await eventually(() => expect(readFileSync(path.join(dir, 'logs', 'stubborn.log'), 'utf8')).toBe('deaf now\n'));
  await processes.stop();
  expect(existsSync(dir)).toBe(false);
});

test('a start that lost its port is tried again, three times in all', async () => {
  let starts = 0;
  const fail = (): Promise<never> => {
    starts += 1;
    return Promise.reject(new ProcessEndedError('etcd', 'exit code 1', 'address already in use'));
  };
  await expect(startOnFreePort(fail)).rejects.toThrow('address already in use');
  expect(starts).toBe(3);
});

test('another failure of a start is not tried again', async () => {
  let starts = 0;
  const fail = (): Promise<never> => {
    starts += 1;
    return Promise.reject(new Error('aborted'));
  };
  await expect(startOnFreePort(fail)).rejects.toThrow('aborted');
  expect(starts).toBe(1);
});
