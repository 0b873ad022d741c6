import { expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LOGIN_LINK, overviewFor, signInBy } from '../support/one-time-login.js';
import { CTRL_C, fairleadAtTerminal, screenOf } from '../support/terminal.js';
import { eventually } from '../support/world.js';

const SLOW = { timeoutMs: 300_000, intervalMs: 500 };

/** Arguments and environments of all processes. */
function processTexts(): string {
  const files = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'latin1');
    } catch {
      return ''; // It ended meanwhile.
    }
  };
  return files.flatMap((pid) => [read(`/proc/${pid}/cmdline`), read(`/proc/${pid}/environ`)]).join('\n');
}

it('npm start prints links that sign in to the dashboard of its sandbox, once each, and ends with it', async () => {
  const parent = await mkdtemp(path.join(tmpdir(), 'fairlead-link-'));
  const dir = path.join(parent, 'sandbox');
  const run = fairleadAtTerminal(['demo', '--members', '2', '--dir', dir], { columns: 100 });
  const links = (): string[] => [...run.output().matchAll(LOGIN_LINK)].map(([link]) => link);
  try {
    await eventually(() => expect(links()).toHaveLength(1), SLOW);
    const [early = ''] = links();
    const session = await signInBy(early);
    const { status, user, cookie } = session;
    expect({ status, user }).toEqual({ status: 200, user: expect.stringMatching(/:dashboard-user$/) });
    expect((await signInBy(early)).status).toBe(401);
    await eventually(() => expect(run.output()).toContain('Running until Ctrl-C.'), SLOW);
    const applications = await overviewFor(session, early);
    expect(applications.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      ...['first-light Ready', 'helm-release Ready', 'multi-cluster Ready'],
    ]);
    run.type('\n');
    await eventually(() => expect(new Set(links()).size).toBe(3));
    const last = links().at(-1) ?? '';
    const token = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1));
    const logs = readdirSync(path.join(dir, 'logs')).map((file) => readFileSync(path.join(dir, 'logs', file), 'utf8'));
    const elsewhere = [processTexts(), ...logs].join('\n');
    for (const secret of [token, ...links().map((link) => new URL(link).hash.slice(1))]) {
      expect(elsewhere.includes(secret)).toBe(false);
    }
    expect((await signInBy(last)).status).toBe(200);
    run.type(CTRL_C);
    await run.exitCode;
    expect(existsSync(dir)).toBe(false);
    await expect(fetch(new URL(early).origin)).rejects.toThrow();
    expect(processTexts().includes(dir)).toBe(false);
    expect(screenOf(run.output()).filter((line) => line.includes('There is no link'))).toEqual([]);
  } finally {
    run.type(CTRL_C);
    await run.exitCode;
    await rm(parent, { recursive: true, force: true });
  }
});
