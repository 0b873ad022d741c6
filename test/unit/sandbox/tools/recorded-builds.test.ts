import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { BuildProgress, packageCost, type BuildWork } from '#sandbox/tools/build-progress.js';

/** A module of a build that somebody recorded. */
interface RecordedModule {
  readonly work: BuildWork;
  /** Millisecond at which each package was compiled, by its name, in this order. */
  readonly compiledMs: Map<string, number>;
  readonly builtMs: number;
}

/** Reads the modules of a file in `test/fixtures/builds`. */
async function recorded(name: string): Promise<RecordedModule[]> {
  const text = await readFile(path.resolve('test/fixtures/builds', `${name}.txt`), 'utf8');
  return text
    .split(/^module /m)
    .slice(1)
    .map((part, number) => {
      const [[programs = 0, builtMs = 0] = [], ...lines] = part
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map(Number));
      const named = lines.map(([ms = 0, bytes = 0, dependencies = 0], index) => {
        return { name: `m${number}/p${index}`, ms, cost: packageCost(bytes, dependencies) };
      });
      const packages = new Map(named.map((each) => [each.name, { cost: each.cost, identity: each.name }]));
      return { work: { packages, programs }, compiledMs: new Map(named.map((each) => [each.name, each.ms])), builtMs };
    });
}

interface Moment {
  readonly nowMs: number;
  readonly percent: number;
  /** The time of the whole build by the progress; undefined while it does not know. */
  readonly totalMs: number | undefined;
}

/** Asks the progress once per second of the clock of the recording, and whenever a package is compiled. */
function replay(modules: readonly RecordedModule[]): Moment[] {
  const progress = new BuildProgress(
    modules.map(({ work }) => work),
    0,
  );
  const moments: Moment[] = [];
  let lastMs = 0;
  const lookAt = (nowMs: number): void => {
    const leftMs = progress.leftMs(nowMs);
    const percent = Number(/(\d+) %/.exec(progress.line(nowMs))?.[1]);
    moments.push({ nowMs, percent, totalMs: leftMs === undefined ? undefined : nowMs + leftMs });
  };
  const passUntil = (nowMs: number): void => {
    for (let ms = lastMs; ms < nowMs; ms += 1_000) lookAt(ms);
    lookAt(nowMs);
    lastMs = nowMs;
  };
  for (const { work, compiledMs, builtMs } of modules) {
    for (const [name, ms] of compiledMs) {
      passUntil(ms);
      progress.compiled(work, name);
      lookAt(ms);
    }
    passUntil(builtMs);
    progress.built(work);
    lookAt(builtMs);
  }
  return moments;
}

const RECORDED: [string, string, number][] = [
  ['29 minutes, all programs', 'first-start', 3],
  ['7 minutes, without the control plane', 'first-start', 2],
  ['one core, without the control plane', 'cpu-time', 2],
];

test.each(RECORDED)('from 20 %% on, the estimate is within a factor of two of the truth: %s', async (_, name, count) => {
  const modules = (await recorded(name)).slice(0, count);
  const truthMs = modules.at(-1)!.builtMs;
  const moments = replay(modules).filter(({ percent }) => percent >= 20);
  expect(moments.length).toBeGreaterThan(1_000);
  const wrong = moments.filter(({ totalMs = 0 }) => totalMs < truthMs / 2 || totalMs > truthMs * 2);
  expect(wrong).toEqual([]);
});

test.each(RECORDED)('the progress never goes back, and ends at 100 %%: %s', async (_, name, count) => {
  const percents = replay((await recorded(name)).slice(0, count)).map(({ percent }) => percent);
  expect(percents.filter((percent, index) => percent < (percents[index - 1] ?? 0))).toEqual([]);
  expect([percents[0], percents.at(-1)]).toEqual([0, 100]);
});
