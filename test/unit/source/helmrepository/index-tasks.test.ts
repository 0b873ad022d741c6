import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findChartTask, keepIndexAside } from '#controllers/source/helmrepository/index-tasks.js';
import { wantedChart } from '#controllers/source/model/choose-version.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { cpuMsDuring } from '../../../support/cpu-time.js';
import { builtOffload } from '../../../support/offload.js';

const LIMIT_MS = 240_000;
let dir: string;
let offload: Offload;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-index-'));
  offload = builtOffload();
});

afterAll(async () => {
  await offload.close();
  await rm(dir, { recursive: true, force: true });
});

function indexOf(charts: number, versions: number, entry: (chart: string, version: string) => string): string {
  const listOf = (chart: string): string =>
    Array.from({ length: versions }, (_, minor) => entry(chart, `1.${minor}.0`)).join('');
  const names = Array.from({ length: charts }, (_, index) => `chart-${index}`);
  return `apiVersion: v1\nentries:\n${names.map((name) => `  ${name}:\n${listOf(name)}`).join('')}`;
}

/** What an index with its usual fields has, about 2.5 kB. */
function fullEntry(chart: string, version: string): string {
  const fields = { name: chart, version, urls: [`${chart}-${version}.tgz`], description: 'word '.repeat(480) };
  return `  - ${JSON.stringify(fields)}\n`;
}

async function keep(name: string, text: string): Promise<{ file: string; answer: object }> {
  const files = { digest: name, from: path.join(dir, `${name}.yaml`), to: path.join(dir, `${name}.json`) };
  await writeFile(files.from, text);
  return { file: files.to, answer: await keepIndexAside(offload, files, 'team') };
}

/** On a machine that is slow enough the task ends at its deadline, with a reason. */
function isRead(answer: object): boolean {
  if ('problem' in answer) expect(answer.problem).toMatch(/^takes longer than 60 s/);
  else expect(answer).toEqual({ hex: expect.any(String) });
  return 'hex' in answer;
}

test(
  '50 MB with 20,000 entries are read and searched without stalling the event loop',
  async () => {
    const text = indexOf(200, 100, fullEntry);
    expect(text.length).toBeGreaterThan(49_000_000);
    const memory = process.memoryUsage().arrayBuffers;
    const delays = monitorEventLoopDelay({ resolution: 10 });
    const startedAt = performance.now();
    delays.enable();
    const { file, answer } = await keep('large', text);
    if (isRead(answer)) {
      const found = await findChartTask.ask(
        offload,
        { ...wantedChart({ chart: 'chart-7', version: '^1' }), file },
        'team',
      );
      expect(found).toMatchObject({ entry: { version: '1.99.0' } });
    }
    delays.disable();
    // Compared with its own run: a busy machine delays everything.
    expect(delays.max / 1e6).toBeLessThan((performance.now() - startedAt) / 3);
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(80_000_000);
  },
  LIMIT_MS,
);

test('an index of usual size is read and searched on every machine', async () => {
  const { file, answer } = await keep('usual', indexOf(10, 10, fullEntry));
  expect(answer).toEqual({ hex: expect.any(String) });
  const found = await findChartTask.ask(offload, { ...wantedChart({ chart: 'chart-7', version: '^1' }), file }, 'team');
  expect(found).toMatchObject({ entry: { version: '1.9.0' } });
});

test(
  '100,000 versions of one chart are found, or refused with a reason',
  async () => {
    const text = indexOf(
      1,
      100_000,
      (chart, version) => `  - {name: ${chart}, version: ${version}, urls: [a-${version}.tgz]}\n`,
    );
    const memory = process.memoryUsage().arrayBuffers;
    const cpuMs = await cpuMsDuring(async () => {
      const { file, answer } = await keep('long', text);
      if (!isRead(answer)) return;
      const found = await findChartTask.ask(
        offload,
        { ...wantedChart({ chart: 'chart-0', version: '*' }), file },
        'team',
      );
      expect(found).toEqual({ entry: { version: '1.99999.0', urls: ['a-1.99999.0.tgz'] } });
    });
    expect(cpuMs).toBeLessThan(120_000);
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(80_000_000);
  },
  LIMIT_MS,
);

test('an index that grows by its aliases is refused, and so is one that is none', async () => {
  const list = (name: string, of: string): string => `${name}: &${name} [${Array(10).fill(of).join(', ')}]\n`;
  const names = 'a b c d e f g h i j'.split(' ');
  const bomb = names.map((name, index) => list(name, index === 0 ? 'x' : `*${names[index - 1]}`)).join('');
  const cpuMs = await cpuMsDuring(async () =>
    expect((await keep('bomb', `apiVersion: v1\n${bomb}entries: *j\n`)).answer).toEqual({
      problem: expect.any(String),
    }),
  );
  expect(cpuMs).toBeLessThan(5_000);
  expect((await keep('none', 'a: 1\n')).answer).toEqual({ problem: expect.stringMatching(/is not a Helm repository/) });
});
