import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fairleadAtTerminal, screenOf } from '../support/terminal.js';

interface Ended {
  readonly code: number | string | null | undefined;
  readonly output: string;
}

function fairlead(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' };
    execFile(process.execPath, ['dist/cli/main.js', ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr });
    });
  });
}

/** Command lines of processes that name the folder. */
function processesOf(folder: string): string[] {
  const lines = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // It ended meanwhile.
      }
    });
  return lines.filter((line) => line.includes(folder));
}

/** The row of the table for one Application and cluster, by the words in it. */
function stateOf(output: string, application: string, cluster: string): string | undefined {
  const row = output
    .split('\n')
    .map((line) => line.split(/\s{2,}/))
    .find(([name, , where]) => name === application && where === cluster);
  return row?.[5];
}

const TABLE = /^APPLICATION .*\n(?:\S.* Ready .*\n)+/m;

/** The table of all that is ready, without the commits of the sandbox. */
function tableIn(text: string): string | undefined {
  return TABLE.exec(text)?.[0].replaceAll(/\+[0-9a-f]{12}/g, '+COMMIT');
}

/** UPDATE_GOLDEN=1 puts the table of this run into the README. */
function tableOfReadme(output: string): string | undefined {
  const readme = readFileSync('README.md', 'utf8');
  if (process.env['UPDATE_GOLDEN'] !== '1') return tableIn(readme);
  writeFileSync(
    'README.md',
    readme.replace(TABLE, () => TABLE.exec(output)?.[0] ?? ''),
  );
  return tableIn(output);
}

const ROLLOUT = /^Rolling .*\n(?: {2}\S.*\n)+/m;

/** Who gets a version, stage by stage; those of one stage in any order. */
function rolloutIn(text: string): string[] {
  return (ROLLOUT.exec(text)?.[0] ?? 'no rollout').trim().split('\n').sort();
}

describe('npm start -- --exit', () => {
  it('shows one Application on real clusters and a rollout in two stages, and leaves nothing behind', async () => {
    const parent = await mkdtemp(path.join(tmpdir(), 'fairlead-first-light-'));
    const dir = path.join(parent, 'sandbox');
    try {
      const { code, output } = await fairlead('demo', '--exit', '--dir', dir);
      expect({ code, output }).toMatchObject({ code: 0 });
      for (const cluster of ['host', 'stage-kubeconfig', 'prod-kubeconfig']) {
        expect({ cluster, state: stateOf(output, 'first-light', cluster), output }).toMatchObject({ state: 'Ready' });
      }
      expect(tableIn(output) ?? 'no table').toBe(tableOfReadme(output));
      expect(rolloutIn(output)).toEqual(rolloutIn(readFileSync('README.md', 'utf8')));
      // The first one to have it is alone in its stage.
      expect(ROLLOUT.exec(output)?.[0].split('\n')[1]).toMatch(/^ {2}canary +stage-kubeconfig +1\.5\.0$/);
      expect(existsSync(dir)).toBe(false);
      expect(processesOf(dir)).toEqual([]);
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  });

  it('shows at a terminal of 80 columns one line per step, drawn over while it runs', async () => {
    const parent = await mkdtemp(path.join(tmpdir(), 'fairlead-first-light-'));
    try {
      const run = fairleadAtTerminal(['demo', '--exit', '--dir', path.join(parent, 'sandbox')], { columns: 80 });
      const code = await run.exitCode;
      expect({ code, output: run.output() }).toMatchObject({ code: 0 });
      const lines = screenOf(run.output());
      expect(lines.filter(({ length }) => length > 80)).toEqual([]);
      const steps = lines.slice(0, lines.indexOf('')).map((line) => line.replace(/ \(\d+ s\)$/, ''));
      expect(steps).toEqual([
        '✓ Start a host and 4 members',
        '✓ Install the CRDs',
        '✓ Start the controller',
        '✓ Create the sources and kubeconfigs of the project',
        '✓ Apply the samples',
        '✓ Wait until everything is ready',
      ]);
      // What was drawn over: one line for each of the three Applications.
      expect(run.output()).toMatch(/first-light .*\r?\n +helm-release .*\r?\n +multi-cluster /);
      expect(lines.filter((line) => line.includes('✓ Ready')).length).toBeGreaterThan(5);
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  });
});
